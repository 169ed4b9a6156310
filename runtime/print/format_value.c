// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/format_value.h"

#include "runtime/print/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int64_t format_value_bits(const struct sp_field *field, const void *record)
{
	uint64_t n = 0;
	unsigned unused = 64u - field->bit_size;

	memcpy(&n, (const char *)record + field->offset, field->size);
	n = n >> field->bit_off << unused;
	if (field->flags & SP_FIELD_SIGNED)
		return (int64_t)n >> unused;
	return (int64_t)(n >> unused);
}

static uint64_t without_sign(const struct sp_field *field, int64_t n)
{
	unsigned unused = 64u - field->bit_size;

	return (uint64_t)n << unused >> unused;
}

// The enumerators' type may have a sign where the value's has none, and the other way round.
static const struct sp_name *find_name(const struct bundle *bundle, const struct sp_field *field, int64_t n)
{
	unsigned unused = 64u - field->bit_size;
	int64_t with_sign = (int64_t)((uint64_t)n << unused) >> unused;

	for (const struct sp_name *name = &bundle->names[field->more];; name++) {
		if (name->value == with_sign || (uint64_t)name->value == without_sign(field, n))
			return name;
		if (!name->left)
			return NULL;
	}
}

bool format_value_is_shown(const struct bundle *bundle, const struct sp_field *field, const void *record)
{
	return (field->type == SP_WHEN) == (find_name(bundle, field, format_value_bits(field, record)) != NULL);
}

// As gdb does: "(READ | WRITE | unknown: 0x10)".
static void put_flags(struct sp_buf *out, const struct bundle *bundle, const struct sp_field *field, uint64_t bits)
{
	const char *before = "(";

	for (const struct sp_name *name = &bundle->names[field->more];; name++) {
		if (bits & (uint64_t)name->value) {
			sp_buf_printf(out, "%s%s", before, bundle_text(bundle, name->text));
			before = " | ";
			bits &= ~(uint64_t)name->value;
		}
		if (!name->left)
			break;
	}
	if (bits)
		sp_buf_printf(out, "%sunknown: 0x%" PRIx64, before, bits);
	sp_buf_putc(out, ')');
}

static void put_name(struct sp_buf *out, const struct bundle *bundle, const struct sp_field *field, const void *record)
{
	int64_t n = format_value_bits(field, record);
	const struct sp_name *name = find_name(bundle, field, n);

	if (name)
		sp_buf_puts(out, bundle_text(bundle, name->text));
	else if (field->flags & SP_FIELD_FLAGS && n)
		put_flags(out, bundle, field, without_sign(field, n));
	else if (field->flags & SP_FIELD_SIGNED)
		sp_buf_printf(out, "%" PRId64, n);
	else
		sp_buf_printf(out, "%" PRIu64, (uint64_t)n);
}

// The fewest digits that tell the number from its neighbours.
static void put_float(struct sp_buf *out, const struct sp_field *field, const void *record)
{
	bool is_single = field->size == sizeof(float) || field->more == sizeof(float);
	bool is_double = field->size == sizeof(double) || field->more == sizeof(double);
	const char *at = (const char *)record + field->offset;
	long double number = 0, back;
	char text[48];

	if (field->size == sizeof(float)) {
		float single;
		memcpy(&single, at, sizeof(single));
		number = (long double)single;
	} else if (field->size == sizeof(double)) {
		double twice;
		memcpy(&twice, at, sizeof(twice));
		number = (long double)twice;
	} else {
		memcpy(&number, at, SP_MIN(field->size, sizeof(number)));
		number = is_single ? (long double)(float)number : is_double ? (long double)(double)number : number;
	}
	for (int digits = 6; digits <= 36; digits++) {
		snprintf(text, sizeof(text), "%.*Lg", digits, number);
		back = is_single ? (long double)strtof(text, NULL) : is_double ? (long double)strtod(text, NULL) : strtold(text, NULL);
		if (back == number || number != number)
			break;
	}
	sp_buf_puts(out, text);
}

static void put_wide(struct sp_buf *out, const struct sp_field *field, const void *record)
{
	unsigned __int128 n;
	char text[48], *at = text + sizeof(text);
	bool is_negative;

	memcpy(&n, (const char *)record + field->offset, sizeof(n));
	is_negative = (field->flags & SP_FIELD_SIGNED) && n >> 127;
	if (is_negative)
		n = -n;
	*--at = '\0';
	do
		*--at = "0123456789abcdef"[n % field->more];
	while (n /= field->more);
	sp_buf_printf(out, "%s%s%s", is_negative ? "-" : "", field->more == 16 ? "0x" : "", at);
}

// As text_strn() writes it.
static void put_quoted(struct sp_buf *out, const char *s, size_t room, bool is_cut)
{
	static const char escapes[] = "\aa\bb\ff\nn\rr\tt\vv\\\\\"\"";
	size_t len = strnlen(s, room);

	sp_buf_putc(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *escape = NULL;

		for (const char *e = escapes; *e && !escape; e += 2)
			if ((unsigned char)*e == c)
				escape = e + 1;
		if (escape)
			sp_buf_printf(out, "\\%c", *escape);
		else if (c < 0x20 || c >= 0x7f)
			sp_buf_printf(out, "\\%03o", c);
		else
			sp_buf_putc(out, (char)c);
	}
	sp_buf_puts(out, is_cut ? "\"..." : "\"");
}

static void put_captured(struct sp_buf *out, const struct sp_field *field, const struct sp_captured *captured)
{
	size_t room = field->size - sizeof(*captured);

	if (captured->result < 0)
		sp_buf_printf(out, "0x%" PRIx64, captured->address);
	else
		put_quoted(out, captured->bytes, room - 1, (uint64_t)captured->result >= room);
}

void format_value(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols, const struct sp_field *field,
		  const void *record)
{
	const char *at = (const char *)record + field->offset;

	switch ((enum sp_type)field->type) {
	case SP_NAMED:
		put_name(out, bundle, field, record);
		break;
	case SP_FLOAT:
		put_float(out, field, record);
		break;
	case SP_QUOTED:
		put_quoted(out, at, field->size, false);
		break;
	case SP_CAPTURED:
		put_captured(out, field, (const void *)at);
		break;
	case SP_VALUE:
		if (((const struct sp_captured *)(const void *)at)->result < 0)
			sp_buf_puts(out, "ERROR");
		else
			format_record(out, bundle, symbols, &bundle->formats[field->more], record);
		break;
	case SP_WIDE:
		put_wide(out, field, record);
		break;
	case SP_LONG:
	case SP_STRING:
	case SP_SYMBOLS:
	case SP_BITS:
	case SP_WHEN:
	case SP_UNLESS:
	case SP_UNTIL:
	case SP_NAME:
	case SP_NAME_END:
	case SP_TYPE_COUNT:
		break;
	}
}

static bool are_bits(const struct sp_field *field)
{
	return field->size >= 1 && field->size <= 8 && field->bit_size >= 1 &&
	       field->bit_off + field->bit_size <= field->size * 8;
}

static bool is_captured(const struct sp_field *field)
{
	return field->offset % 8 == 0 && field->size > sizeof(struct sp_captured);
}

const char *format_value_check(const struct bundle *bundle, const struct sp_field *field)
{
	static const char broken[] = "wrong type or size";

	switch ((enum sp_type)field->type) {
	case SP_BITS:
		return are_bits(field) ? NULL : broken;
	case SP_NAMED:
	case SP_WHEN:
	case SP_UNLESS:
		if (!are_bits(field))
			return broken;
		return field->more < bundle->n_names ? NULL : "its names are out of range";
	case SP_FLOAT:
		if (field->more && field->more != sizeof(float) && field->more != sizeof(double))
			return broken;
		return field->size == 4 || field->size == 8 || field->size == 12 || field->size == sizeof(long double) ? NULL : broken;
	case SP_WIDE:
		return field->size == 16 && (field->more == 10 || field->more == 16) ? NULL : broken;
	case SP_NAME:
		return field->more < bundle->n_names ? NULL : "its name is out of range";
	case SP_QUOTED:
	case SP_UNTIL:
	case SP_NAME_END:
		return field->size ? NULL : broken;
	case SP_CAPTURED:
		return is_captured(field) ? NULL : broken;
	case SP_VALUE:
		if (!is_captured(field))
			return broken;
		if (field->more >= bundle->n_formats || bundle->formats[field->more].kind != SP_FORMAT_PART)
			return "its format is out of range";
		return NULL;
	case SP_LONG:
	case SP_STRING:
	case SP_SYMBOLS:
	case SP_TYPE_COUNT:
		break;
	}
	return broken;
}
