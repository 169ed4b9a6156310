// SPDX-License-Identifier: GPL-2.0-or-later
/** The names that a file has, for "did you mean". */
#ifndef SP_DEBUG_DW_NAMED_H
#define SP_DEBUG_DW_NAMED_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** Calls `fn` with the names of that sort of ELF symbols and, but for kernels, of DWARF's top level; some more than once. They live
 *  as long as the file. */
void dw_named(struct dw_file *file, enum dbg_named what, void (*fn)(void *ctx, const char *name), void *ctx);

#endif
