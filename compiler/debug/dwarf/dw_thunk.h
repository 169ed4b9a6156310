// SPDX-License-Identifier: GPL-2.0-or-later
/** Thunks of C++: calls of a virtual function by way of a base class that is not at the object's begin. Most correct `this` and jump to
 *  the function; gcc -O2 puts a copy of its body into some, and debug information does not tell of it. */
#ifndef SP_DEBUG_DW_THUNK_H
#define SP_DEBUG_DW_THUNK_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

struct dw_thunks;

/** As dbg_copied_by_thunk(). */
const char *dw_thunk_with_copy(const struct dbg_func *func);

void dw_thunks_destroy(struct dw_thunks *thunks);

#endif
