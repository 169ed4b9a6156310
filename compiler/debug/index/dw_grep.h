// SPDX-License-Identifier: GPL-2.0-or-later
/** Which units can hold a name or a reference, told by a search through the bytes of .debug_info, in place of reading every DIE. A
 *  name is searched for itself and as its offset in .debug_str. A unit that is found need not hold it in the end; where bytes
 *  cannot tell (dwz, DW_FORM_strx), all units are found. */
#ifndef SP_DEBUG_DW_GREP_H
#define SP_DEBUG_DW_GREP_H

#include "compiler/debug/index/dw_units.h"

/** At most so many offsets of one string are searched for; there are several when the linker did not merge equal strings. */
#define DW_GREP_OFFSETS 64

/** Bytes that are searched for. */
struct dw_needle {
	uint8_t bytes[64];
	size_t len; // at least 3
};

/** The bytes of which a DIE with a name has some: the name itself, or its offset in .debug_str. */
struct dw_needles {
	struct dw_needle v[DW_GREP_OFFSETS + 1];
	size_t n;
};

/** False: DIEs can have the name without having any of these bytes. */
bool dw_grep_needles(const struct dw_file *file, const char *name, struct dw_needles *ret);
/** Do the bytes between two places hold one of them? */
bool dw_grep_holds(const struct dw_needles *needles, const void *from, const void *to);

/** Calls `fn` once for each unit in which `name` can be the name of a DIE. */
void dw_grep_name(struct dw_file *file, const char *name, dw_unit_fn *fn, void *ctx);
/** Calls `fn` once for each unit whose bytes hold a reference to a DIE of another unit at one of the offsets. */
void dw_grep_refs(struct dw_file *file, const Dwarf_Off *offs, size_t n, dw_unit_fn *fn, void *ctx);

#endif
