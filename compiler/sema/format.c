// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/format.h"

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
	while (one_of(peek(&r), "hl")) // lengths mean nothing: every number has 64 bits
		r.at++;
	ret->conversion = peek(&r);
	if (r.at < len)
		r.at++;
	ret->len = r.at - *at;
	*at = r.at;
	return one_of(ret->conversion, "diuxXocspbmM%") ? FORMAT_PART : FORMAT_BAD;
}
