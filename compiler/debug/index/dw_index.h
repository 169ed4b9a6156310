// SPDX-License-Identifier: GPL-2.0-or-later
/** The units of one file, and which of them can hold a name or an address, without reading all DIEs. The names of a file
 *  are saved by build-id once a pattern has asked for all of them. */
#ifndef SP_DEBUG_DW_INDEX_H
#define SP_DEBUG_DW_INDEX_H

#include "compiler/debug/index/dw_names.h"

struct dw_unit {
	Dwarf_CU *cu; // of a skeleton whose split unit was found: the latter
	Dwarf_CU *skeleton; // of a split unit; else NULL
	Dwarf_Off off, end; // in .debug_info
	bool is_type; // DW_UT_type
	bool is_elsewhere; // in .debug_types, or a split unit: not in .debug_info
};

/** Called with each unit, by a pattern with some more than once; true: that was enough. */
typedef dw_names_fn dw_unit_fn;

/** Of a split unit; other units are their own. */
Dwarf_CU *dw_index_skeleton(const struct dw_file *file, Dwarf_CU *cu);
/** Reads the headers of all units; of a large kernel's as they are asked for. */
struct sp_err *dw_index_open(struct dw_file *file);
void dw_index_destroy(struct dw_index *index);

size_t dw_index_count(struct dw_file *file);
/** NULL: there are not so many. */
const struct dw_unit *dw_index_unit(struct dw_file *file, size_t i);
/** After that. */
void dw_index_die(const struct dw_file *file, size_t i, Dwarf_Die *ret);
/** The unit that has code at `pc`; false: none. */
bool dw_index_at_pc(struct dw_file *file, uint64_t pc, size_t *ret);

/** Calls `fn` for each unit in which `name` can be the name of a DIE of one of the kinds (bits DW_NAMES): as a saved
 *  index has it; without one, those whose bytes hold the name or its offset in .debug_str, and those for which that
 *  cannot be told. */
void dw_index_with_name(struct dw_file *file, const char *name, unsigned kinds, dw_unit_fn *fn, void *ctx);
/** The same for a pattern, by an index that is made and saved when there is none. False, and nothing was called: the
 *  file is one that cannot have such an index. */
bool dw_index_matching(struct dw_file *file, const char *pattern, unsigned kinds, dw_unit_fn *fn, void *ctx);
/** As dw_names_files(), when such an index has been saved and the pattern is for files that it has; else false. */
bool dw_index_files(struct dw_file *file, const char *pattern, dw_unit_fn *fn, void *ctx);
/** As dw_names_funcs(), by an index that is made when there is none. */
bool dw_index_funcs(struct dw_file *file, const char *pattern, dw_names_die_fn *fn, void *ctx);
/** After that was true: as dw_names_unit_funcs(). */
void dw_index_unit_funcs(struct dw_file *file, size_t unit, dw_names_func_fn *fn, void *ctx);
/** Calls `fn` for each unit whose bytes hold a reference to a DIE of another unit at one of the offsets. */
void dw_index_with_refs(struct dw_file *file, const Dwarf_Off *offs, size_t n, dw_unit_fn *fn, void *ctx);

/** Gives back the memory of pages that a walk over all units has touched. Between units only. */
void dw_index_forget(struct dw_file *file);

#endif
