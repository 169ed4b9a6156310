// SPDX-License-Identifier: GPL-2.0-or-later
/** Stubs through which a file calls functions of other files: the procedure linkage table. */
#ifndef SP_DEBUG_DW_PLT_H
#define SP_DEBUG_DW_PLT_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** As dbg_find_stubs. */
void dw_plt_find(struct dw_file *file, const char *name, struct dbg_stubs *ret);

#endif
