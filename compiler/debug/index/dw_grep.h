// SPDX-License-Identifier: GPL-2.0-or-later
/** Which units can hold a name, or a reference, by their bytes: a search of .debug_info for the name, or for its offset in
 *  .debug_str, in place of reading every DIE. A unit that is found may still turn out not to hold it; where the bytes cannot
 *  tell, all units are found. */
#ifndef SP_DEBUG_DW_GREP_H
#define SP_DEBUG_DW_GREP_H

#include "compiler/debug/index/dw_units.h"

/** Calls `fn` once for each unit in which `name` can be the name of a DIE. */
void dw_grep_name(struct dw_file *file, const char *name, dw_unit_fn *fn, void *ctx);
/** Calls `fn` once for each unit whose bytes hold a reference to a DIE of another unit at one of the offsets. */
void dw_grep_refs(struct dw_file *file, const Dwarf_Off *offs, size_t n, dw_unit_fn *fn, void *ctx);

#endif
