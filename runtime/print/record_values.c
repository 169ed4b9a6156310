// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/record_values.h"

#include "runtime/print/format.h"
#include "runtime/print/format_value.h"

#include <ctype.h>
#include <stdio.h>

struct values {
	const struct record *r;
	const struct record_sink *sink;
	const struct sp_buf *text;
	unsigned n; // values so far
};

static bool is_stack(enum sp_symbol_text text)
{
	return text == SP_SYMBOL_HEX || text == SP_SYMBOL_BRIEF || text == SP_SYMBOL_SIMPLE || text == SP_SYMBOL_FULL ||
	       text == SP_SYMBOL_FULLER;
}

// False: it is a text about an address.
static bool put_stack(struct values *v, const char *key, const struct sp_field *field)
{
	const char *at = (const char *)v->r->bytes + field->offset;
	struct sp_symbols head;

	if (field->size < sizeof(head))
		return false;
	memcpy(&head, at, sizeof(head));
	if (!is_stack((enum sp_symbol_text)head.text))
		return false;
	v->sink->stack(v->sink->ctx, key, at, field->size);
	return true;
}

static void put_bytes(struct values *v, const char *key, const char *bytes, size_t room)
{
	v->sink->text(v->sink->ctx, key, bytes, strnlen(bytes, room), false);
}

static void put_double(struct values *v, const char *key, int64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	v->sink->real(v->sink->ctx, key, number);
}

// Is it how JSON writes numbers? "inf", "0x12" and what is padded are not.
static bool is_number_text(const char *text, size_t len)
{
	size_t i = len && text[0] == '-';

	return i < len && isdigit((unsigned char)text[i]) && !(text[i] == '0' && i + 1 < len && isalnum((unsigned char)text[i + 1])) &&
	       strspn(text + i, "0123456789.e+-") >= len - i && isdigit((unsigned char)text[len - 1]);
}

static bool put_number(struct values *v, const char *key, int64_t number, char conversion)
{
	if (strchr("diuxXop", conversion))
		v->sink->number(v->sink->ctx, key, number, conversion == 'd' || conversion == 'i');
	else if (strchr("feg", conversion))
		put_double(v, key, number);
	else
		return false;
	return true;
}

static bool put_whole(struct values *v, const char *key, const struct sp_field *field);

// What one directive prints. False: only its text can be given.
static bool put_typed(struct values *v, const char *key, const struct sp_field *field, char conversion)
{
	const char *at = (const char *)v->r->bytes + field->offset;
	const struct sp_captured *captured = (const void *)at;
	int64_t number;

	switch ((enum sp_type)field->type) {
	case SP_LONG:
		memcpy(&number, at, sizeof(number));
		return put_number(v, key, number, conversion);
	case SP_BITS:
		return put_number(v, key, format_value_bits(field, v->r->bytes), conversion);
	case SP_STRING:
		if (conversion == 's')
			put_bytes(v, key, at, field->size);
		return conversion == 's';
	case SP_SYMBOLS:
		return put_stack(v, key, field);
	case SP_QUOTED:
		put_bytes(v, key, at, field->size);
		return true;
	case SP_CAPTURED:
		if (captured->result < 0)
			v->sink->unreadable(v->sink->ctx, key);
		else
			put_bytes(v, key, captured->bytes, field->size - sizeof(*captured));
		return true;
	case SP_VALUE:
		if (captured->result >= 0)
			return put_whole(v, key, field);
		v->sink->unreadable(v->sink->ctx, key);
		return true;
	case SP_NAMED: case SP_FLOAT: case SP_WIDE: case SP_WHEN: case SP_UNLESS: case SP_UNTIL: case SP_NAME: case SP_NAME_END:
	case SP_TYPE_COUNT:
		break;
	}
	return false;
}

// A value of one part, such as a number in memory, is what that part is.
static bool put_whole(struct values *v, const char *key, const struct sp_field *field)
{
	const struct sp_format *part = &v->r->bundle->formats[field->more];
	const char *text = bundle_text(v->r->bundle, part->text);

	if (part->n_args != 1 || text[0] != '%' || text[strcspn(text, " ,={}[]\"")] || strchr(text + 1, '%'))
		return false;
	return put_typed(v, key, &v->r->bundle->fields[part->first_arg], text[strlen(text) - 1]);
}

static void put_value(void *ctx, const struct format_value *value)
{
	const struct sp_field *only = value->only;
	struct values *v = ctx;
	const char *key = value->name, *text = v->text->data + value->start;
	size_t len = value->len;
	bool is_made = value->is_number && only && only->type == SP_STRING; // what has no value is printed as nothing
	bool may_be_number = value->is_number || (only && (only->type == SP_FLOAT || only->type == SP_NAMED || only->type == SP_WIDE ||
							    only->type == SP_VALUE));
	char name[24];

	v->n++;
	if (!key) {
		snprintf(name, sizeof(name), "arg%u", v->n);
		key = name;
	}
	if (is_made) {
		for (; len && *text == ' '; len--)
			text++;
		while (len && text[len - 1] == ' ')
			len--;
	}
	if (is_made && !len)
		v->sink->unreadable(v->sink->ctx, key);
	else if (!only || is_made || !put_typed(v, key, only, value->is_signed && strchr("uxXop", value->conversion) ? 'd' : value->conversion))
		v->sink->text(v->sink->ctx, key, text, len, may_be_number && is_number_text(text, len));
}

void record_values(struct sp_buf *text, const struct record *record, const struct record_sink *sink)
{
	struct values values = { .r = record, .sink = sink, .text = text };
	struct format_listener listener = { &values, put_value };

	format_values(text, record->bundle, record->symbols, record->format, record->bytes, &listener);
}

bool record_who(const struct record *record, struct sp_event_who *ret)
{
	if (!(record->format->flags & SP_FORMAT_TELLS_WHO))
		return false;
	memcpy(ret, (const char *)record->bytes + record->format->record_size - sizeof(*ret), sizeof(*ret));
	return true;
}

uint32_t record_site(const struct record *record, uint64_t site)
{
	struct sp_event_head head;

	memcpy(&head, record->bytes, sizeof(head));
	const struct sp_prog *prog = &record->bundle->progs[head.prog];

	return site < prog->n_sites ? prog->first_site + (uint32_t)site : SP_NONE;
}
