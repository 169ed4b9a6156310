// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/lines.h"

#include <string.h>

// A line: the length of its common beginning with the line before, the length of the rest, both as ULEB128, the rest.

static void put_number(struct sp_buf *out, size_t n)
{
	for (; n > 0x7f; n >>= 7)
		sp_buf_putc(out, (char)(n | 0x80));
	sp_buf_putc(out, (char)n);
}

static bool get_number(const uint8_t **at, const uint8_t *end, size_t *ret)
{
	size_t n = 0;

	for (unsigned shift = 0; *at < end && shift < 63; shift += 7) {
		uint8_t byte = *(*at)++;
		n |= (size_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = n;
			return true;
		}
	}
	return false;
}

void lines_pack(const char *text, size_t len, struct sp_buf *ret)
{
	const char *before = "", *end = text + len;
	size_t before_len = 0;

	for (const char *line = text, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t line_len = (size_t)((newline ? newline : end) - line), same = 0;

		while (same < line_len && same < before_len && line[same] == before[same])
			same++;
		put_number(ret, same);
		put_number(ret, line_len - same);
		sp_buf_add(ret, line + same, line_len - same);
		before = line;
		before_len = line_len;
		next = newline ? newline + 1 : end;
	}
}

bool lines_unpack(const uint8_t *bytes, size_t size, struct sp_buf *ret)
{
	const uint8_t *at = bytes, *end = bytes + size;
	size_t before = 0, before_len = 0; // where the line before is in *ret

	while (at < end) {
		size_t same, rest, start = ret->len;

		if (!get_number(&at, end, &same) || !get_number(&at, end, &rest) || same > before_len || rest > (size_t)(end - at))
			return false;
		sp_buf_fill(ret, '\0', same + rest + 1);
		memcpy(ret->data + start, ret->data + before, same);
		memcpy(ret->data + start + same, at, rest);
		ret->data[ret->len - 1] = '\n';
		at += rest;
		before = start;
		before_len = same + rest;
	}
	return true;
}
