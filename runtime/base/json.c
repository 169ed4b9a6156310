// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/json.h"

static void put_text(struct sp_buf *out, const char *s, size_t size)
{
	const char *end = s + size;

	sp_buf_putc(out, '"');
	while (s < end) {
		size_t len = sp_utf8_len(s);
		unsigned char c = (unsigned char)*s;

		if (len == 0) {
			sp_buf_puts(out, "\\ufffd");
			len = 1;
		} else if (!sp_buf_escape(out, *s)) {
			if (c < 0x20)
				sp_buf_printf(out, "\\u%04x", c);
			else
				sp_buf_add(out, s, len);
		}
		s += len;
	}
	sp_buf_putc(out, '"');
}

// Texts end with a quote, so a last byte that is a bracket or a newline is not one of a text.
static void begin_value(struct sp_buf *out, const char *key)
{
	if (out->len && !strchr("{[\n", out->data[out->len - 1]))
		sp_buf_putc(out, ',');
	if (!key)
		return;
	put_text(out, key, strlen(key));
	sp_buf_putc(out, ':');
}

void sp_json_begin(struct sp_buf *out, const char *key, char bracket)
{
	begin_value(out, key);
	sp_buf_putc(out, bracket);
}

void sp_json_end(struct sp_buf *out, char bracket)
{
	sp_buf_putc(out, bracket);
}

void sp_json_text(struct sp_buf *out, const char *key, const char *text)
{
	begin_value(out, key);
	if (text)
		put_text(out, text, strlen(text));
	else
		sp_buf_puts(out, "null");
}

void sp_json_bytes(struct sp_buf *out, const char *key, const char *bytes, size_t len)
{
	begin_value(out, key);
	put_text(out, bytes, len);
}

void sp_json_literal(struct sp_buf *out, const char *key, const char *text, size_t len)
{
	begin_value(out, key);
	sp_buf_add(out, text, len);
}

void sp_json_number(struct sp_buf *out, const char *key, int64_t number)
{
	begin_value(out, key);
	sp_buf_printf(out, "%lld", (long long)number);
}

void sp_json_unsigned(struct sp_buf *out, const char *key, uint64_t number)
{
	begin_value(out, key);
	sp_buf_printf(out, "%llu", (unsigned long long)number);
}

void sp_json_bool(struct sp_buf *out, const char *key, bool value)
{
	begin_value(out, key);
	sp_buf_puts(out, value ? "true" : "false");
}
