// SPDX-License-Identifier: GPL-2.0-or-later
/** Where a file defines a name. A name with wildcards needs all names of the file: the index of them (dw_names.h) is made when
 *  it is first asked for, and saved by build-id. Other names use a saved index when there is one, and else a search of the
 *  bytes (dw_grep.h), which is faster than to make one. */
#ifndef SP_DEBUG_DW_INDEX_H
#define SP_DEBUG_DW_INDEX_H

#include "compiler/debug/index/dw_names.h"
#include "compiler/debug/index/dw_units.h"

void dw_index_destroy(struct dw_index *index);

/** Calls `fn` once for each unit in which `name`, without wildcards, can be the name of a DIE of one of the kinds (bits
 *  DW_NAMES). */
void dw_index_with_name(struct dw_file *file, const char *name, unsigned kinds, dw_unit_fn *fn, void *ctx);
/** As dw_names_files(), when an index has been saved and the pattern is for files that it has; else false. */
bool dw_index_files(struct dw_file *file, const char *pattern, dw_unit_fn *fn, void *ctx);
/** As dw_names_funcs(), by an index that is made when there is none. False, and nothing was called: the file is one that
 *  cannot have an index. */
bool dw_index_funcs(struct dw_file *file, const char *pattern, dw_names_die_fn *fn, void *ctx);
/** After that was true: as dw_names_unit_funcs(). */
void dw_index_unit_funcs(struct dw_file *file, size_t unit, dw_names_func_fn *fn, void *ctx);

#endif
