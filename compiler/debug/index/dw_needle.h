// SPDX-License-Identifier: GPL-2.0-or-later
/** Bytes of which a DIE with a name, or with a reference, has some: the name itself, or its offset in .debug_str. Bytes that hold
 *  them need not have such a DIE. */
#ifndef SP_DEBUG_DW_NEEDLE_H
#define SP_DEBUG_DW_NEEDLE_H

#include "compiler/debug/dwarf/dw_file.h"

/** At most so many offsets of one name are searched for. It has several as linkers share common tails: "init" is also where "_init"
 *  ends, and one of these is what DIEs refer to. */
#define DW_NEEDLE_OFFSETS 1024

struct dw_needles {
	char text[64];
	size_t text_len; // 0: no text
	uint32_t offs[DW_NEEDLE_OFFSETS]; // ascending
	size_t n;
	uint8_t filter[1 << 13]; // 16 bits of a hash of each offset, as a set
};

/** Does .debug_info have each name, or its offset in .debug_str? Not by number (DW_FORM_strx), nor in a file that dwz has made, nor in
 *  split files, which have .debug_addr beside what refers to them. */
bool dw_names_are_here(const struct dw_file *file);
/** False: DIEs can have the name without having any of these bytes, or there are too many. */
bool dw_needles_of_name(const struct dw_file *file, const char *name, struct dw_needles *ret);
/** The same of references to DIEs of other units. */
bool dw_needles_of_refs(const Dwarf_Off *offs, size_t n, struct dw_needles *ret);
/** The first place between two with one of them; NULL: there is none. */
const uint8_t *dw_needles_find(const struct dw_needles *needles, const void *from, const void *to);
bool dw_needles_are_in(const struct dw_needles *needles, const void *from, const void *to);

#endif
