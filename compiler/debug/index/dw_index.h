// SPDX-License-Identifier: GPL-2.0-or-later
/** Which units of a file define a name.
 *
 *  The problem. A kernel has 2,000 units in 200 MB of .debug_info. libdw takes seconds to read them, and a script asks for a few
 *  names.
 *
 *  The idea. Three layers below this header. dw_units.h knows the units and reads their headers as they are needed. dw_grep.h finds
 *  the units that can hold one name by a search through the bytes, in some 10 ms. dw_names.h is an index of all names, which takes
 *  longer to make but answers wildcards: it is made at the first wildcard (dw_scan.h reads the names, in all threads), and saved by
 *  build-id (store.h). A name without wildcards uses a saved index when there is one, and else the search.
 *
 *  The invariant. Every answer is a hint: the caller reads the units it is given, and decides by their DIEs. A damaged index costs
 *  time or misses a name, and gives no wrong answer.
 *
 *  The limits. An index is made for C alone, without DW_FORM_strx, dwz and split units; other files are searched or read whole. So
 *  are units of other languages, when they are a small part of a file, as Rust is in a kernel. */
#ifndef SP_DEBUG_DW_INDEX_H
#define SP_DEBUG_DW_INDEX_H

#include "compiler/debug/index/dw_names.h"
#include "compiler/debug/index/dw_units.h"

/** Saves the file's index if it was made, and frees it. Late, as whoever waits for what the index found waits for nothing else. */
void dw_index_close(struct dw_file *file);

/** Calls `fn` once for each unit in which `name` can be the name of a DIE of one of `kinds` (DW_NAMES bits). The name has no
 *  wildcards. */
void dw_index_with_name(struct dw_file *file, const char *name, unsigned kinds, dw_unit_fn *fn, void *ctx);
/** As dw_names_files(). False, and `fn` was not called: the file is no kernel, no index of it has been saved, or the pattern may
 *  match headers, which an index lacks. */
bool dw_index_files(struct dw_file *file, const char *pattern, dw_unit_fn *fn, void *ctx);
/** As dw_names_funcs(), by an index that is made when there is none. False, and `fn` was not called: this file cannot have one. */
bool dw_index_funcs(struct dw_file *file, const char *pattern, dw_names_die_fn *fn, void *ctx);
/** Calls `fn` with the units that an index of the file, when there is one, leaves out: dw_index_funcs() gives none of their functions. */
void dw_index_left_out(struct dw_file *file, dw_unit_fn *fn, void *ctx);
/** As dw_names_unit_funcs(), by an index that is there, or by the unit's bytes. False, and `fn` was not called: the unit has what
 *  dw_scan_unit() does not read. */
bool dw_index_unit_funcs(struct dw_file *file, size_t unit, dw_names_func_fn *fn, void *ctx);

#endif
