// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/format.h"

#include "runtime/base/directive.h"

#include <ctype.h>

enum format_result format_next(const char *text, uint32_t len, uint32_t *at, struct format_part *ret)
{
	const char *start = text + *at, *end = text + len, *p = start;
	struct sp_directive spec;

	*ret = (struct format_part){ .off = *at };
	if (p >= end)
		return FORMAT_END;
	if (*p != '%') {
		while (p < end && *p != '%')
			p++;
		ret->len = (uint32_t)(p - start);
		*at += ret->len;
		return FORMAT_PART;
	}
	p = sp_directive_parse_spec(p + 1, &spec);
	ret->spec_len = (uint32_t)(p - start);
	ret->star_width = spec.width == SP_DIRECTIVE_FROM_ARG;
	ret->star_precision = spec.precision == SP_DIRECTIVE_FROM_ARG;
	ret->width = SP_MAX(spec.width, SP_DIRECTIVE_UNSET);
	ret->precision = SP_MAX(spec.precision, SP_DIRECTIVE_UNSET);
	if (*p == 'l' && p[1] && strchr("diuxXo", p[1]))
		p++;
	ret->conversion = *p;
	ret->len = (uint32_t)(p - start) + (p < end);
	*at += ret->len;
	if (sp_directive_is_too_wide(&spec))
		return FORMAT_TOO_WIDE;
	if (!sp_directive_is_conversion(ret->conversion) || (ret->conversion == '%' && ret->spec_len > 1))
		return FORMAT_BAD;
	return FORMAT_PART;
}

// The length of one character in the source text: 1, or that of an escape such as `\n`.
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

bool format_may_have_nul(const struct ast_expr *format)
{
	struct format_part part;
	uint32_t at = 0;

	while (format_next(format->string.text, format->string.len, &at, &part) == FORMAT_PART)
		if (part.conversion && strchr("bmc", part.conversion))
			return true;
	return false;
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
		return whole; // the literal comes from a macro or an argument of the script
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
