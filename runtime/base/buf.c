// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/buf.h"

#include <stdio.h>
#include <stdlib.h>

void sp_buf_deinit(struct sp_buf *buf)
{
	free(buf->data);
	*buf = (struct sp_buf){ 0 };
}

void sp_buf_clear(struct sp_buf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

static char *grow(struct sp_buf *buf, size_t more)
{
	size_t need = buf->len + more + 1;

	if (need > buf->cap) {
		buf->cap = SP_MAX(need, SP_MAX(buf->cap * 2, (size_t)64));
		buf->data = sp_realloc(buf->data, buf->cap);
	}
	return buf->data + buf->len;
}

void sp_buf_add(struct sp_buf *buf, const void *data, size_t len)
{
	char *at = grow(buf, len);

	if (len)
		memcpy(at, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void sp_buf_puts(struct sp_buf *buf, const char *s)
{
	sp_buf_add(buf, s, strlen(s));
}

void sp_buf_putc(struct sp_buf *buf, char c)
{
	sp_buf_add(buf, &c, 1);
}

void sp_buf_fill(struct sp_buf *buf, char c, size_t count)
{
	memset(grow(buf, count), c, count);
	buf->len += count;
	buf->data[buf->len] = '\0';
}

void sp_buf_vprintf(struct sp_buf *buf, const char *fmt, va_list args)
{
	va_list again;

	va_copy(again, args);
	char *at = grow(buf, 0);
	size_t room = buf->cap - buf->len;
	int len = vsnprintf(at, room, fmt, args);
	if (len >= 0 && (size_t)len >= room)
		vsnprintf(grow(buf, (size_t)len), (size_t)len + 1, fmt, again);
	if (len > 0)
		buf->len += (size_t)len;
	va_end(again);
}

void sp_buf_printf(struct sp_buf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(buf, fmt, args);
	va_end(args);
}

bool sp_buf_escape(struct sp_buf *buf, char c)
{
	static const char special[] = "\n\t\"\\", letters[] = "nt\"\\";
	const char *at = c ? strchr(special, c) : NULL;

	if (at)
		sp_buf_printf(buf, "\\%c", letters[at - special]);
	return at;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void sp_buf_quoted(struct sp_buf *buf, const char *s, size_t len)
{
	const char *end = s + len;

	for (const char *at = s; at < end; s = ++at) {
		while (at < end && is_plain((unsigned char)*at))
			at++;
		sp_buf_add(buf, s, (size_t)(at - s));
		if (at == end)
			break;
		if (!sp_buf_escape(buf, *at))
			sp_buf_printf(buf, "\\%03o", (unsigned char)*at);
	}
}

size_t sp_utf8_len(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	static const struct {
		unsigned char lo, hi, lo2, hi2, len;
	} rows[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	if (s[0] < 0x80)
		return 1;
	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++) {
		if (s[0] < rows[i].lo || s[0] > rows[i].hi)
			continue;
		if (s[1] < rows[i].lo2 || s[1] > rows[i].hi2)
			return 0;
		for (size_t k = 2; k < rows[i].len; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return rows[i].len;
	}
	return 0;
}

const char *sp_buf_str(const struct sp_buf *buf)
{
	return buf->data ? buf->data : "";
}

char *sp_buf_take(struct sp_buf *buf)
{
	char *data;

	grow(buf, 0)[0] = '\0';
	data = buf->data;
	*buf = (struct sp_buf){ 0 };
	return data;
}
