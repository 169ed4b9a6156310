// SPDX-License-Identifier: GPL-2.0-or-later
/** Reads bytes of DWARF one after the other. For dw_scan.c, whose speed is that of these functions: they are inlined. */
#ifndef SP_DEBUG_DW_READER_H
#define SP_DEBUG_DW_READER_H

#include "runtime/base/util.h"

#include <string.h>

/** At the end, or when something does not fit, `ok` turns false and what is read is 0. */
struct dw_reader {
	const uint8_t *at, *end;
	bool ok;
};

// Inlined into get() with a constant size, it becomes one load.
static inline uint64_t get_bytes(struct dw_reader *r, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < size) {
		r->ok = false;
		r->at = r->end;
		return 0;
	}
	memcpy(&value, r->at, size);
	r->at += size;
	return value;
}

static inline uint64_t get(struct dw_reader *r, unsigned size)
{
	switch (size) {
	case 1:
		return get_bytes(r, 1);
	case 2:
		return get_bytes(r, 2);
	case 4:
		return get_bytes(r, 4);
	default:
		return get_bytes(r, size);
	}
}

static inline uint64_t get_leb(struct dw_reader *r)
{
	uint64_t value = 0;

	if (r->at < r->end && *r->at < 0x80)
		return *r->at++;
	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		uint8_t byte = *r->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	r->ok = false;
	return 0;
}

static inline void skip(struct dw_reader *r, uint64_t size)
{
	if ((uint64_t)(r->end - r->at) < size) {
		r->ok = false;
		size = r->end - r->at;
	}
	r->at += size;
}

static inline const char *get_string(struct dw_reader *r)
{
	const uint8_t *nul = memchr(r->at, 0, r->end - r->at);
	const char *string = (const char *)r->at;

	if (!nul) {
		r->ok = false;
		r->at = r->end;
		return NULL;
	}
	r->at = nul + 1;
	return string;
}

#endif
