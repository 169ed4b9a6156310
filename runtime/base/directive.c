// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/directive.h"

#include <string.h>

// A number that is too large becomes one more than the largest.
static const char *parse_number(const char *p, int *ret)
{
	int n = 0;

	if (*p == '*') {
		*ret = SP_DIRECTIVE_FROM_ARG;
		return p + 1;
	}
	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (*p - '0');
		if (n > SP_DIRECTIVE_MAX_WIDTH)
			n = SP_DIRECTIVE_MAX_WIDTH + 1;
	}
	*ret = n;
	return p;
}

const char *sp_directive_parse_spec(const char *p, struct sp_directive *ret)
{
	*ret = (struct sp_directive){ .width = SP_DIRECTIVE_UNSET, .precision = SP_DIRECTIVE_UNSET };
	for (;; p++) {
		if (*p == '-')
			ret->flags |= SP_DIRECTIVE_LEFT;
		else if (*p == '+')
			ret->flags |= SP_DIRECTIVE_PLUS;
		else if (*p == ' ')
			ret->flags |= SP_DIRECTIVE_SPACE;
		else if (*p == '#')
			ret->flags |= SP_DIRECTIVE_ALTERNATE;
		else if (*p == '0')
			ret->flags |= SP_DIRECTIVE_ZERO;
		else
			break;
	}
	if (*p == '*' || (*p >= '1' && *p <= '9'))
		p = parse_number(p, &ret->width);
	if (*p == '.')
		p = parse_number(p + 1, &ret->precision);
	return p;
}

bool sp_directive_is_too_wide(const struct sp_directive *d)
{
	return d->width > SP_DIRECTIVE_MAX_WIDTH || d->precision > SP_DIRECTIVE_MAX_WIDTH;
}

bool sp_directive_is_conversion(char c)
{
	return c && strchr("diuxXocspbmMfeg%", c);
}

const char *sp_directive_parse(const char *p, struct sp_directive *ret)
{
	p = sp_directive_parse_spec(p, ret);
	if (sp_directive_is_too_wide(ret) || !sp_directive_is_conversion(*p))
		return NULL;
	ret->conversion = *p;
	return p + 1;
}
