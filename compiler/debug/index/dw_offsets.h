// SPDX-License-Identifier: GPL-2.0-or-later
/** Numbers by offset in .debug_str: a table with open addressing. Most bytes of .debug_str begin no name that is asked for, and touching
 *  pages takes longer than filling them. */
#ifndef SP_DEBUG_DW_OFFSETS_H
#define SP_DEBUG_DW_OFFSETS_H

#include <stdint.h>

struct dw_offset {
	uint32_t off, number; // number 0: the place is free
};

/** Zeroed, it is empty. */
struct dw_offsets {
	struct dw_offset *places;
	uint32_t last, n; // the table's size, a power of two, less 1; how many places are taken
};

void dw_offsets_deinit(struct dw_offsets *table);
/** The number of an offset, until the next call. It is 0 when the offset is new, and is given another one by the caller. */
uint32_t *dw_offsets_number(struct dw_offsets *table, uint32_t off);

/** 25 bits */
static inline uint32_t dw_offsets_hash(uint32_t off)
{
	return off * 0x9e3779b1u >> 7;
}

#endif
