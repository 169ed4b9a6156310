// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/format.h"

#include <ctype.h>

#define MAX_WIDTH 1000000 // wider is a mistake, and must not overflow

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct reader {
	const char *text;
	uint32_t at, len;
};

static char peek(const struct reader *r)
{
	return r->at < r->len ? r->text[r->at] : '\0';
}

static char peek_next(const struct reader *r)
{
	return r->at + 1 < r->len ? r->text[r->at + 1] : '\0';
}

static int number(struct reader *r)
{
	int n = 0;

	for (; is_digit(peek(r)); r->at++)
		if (n < MAX_WIDTH)
			n = n * 10 + (peek(r) - '0');
	return n;
}

static bool one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

enum format_result format_next(const char *text, uint32_t len, uint32_t *at, struct format_part *ret)
{
	struct reader r = { text, *at, len };

	*ret = (struct format_part){ .off = *at, .width = -1, .precision = -1 };
	if (r.at >= len)
		return FORMAT_END;
	if (text[r.at] != '%') {
		while (r.at < len && text[r.at] != '%')
			r.at++;
		ret->len = r.at - *at;
		*at = r.at;
		return FORMAT_PART;
	}
	r.at++;
	while (one_of(peek(&r), "-+ #0"))
		r.at++;
	if (peek(&r) == '*') {
		ret->star_width = true;
		r.at++;
	} else if (is_digit(peek(&r))) {
		ret->width = number(&r);
	}
	if (peek(&r) == '.') {
		r.at++;
		if (peek(&r) == '*') {
			ret->star_precision = true;
			r.at++;
		} else {
			ret->precision = number(&r);
		}
	}
	ret->spec_len = r.at - *at;
	if (peek(&r) == 'l' && one_of(peek_next(&r), "diuxXo"))
		r.at++;
	ret->conversion = peek(&r);
	if (r.at < len)
		r.at++;
	ret->len = r.at - *at;
	*at = r.at;
	if (ret->conversion == '%' && ret->spec_len > 1)
		return FORMAT_BAD;
	return one_of(ret->conversion, "diuxXocspbmMfeg%") ? FORMAT_PART : FORMAT_BAD;
}

// How long the source text of a byte is that stands at `s`: escapes are longer there than in the text.
static size_t source_len(const char *s, const char *end)
{
	const char *at = s + 1;

	if (*s != '\\' || at == end)
		return 1;
	if (*at >= '0' && *at <= '7') {
		for (int digits = 0; digits < 3 && at < end && *at >= '0' && *at <= '7'; digits++)
			at++;
	} else if (*at++ == 'x') {
		for (int digits = 0; digits < 2 && at < end && isxdigit((unsigned char)*at); digits++)
			at++;
	}
	return (size_t)(at - s);
}

struct span format_span(const struct source_map *sources, const struct ast_expr *literal,
			const struct format_part *part)
{
	struct span whole = literal->span;
	const char *start, *s, *end, *part_start = NULL;

	if (!whole.file)
		return whole;
	start = source_file(sources, whole.file)->text;
	s = start + whole.off;
	end = s + whole.len;
	if (whole.len < 2 || *s != '"')
		return whole; // made by a macro or an argument of the script
	s++;
	for (uint32_t at = 0; s < end && *s != '"' && at < part->off + part->len; at++) {
		if (at == part->off)
			part_start = s;
		s += source_len(s, end);
	}
	if (!part_start)
		return whole;
	return (struct span){ whole.file, (uint32_t)(part_start - start), (uint32_t)(s - part_start) };
}
