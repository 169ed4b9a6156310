// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/format.h"

// As long as a line of output can be in other implementations; protects from `%999999999d` in a damaged file.
#define MAX_WIDTH 8192
#define FROM_ARG (-2) // `*`
#define UNSET (-1)

enum flag { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZERO = 16 };

struct directive {
	unsigned flags;
	int width, precision; // UNSET, FROM_ARG, or the number
	char conversion;
};

static const char *parse_number(const char *p, int *ret)
{
	int n = 0;

	if (*p == '*') {
		*ret = FROM_ARG;
		return p + 1;
	}
	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (*p - '0');
		if (n > MAX_WIDTH)
			return NULL;
	}
	*ret = n;
	return p;
}

// `p` is behind the '%'. Returns what follows the directive, NULL when it is none.
static const char *parse_directive(const char *p, struct directive *ret)
{
	*ret = (struct directive){ .width = UNSET, .precision = UNSET };
	for (;; p++) {
		if (*p == '-')
			ret->flags |= LEFT;
		else if (*p == '+')
			ret->flags |= PLUS;
		else if (*p == ' ')
			ret->flags |= SPACE;
		else if (*p == '#')
			ret->flags |= ALTERNATE;
		else if (*p == '0')
			ret->flags |= ZERO;
		else
			break;
	}
	if (*p == '*' || (*p >= '1' && *p <= '9')) {
		p = parse_number(p, &ret->width);
		if (!p)
			return NULL;
	}
	if (*p == '.') {
		p = parse_number(p + 1, &ret->precision);
		if (!p)
			return NULL;
	}
	if (!*p || !strchr("diuxXocspbmM%", *p))
		return NULL;
	ret->conversion = *p;
	return p + 1;
}

static bool wants_string(char conversion)
{
	return conversion == 's' || conversion == 'm' || conversion == 'M';
}

const char *format_check(const char *text, const struct sp_field *args, unsigned n_args)
{
	unsigned n = 0;

	while ((text = strchr(text, '%'))) {
		struct directive d;

		text = parse_directive(text + 1, &d);
		if (!text)
			return "an unknown printf directive";
		if (d.conversion == '%')
			continue;
		if (d.conversion == 'b' && d.width >= 0 && d.width != 1 && d.width != 2 &&
		    d.width != 4 && d.width != 8)
			return "%b takes a width of 1, 2, 4 or 8";
		for (int stars = (d.width == FROM_ARG) + (d.precision == FROM_ARG); stars > 0; stars--)
			if (n >= n_args || args[n++].type != SP_LONG)
				return "`*` in a printf directive without a number";
		if (n >= n_args)
			return "too few arguments for the printf directives";
		if ((args[n++].type == SP_STRING) != wants_string(d.conversion))
			return "an argument's type does not fit its printf directive";
	}
	return n == n_args ? NULL : "too many arguments for the printf directives";
}

static void put_padded(struct sp_buf *out, const struct directive *d, const char *s, size_t len)
{
	size_t fill = d->width > 0 && (size_t)d->width > len ? (size_t)d->width - len : 0;

	if (!(d->flags & LEFT))
		sp_buf_fill(out, ' ', fill);
	sp_buf_add(out, s, len);
	if (d->flags & LEFT)
		sp_buf_fill(out, ' ', fill);
}

// Digits of `n`, written backwards from `end`; each returns their start. 0 has no digits.
static char *decimal(char *end, uint64_t n)
{
	for (; n; n /= 10)
		*--end = (char)('0' + n % 10);
	return end;
}

static char *octal(char *end, uint64_t n)
{
	for (; n; n >>= 3)
		*--end = (char)('0' + (n & 7));
	return end;
}

static char *hexadecimal(char *end, uint64_t n, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	for (; n; n >>= 4)
		*--end = set[n & 15];
	return end;
}

// Order of a number: spaces, sign or 0x, zeros, digits, spaces.
static void put_number(struct sp_buf *out, const struct directive *d, const char *prefix,
		       const char *digits_at, size_t n_digits)
{
	size_t prefix_len = strlen(prefix);
	size_t least = d->precision == UNSET ? 1 : (size_t)d->precision;
	size_t zeros = least > n_digits ? least - n_digits : 0;
	size_t len = prefix_len + zeros + n_digits;
	size_t fill = d->width > 0 && (size_t)d->width > len ? (size_t)d->width - len : 0;

	// As in C, a precision makes the flag 0 void.
	if ((d->flags & (ZERO | LEFT)) == ZERO && d->precision == UNSET) {
		zeros += fill;
		fill = 0;
	}
	if (!(d->flags & LEFT))
		sp_buf_fill(out, ' ', fill);
	sp_buf_add(out, prefix, prefix_len);
	sp_buf_fill(out, '0', zeros);
	sp_buf_add(out, digits_at, n_digits);
	if (d->flags & LEFT)
		sp_buf_fill(out, ' ', fill);
}

static void put_integer(struct sp_buf *out, const struct directive *d, uint64_t n)
{
	char text[24], *end = text + sizeof(text), *start;
	const char *prefix = "";

	switch (d->conversion) {
	case 'd':
	case 'i':
		if ((int64_t)n < 0) {
			prefix = "-";
			n = -n;
		} else if (d->flags & PLUS) {
			prefix = "+";
		} else if (d->flags & SPACE) {
			prefix = " ";
		}
		start = decimal(end, n);
		break;
	case 'o':
		start = octal(end, n);
		// The language's rule is "a 0 in front"; a lone 0 has it already.
		if ((d->flags & ALTERNATE) && n)
			prefix = "0";
		break;
	case 'p':
		prefix = "0x";
		start = hexadecimal(end, n, false);
		break;
	case 'x':
	case 'X':
		// Unlike C, also in front of 0.
		if (d->flags & ALTERNATE)
			prefix = d->conversion == 'x' ? "0x" : "0X";
		start = hexadecimal(end, n, d->conversion == 'X');
		break;
	default:
		start = decimal(end, n);
		break;
	}
	put_number(out, d, prefix, start, (size_t)(end - start));
}

static void put_char(struct sp_buf *out, const struct directive *d, unsigned char c)
{
	static const char escapes[] = "\aa\bb\ff\nn\rr\tt\vv\\\\''";
	char text[4] = { (char)c };
	size_t len = c != 0;

	if (d->flags & ALTERNATE) {
		const char *escape = NULL;

		for (const char *e = escapes; *e && !escape; e += 2)
			if ((unsigned char)*e == c)
				escape = e + 1;
		if (escape) {
			text[0] = '\\';
			text[1] = *escape;
			len = 2;
		} else if (c < 0x20 || c >= 0x7f) {
			text[0] = '\\';
			text[1] = (char)('0' + (c >> 6));
			text[2] = (char)('0' + (c >> 3 & 7));
			text[3] = (char)('0' + (c & 7));
			len = 4;
		}
	}
	put_padded(out, d, text, len);
}

// The value's low bytes as they are in memory.
static void put_binary(struct sp_buf *out, const struct directive *d, uint64_t n)
{
	size_t len = d->width == 1 || d->width == 2 || d->width == 4 ? (size_t)d->width : 8;

	sp_buf_add(out, &n, len);
}

static void put_memory(struct sp_buf *out, const struct directive *d, const unsigned char *bytes,
		       size_t room)
{
	static const char set[] = "0123456789abcdef";
	size_t len = d->precision == UNSET ? 1 : (size_t)d->precision;
	struct sp_buf hex = { 0 };

	len = SP_MIN(len, room);
	if (d->conversion == 'm') {
		put_padded(out, d, (const char *)bytes, len);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		sp_buf_putc(&hex, set[bytes[i] >> 4]);
		sp_buf_putc(&hex, set[bytes[i] & 15]);
	}
	put_padded(out, d, sp_buf_str(&hex), hex.len);
	sp_buf_deinit(&hex);
}

static int64_t long_arg(const void *record, const struct sp_field *field)
{
	int64_t n;

	memcpy(&n, (const char *)record + field->offset, sizeof(n));
	return n;
}

// A number for `*`. Negative: the flag `-` for a width, no precision at all.
static void resolve_stars(struct directive *d, const void *record, const struct sp_field **arg)
{
	if (d->width == FROM_ARG) {
		int64_t n = long_arg(record, (*arg)++);

		if (n < 0) {
			d->flags |= LEFT;
			n = n < -MAX_WIDTH ? MAX_WIDTH : -n;
		}
		d->width = (int)SP_MIN(n, (int64_t)MAX_WIDTH);
	}
	if (d->precision == FROM_ARG) {
		int64_t n = long_arg(record, (*arg)++);

		d->precision = n < 0 ? UNSET : (int)SP_MIN(n, (int64_t)MAX_WIDTH);
	}
}

static void put_string(struct sp_buf *out, const struct directive *d, const char *s, size_t room)
{
	if (d->precision != UNSET)
		room = SP_MIN(room, (size_t)d->precision);
	put_padded(out, d, s, strnlen(s, room));
}

void format_record(struct sp_buf *out, const struct bundle *bundle, const struct sp_format *format,
		   const void *record)
{
	const struct sp_field *arg = &bundle->fields[format->first_arg];
	const char *p = bundle_text(bundle, format->text);

	for (;;) {
		const char *percent = strchr(p, '%');
		struct directive d;
		const char *at;

		sp_buf_add(out, p, percent ? (size_t)(percent - p) : strlen(p));
		if (!percent)
			return;
		p = parse_directive(percent + 1, &d);
		if (!p)
			return; // not after format_check
		if (d.conversion == '%') {
			sp_buf_putc(out, '%');
			continue;
		}
		resolve_stars(&d, record, &arg);
		at = (const char *)record + arg->offset;
		if (d.conversion == 's')
			put_string(out, &d, at, arg->size);
		else if (d.conversion == 'm' || d.conversion == 'M')
			put_memory(out, &d, (const unsigned char *)at, arg->size);
		else if (d.conversion == 'c')
			put_char(out, &d, (unsigned char)long_arg(record, arg));
		else if (d.conversion == 'b')
			put_binary(out, &d, (uint64_t)long_arg(record, arg));
		else
			put_integer(out, &d, (uint64_t)long_arg(record, arg));
		arg++;
	}
}
