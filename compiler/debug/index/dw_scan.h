// SPDX-License-Identifier: GPL-2.0-or-later
/** The names that the top level of a unit defines, and the names of its source files, read straight from the bytes of .debug_info.
 *  That is some ten times as fast as libdw, which looks up the abbreviation and each attribute of every DIE anew. It is for C,
 *  where everything that is asked for by name is at the top level. */
#ifndef SP_DEBUG_DW_SCAN_H
#define SP_DEBUG_DW_SCAN_H

#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/index/dw_needle.h"

enum dw_name_kind {
	DW_NAME_FUNC, // with code, or inlined somewhere
	DW_NAME_VAR, // a definition
	DW_NAME_EXTERN, // a variable's declaration
	DW_NAME_STRUCT,
	DW_NAME_UNION,
	DW_NAME_ENUM,
	DW_NAME_TYPE, // a typedef or a base type
	DW_NAME_FILE, // a source file of a kernel's line table, by its path; headers are left out
};

#define DW_NAME_KINDS (DW_NAME_FILE + 1)

/** The sections; threads may share them. */
struct dw_scan_source {
	struct dw_section info, abbrev, str;
	bool is_kernel;
	bool only_funcs; // DW_NAME_FUNC, and nothing else
	struct dw_line_source lines; // of a kernel
};

/** `name` points into source->str when it is there; else it is valid during the call only. `die`: offset of the DIE in the unit. */
typedef void dw_scan_fn(void *ctx, enum dw_name_kind kind, const char *name, uint32_t die);

/** Is it a language (DW_LANG_...) without namespaces and classes? */
bool dw_scan_is_flat(uint64_t language);

/** Each thread has its own. */
struct dw_scan *dw_scan_create(const struct dw_scan_source *source);
void dw_scan_destroy(struct dw_scan *scan);
/** Calls `fn` for the names of the unit in [off, end), for some more than once. False, and some names are missing: the unit is
 *  broken, or has what this does not read (other languages, references to other units, forms of later versions). */
bool dw_scan_unit(struct dw_scan *scan, uint64_t off, uint64_t end, dw_scan_fn *fn, void *ctx);
/** Can the unit in [off, end) define a function, with code or inlined, that has the name of which these are the bytes? True, too, when
 *  the unit is not understood. That is quicker than dw_scan_unit(): only abbreviations are read, and those of a unit with the bytes. */
bool dw_scan_may_define(struct dw_scan *scan, uint64_t off, uint64_t end, const struct dw_needles *needles);

#endif
