// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/bytes.h"

uint64_t sp_bytes_number(struct sp_bytes *b, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->at) < size) {
		b->bad = true;
		b->at = b->end;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)b->at[i] << (8 * i);
	b->at += size;
	return value;
}

static uint64_t leb(struct sp_bytes *b, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = sp_bytes_number(b, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return value;
}

uint64_t sp_bytes_uleb(struct sp_bytes *b)
{
	return leb(b, false);
}

int64_t sp_bytes_sleb(struct sp_bytes *b)
{
	return (int64_t)leb(b, true);
}

struct sp_bytes sp_bytes_take(struct sp_bytes *b, uint64_t size)
{
	struct sp_bytes taken = { b->at, b->at, false };

	if ((uint64_t)(b->end - b->at) < size) {
		b->bad = true;
		b->at = b->end;
		return taken;
	}
	b->at += size;
	taken.end = b->at;
	return taken;
}
