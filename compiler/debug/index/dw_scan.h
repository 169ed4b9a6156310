// SPDX-License-Identifier: GPL-2.0-or-later
/** The names that the top level of a unit defines, and those of its files, read straight from the bytes of .debug_info: some ten times as fast
 *  as through libdw, which looks up the abbreviation and each attribute of every DIE anew. For C, where nothing that is
 *  asked for by name lies deeper. */
#ifndef SP_DEBUG_DW_SCAN_H
#define SP_DEBUG_DW_SCAN_H

#include "compiler/debug/dwarf/dw_line.h"

enum dw_name_kind {
	DW_NAME_FUNC, // with code, or inlined somewhere
	DW_NAME_VAR, // a definition
	DW_NAME_EXTERN, // a variable's declaration
	DW_NAME_STRUCT,
	DW_NAME_UNION,
	DW_NAME_ENUM,
	DW_NAME_TYPE, // a typedef or a base type
	DW_NAME_FILE, // a file of a kernel's line table, by its path; no header
};

#define DW_NAME_KINDS (DW_NAME_FILE + 1)

/** What threads may read together. */
struct dw_scan_source {
	struct dw_section info, abbrev, str;
	bool is_kernel;
	struct dw_line_source lines; // of a kernel
};

/** `name` lives as long as the call; in source->str when the name stands there. `die`: where its DIE is in the unit. */
typedef void dw_scan_fn(void *ctx, enum dw_name_kind kind, const char *name, uint32_t die);

/** Has the language (DW_LANG_...) no names within namespaces and classes? */
bool dw_scan_is_flat(uint64_t language);

/** One a thread. */
struct dw_scan *dw_scan_create(const struct dw_scan_source *source);
void dw_scan_destroy(struct dw_scan *scan);
/** Calls `fn` for the names of the unit in [off, end), some of them more than once. False: the unit is broken, or has
 *  what this does not read (other languages, references to other units, forms of later versions): some are missing. */
bool dw_scan_unit(struct dw_scan *scan, uint64_t off, uint64_t end, dw_scan_fn *fn, void *ctx);

#endif
