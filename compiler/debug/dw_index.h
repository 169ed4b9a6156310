// SPDX-License-Identifier: GPL-2.0-or-later
/** The units of one file, and which of them can hold a name or an address, without reading all DIEs. An index of all
 *  names, saved by build-id, can answer dw_index_with_name in the same way. */
#ifndef SP_DEBUG_DW_INDEX_H
#define SP_DEBUG_DW_INDEX_H

#include "compiler/debug/dw_file.h"

struct dw_unit {
	Dwarf_CU *cu; // of a skeleton whose split unit was found: the latter
	Dwarf_Off off, end; // in .debug_info
	bool is_type; // DW_UT_type
	bool is_elsewhere; // in .debug_types, or a split unit: not in .debug_info
};

/** Called once per unit; true: that was enough. */
typedef bool dw_unit_fn(void *ctx, size_t unit);

/** Reads the headers of all units. */
struct sp_err *dw_index_open(struct dw_file *file);
void dw_index_destroy(struct dw_index *index);

size_t dw_index_count(const struct dw_file *file);
const struct dw_unit *dw_index_unit(const struct dw_file *file, size_t i);
void dw_index_die(const struct dw_file *file, size_t i, Dwarf_Die *ret);
/** The unit that has code at `pc`; false: none. */
bool dw_index_at_pc(struct dw_file *file, uint64_t pc, size_t *ret);

/** Calls `fn` for each unit in which `name` can be the name of a DIE: those whose bytes hold the name or its offset in
 *  .debug_str, and those for which that cannot be told. */
void dw_index_with_name(struct dw_file *file, const char *name, dw_unit_fn *fn, void *ctx);
/** Calls `fn` for each unit whose bytes hold a reference to a DIE of another unit at one of the offsets. */
void dw_index_with_refs(struct dw_file *file, const Dwarf_Off *offs, size_t n, dw_unit_fn *fn, void *ctx);

/** Gives back the memory of pages that a walk over all units has touched. Between units only. */
void dw_index_forget(struct dw_file *file);

#endif
