// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/format.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/directive.h"
#include "runtime/print/format_value.h"

// %s takes strings and parts of C values that have a text, %m and %M strings alone, all others numbers.
static bool fits(char conversion, uint8_t type)
{
	if (conversion == 's')
		return type != SP_LONG && type != SP_BITS;
	if (conversion == 'm' || conversion == 'M')
		return type == SP_STRING;
	return type == SP_LONG || type == SP_BITS;
}

static bool is_condition(const struct sp_field *arg)
{
	return arg->type == SP_WHEN || arg->type == SP_UNLESS;
}

const char *format_check(const char *text, const struct sp_field *args, unsigned n_args)
{
	unsigned n = 0, depth = 0;
	bool is_named = false;

	while ((text = strchr(text, '%'))) {
		struct sp_directive d;
		int n_stars;

		text = sp_directive_parse(text + 1, &d);
		if (!text)
			return "an unknown printf directive";
		if (d.conversion == '%')
			continue;
		n_stars = (d.width == SP_DIRECTIVE_FROM_ARG) + (d.precision == SP_DIRECTIVE_FROM_ARG);
		for (; n_stars > 0; n_stars--)
			if (n >= n_args || args[n++].type != SP_LONG)
				return "`*` in a printf directive without a number";
		if (n >= n_args)
			return "too few arguments for the printf directives";
		if (!fits(d.conversion, args[n].type))
			return "an argument's type does not fit its printf directive";
		if ((args[n].type == SP_NAME && is_named) || (args[n].type == SP_NAME_END && !is_named))
			return "a value's name is in another one, or ends twice";
		is_named = args[n].type == SP_NAME || (is_named && args[n].type != SP_NAME_END);
		if (args[n].type == SP_UNTIL && !depth--)
			return "what depends on a number ends twice";
		depth += is_condition(&args[n++]);
	}
	if (is_named)
		return "a value's name has no end";
	if (depth)
		return "what depends on a number has no end";
	return n == n_args ? NULL : "too many arguments for the printf directives";
}

static void put_padded(struct sp_buf *out, const struct sp_directive *d, const char *s, size_t len)
{
	size_t fill = d->width > 0 && (size_t)d->width > len ? (size_t)d->width - len : 0;

	if (!(d->flags & SP_DIRECTIVE_LEFT))
		sp_buf_fill(out, ' ', fill);
	sp_buf_add(out, s, len);
	if (d->flags & SP_DIRECTIVE_LEFT)
		sp_buf_fill(out, ' ', fill);
}

// These write the digits of `n` backwards from `end`, and return their start. 0 has no digits.
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
static void put_number(struct sp_buf *out, const struct sp_directive *d, const char *prefix,
		       const char *digits_at, size_t n_digits)
{
	size_t prefix_len = strlen(prefix);
	size_t least = d->precision == SP_DIRECTIVE_UNSET ? 1 : (size_t)d->precision;
	size_t zeros = least > n_digits ? least - n_digits : 0;
	size_t len = prefix_len + zeros + n_digits;
	size_t fill = d->width > 0 && (size_t)d->width > len ? (size_t)d->width - len : 0;

	// As in C, a precision makes the flag 0 void.
	if ((d->flags & (SP_DIRECTIVE_ZERO | SP_DIRECTIVE_LEFT)) == SP_DIRECTIVE_ZERO && d->precision == SP_DIRECTIVE_UNSET) {
		zeros += fill;
		fill = 0;
	}
	if (!(d->flags & SP_DIRECTIVE_LEFT))
		sp_buf_fill(out, ' ', fill);
	sp_buf_add(out, prefix, prefix_len);
	sp_buf_fill(out, '0', zeros);
	sp_buf_add(out, digits_at, n_digits);
	if (d->flags & SP_DIRECTIVE_LEFT)
		sp_buf_fill(out, ' ', fill);
}

static void put_integer(struct sp_buf *out, const struct sp_directive *d, uint64_t n)
{
	char text[24], *end = text + sizeof(text), *start;
	const char *prefix = "";

	switch (d->conversion) {
	case 'd':
	case 'i':
		if ((int64_t)n < 0) {
			prefix = "-";
			n = -n;
		} else if (d->flags & SP_DIRECTIVE_PLUS) {
			prefix = "+";
		} else if (d->flags & SP_DIRECTIVE_SPACE) {
			prefix = " ";
		}
		start = decimal(end, n);
		break;
	case 'o':
		start = octal(end, n);
		// The language's rule is "a 0 in front"; a lone 0 has it already.
		if ((d->flags & SP_DIRECTIVE_ALTERNATE) && n)
			prefix = "0";
		break;
	case 'p':
		prefix = "0x";
		start = hexadecimal(end, n, false);
		break;
	case 'x':
	case 'X':
		// Unlike C, also in front of 0.
		if (d->flags & SP_DIRECTIVE_ALTERNATE)
			prefix = d->conversion == 'x' ? "0x" : "0X";
		start = hexadecimal(end, n, d->conversion == 'X');
		break;
	default:
		start = decimal(end, n);
		break;
	}
	put_number(out, d, prefix, start, (size_t)(end - start));
}

static void put_char(struct sp_buf *out, const struct sp_directive *d, unsigned char c, bool to_string)
{
	static const char escapes[] = "\aa\bb\ff\nn\rr\tt\vv\\\\''";
	char text[4] = { (char)c };
	size_t len = c || !to_string;

	if (d->flags & SP_DIRECTIVE_ALTERNATE) {
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

static bool is_number_size(int n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

// The value's low bytes as they are in memory, and NULs up to the width.
static void put_binary(struct sp_buf *out, const struct sp_directive *d, uint64_t n, bool to_string)
{
	int size = is_number_size(d->precision) ? d->precision : is_number_size(d->width) ? d->width : 8;
	size_t len = (size_t)size, fill = d->width > size ? (size_t)(d->width - size) : 0;
	bool left = d->flags & SP_DIRECTIVE_LEFT;

	if (to_string) {
		len = fill && !left ? 0 : strnlen((const char *)&n, len);
		fill = 0;
	}
	if (!left)
		sp_buf_fill(out, '\0', fill);
	sp_buf_add(out, &n, len);
	if (left)
		sp_buf_fill(out, '\0', fill);
}

static void put_memory(struct sp_buf *out, const struct sp_directive *d, const unsigned char *bytes,
		       size_t room, bool to_string)
{
	static const char set[] = "0123456789abcdef";
	size_t len = d->precision == SP_DIRECTIVE_UNSET ? 1 : (size_t)d->precision;
	struct sp_buf hex = { 0 };

	len = SP_MIN(len, room);
	if (d->conversion == 'm') {
		if (to_string)
			len = strnlen((const char *)bytes, len);
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

	if (field->type == SP_BITS)
		return format_value_bits(field, record);
	memcpy(&n, (const char *)record + field->offset, sizeof(n));
	return n;
}

// The number for a `*`. A negative width is the flag `-`; a negative precision is none.
static void resolve_stars(struct sp_directive *d, const void *record, const struct sp_field **arg)
{
	if (d->width == SP_DIRECTIVE_FROM_ARG) {
		int64_t n = long_arg(record, (*arg)++);

		if (n < 0) {
			d->flags |= SP_DIRECTIVE_LEFT;
			n = n < -SP_DIRECTIVE_MAX_WIDTH ? SP_DIRECTIVE_MAX_WIDTH : -n;
		}
		d->width = (int)SP_MIN(n, (int64_t)SP_DIRECTIVE_MAX_WIDTH);
	}
	if (d->precision == SP_DIRECTIVE_FROM_ARG) {
		int64_t n = long_arg(record, (*arg)++);

		d->precision = n < 0 ? SP_DIRECTIVE_UNSET : (int)SP_MIN(n, (int64_t)SP_DIRECTIVE_MAX_WIDTH);
	}
}

// The number's bits are those of a double.
static void put_float(struct sp_buf *out, const struct sp_directive *d, uint64_t bits)
{
	char spec[] = "%+ #-0*.*f", *at = spec + 1;
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (d->flags & SP_DIRECTIVE_PLUS)
		*at++ = '+';
	if (d->flags & SP_DIRECTIVE_SPACE)
		*at++ = ' ';
	if (d->flags & SP_DIRECTIVE_ALTERNATE)
		*at++ = '#';
	if (d->flags & SP_DIRECTIVE_LEFT)
		*at++ = '-';
	if (d->flags & SP_DIRECTIVE_ZERO)
		*at++ = '0';
	memcpy(at, "*.*", 3);
	at[3] = d->conversion;
	at[4] = '\0';
	// Both stars take an int; a precision below 0 is none.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	sp_buf_printf(out, spec, SP_MAX(d->width, 0), d->precision, number);
#pragma GCC diagnostic pop
}

static void put_string(struct sp_buf *out, const struct sp_directive *d, const char *s, size_t room)
{
	if (d->precision != SP_DIRECTIVE_UNSET)
		room = SP_MIN(room, (size_t)d->precision);
	put_padded(out, d, s, strnlen(s, room));
}

static void put_text(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols,
		     const struct sp_directive *d, const struct sp_field *field, const void *record)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const char *at = (const char *)record + field->offset;

	if (field->type == SP_STRING) {
		put_string(out, d, at, field->size);
		return;
	}
	if (field->type == SP_SYMBOLS)
		symbols_put(&text, symbols, at, field->size);
	else
		format_value(&text, bundle, symbols, field, record);
	put_string(out, d, sp_buf_str(&text), text.len);
}

static void put_directive(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols, const struct sp_format *format,
			  const struct sp_directive *d, const struct sp_field *arg, const void *record)
{
	bool to_string = format->kind == SP_FORMAT_STRING; // which has no NUL: it ends what %b and %m print, and is left out for %c

	if (d->conversion == 's')
		put_text(out, bundle, symbols, d, arg, record);
	else if (d->conversion == 'm' || d->conversion == 'M')
		put_memory(out, d, (const unsigned char *)record + arg->offset, arg->size, to_string);
	else if (d->conversion == 'c')
		put_char(out, d, (unsigned char)long_arg(record, arg), to_string);
	else if (strchr("feg", d->conversion))
		put_float(out, d, (uint64_t)long_arg(record, arg));
	else if (d->conversion == 'b')
		put_binary(out, d, (uint64_t)long_arg(record, arg), to_string);
	else
		put_integer(out, d, (uint64_t)long_arg(record, arg));
}

// ---- values ---------------------------------------------------------------------------------------------------------

static void begin_value(struct format_value *value, const struct bundle *bundle, const struct sp_field *name, size_t start)
{
	*value = (struct format_value){ .name = bundle_text(bundle, bundle->names[name->more].text), .start = start,
					.is_number = name->flags & SP_FIELD_NUMBER, .is_signed = name->flags & SP_FIELD_SIGNED };
}

static void end_value(const struct format_listener *listener, struct format_value *value, size_t end)
{
	value->len = end - value->start;
	if (value->part_len != value->len)
		value->only = NULL;
	if (listener)
		listener->value(listener->ctx, value);
	*value = (struct format_value){ 0 };
}

// A directive has printed from `start` to `end`. Without a name it is a value of its own.
static void add_part(const struct format_listener *listener, struct format_value *value, const struct sp_field *arg,
		     const struct sp_directive *d, size_t start, size_t end)
{
	if (!value->name)
		value->start = start;
	value->only = value->has_part ? NULL : arg;
	value->has_part = true;
	value->part_len = end - start;
	value->conversion = d->conversion;
	if (!value->name)
		end_value(listener, value, end);
}

void format_values(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols, const struct sp_format *format,
		   const void *record, const struct format_listener *listener)
{
	const struct sp_field *arg = &bundle->fields[format->first_arg];
	const char *p = bundle_text(bundle, format->text);
	struct format_value value = { 0 };
	unsigned hidden = 0; // how many conditions are around what is not printed

	for (;;) {
		const char *percent = strchr(p, '%');
		struct sp_directive d;
		size_t start;

		if (!hidden)
			sp_buf_add(out, p, percent ? (size_t)(percent - p) : strlen(p));
		if (!percent)
			return;
		p = sp_directive_parse(percent + 1, &d);
		if (!p)
			return; // not after format_check
		if (d.conversion == '%') {
			if (!hidden)
				sp_buf_putc(out, '%');
			continue;
		}
		resolve_stars(&d, record, &arg);
		start = out->len;
		if (is_condition(arg)) {
			hidden += hidden || !format_value_is_shown(bundle, arg, record);
		} else if (hidden) {
			hidden -= arg->type == SP_UNTIL;
		} else if (arg->type == SP_NAME) {
			begin_value(&value, bundle, arg, start);
		} else if (arg->type == SP_NAME_END) {
			end_value(listener, &value, start);
		} else if (arg->type != SP_UNTIL) {
			put_directive(out, bundle, symbols, format, &d, arg, record);
			add_part(listener, &value, arg, &d, start, out->len);
		}
		arg++;
	}
}

void format_record(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols, const struct sp_format *format,
		   const void *record)
{
	format_values(out, bundle, symbols, format, record, NULL);
}
