// SPDX-License-Identifier: GPL-2.0-or-later
/** Bytes as a text that can be kept in the tree, made of a file with
 *
 *	{ echo "size $(stat -c %s FILE)"; xxd -g 1 -c 32 FILE | sed 's,  .*,,' | grep -v ':\( 00\)* *$'; }
 *
 *  where bytes that are not given are 0. */
#ifndef SP_FUZZ_HEX_TEXT_H
#define SP_FUZZ_HEX_TEXT_H

#include "runtime/base/util.h"

#include <stdlib.h>

#define HEX_TEXT_MAX (1 << 20)

static bool hex_text_is(const uint8_t *data, size_t size)
{
	return size > 5 && memcmp(data, "size ", 5) == 0;
}

/** The bytes that a text gives, to be freed; NULL: it is not such a text. */
static uint8_t *hex_text_bytes(const uint8_t *data, size_t size, size_t *size_ret)
{
	char *text = sp_strndup((const char *)data, size), *at, *end;
	size_t total = strtoul(text + 5, &at, 10), off;
	uint8_t *bytes = total && total <= HEX_TEXT_MAX ? sp_calloc(1, total) : NULL;

	for (; bytes && *at == '\n' && at[1]; at = end) {
		off = strtoul(at + 1, &end, 16);
		if (*end++ != ':')
			break;
		while (*end == ' ' && off < total)
			bytes[off++] = (uint8_t)strtoul(end + 1, &end, 16);
	}
	bool ok = bytes && (*at == '\n' || !*at);
	free(text);
	if (!ok) {
		free(bytes);
		return NULL;
	}
	*size_ret = total;
	return bytes;
}

/** Puts the bytes that a text gives in its place, as far as there is room. Returns how many; 0 for a broken text. */
static size_t hex_text_unpack(uint8_t *data, size_t size, size_t max_size)
{
	uint8_t *bytes;

	if (!hex_text_is(data, size))
		return size;
	bytes = hex_text_bytes(data, size, &size);
	size = bytes ? SP_MIN(size, max_size) : 0;
	if (bytes)
		memcpy(data, bytes, size);
	free(bytes);
	return size;
}

#endif
