// SPDX-License-Identifier: GPL-2.0-or-later
/** Stubs through which a file calls functions of other files: the procedure linkage table. */
#ifndef SP_DEBUG_DW_PLT_H
#define SP_DEBUG_DW_PLT_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** As dbg_find_stubs. */
void dw_plt_find(struct dw_file *file, const char *name, struct dbg_stubs *ret);
/** Turns the location of a library's variable, an address, into that of the one that counts: a program can have a copy of it, and any file
 *  before the library a variable of that name. The library itself goes by way of its global offset table. */
void dw_plt_variable(struct dw_file *file, struct dbg_var *var);

#endif
