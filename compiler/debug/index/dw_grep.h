// SPDX-License-Identifier: GPL-2.0-or-later
/** Which units can hold a name or a reference, told by a search through the bytes of .debug_info, in place of reading every DIE. A
 *  unit that is found need not hold it in the end; where bytes cannot tell (dwz, DW_FORM_strx), all units are found. */
#ifndef SP_DEBUG_DW_GREP_H
#define SP_DEBUG_DW_GREP_H

#include "compiler/debug/index/dw_scan.h"
#include "compiler/debug/index/dw_units.h"

/** Calls `fn` once for each unit in which `name` can be the name of a DIE. */
void dw_grep_name(struct dw_file *file, const char *name, dw_unit_fn *fn, void *ctx);
/** The same for a kernel's function that the unit defines: many units only declare kfree(). */
void dw_grep_definitions(struct dw_file *file, const struct dw_scan_source *source, const char *name, dw_unit_fn *fn, void *ctx);
/** As dw_grep_name(), for a DIE in a scope of that name, which is in its unit, too. */
void dw_grep_scoped(struct dw_file *file, const char *scope, const char *name, dw_unit_fn *fn, void *ctx);
/** Can it be in this unit? */
bool dw_grep_unit(struct dw_file *file, size_t unit, const struct dw_needles *needles);
/** Calls `fn` once for each unit whose bytes hold a reference to a DIE of another unit at one of the offsets. */
void dw_grep_refs(struct dw_file *file, const Dwarf_Off *offs, size_t n, dw_unit_fn *fn, void *ctx);

#endif
