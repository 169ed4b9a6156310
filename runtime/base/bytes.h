// SPDX-License-Identifier: GPL-2.0-or-later
/** Numbers of DWARF, read from bytes that are not trusted. */
#ifndef SP_BASE_BYTES_H
#define SP_BASE_BYTES_H

#include "runtime/base/util.h"

/** Bytes that are read; what is behind their end is 0, and sets `bad`. */
struct sp_bytes {
	const uint8_t *at, *end;
	bool bad;
};

uint64_t sp_bytes_number(struct sp_bytes *b, unsigned size); // little-endian
uint64_t sp_bytes_uleb(struct sp_bytes *b);
int64_t sp_bytes_sleb(struct sp_bytes *b);
/** The next `size` bytes. */
struct sp_bytes sp_bytes_take(struct sp_bytes *b, uint64_t size);

#endif
