// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/json_record.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/print/format.h"
#include "runtime/print/format_value.h"
#include "runtime/print/hist.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct values {
	const struct json_record *r;
	struct sp_buf *out;
	const struct sp_buf *text;
	unsigned n; // values so far
};

// ---- stacks ---------------------------------------------------------------------------------------------------------

void json_record_frame(void *ctx, const struct symbols_known *known)
{
	struct sp_buf *out = ctx;
	char address[24];

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)known->address);
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "address", address);
	sp_json_text(out, "symbol", known->symbol);
	if (known->symbol && !known->is_inlined)
		sp_json_unsigned(out, "offset", known->offset);
	if (known->is_inlined)
		sp_json_bool(out, "inlined", true);
	sp_json_text(out, "module", known->module);
	if (known->file) {
		sp_json_text(out, "file", known->file);
		sp_json_number(out, "line", known->line);
	}
	sp_json_end(out, '}');
}

static bool is_stack(enum sp_symbol_text text)
{
	return text == SP_SYMBOL_HEX || text == SP_SYMBOL_BRIEF || text == SP_SYMBOL_SIMPLE || text == SP_SYMBOL_FULL ||
	       text == SP_SYMBOL_FULLER;
}

// False: it is a text about an address.
static bool put_stack(struct values *v, const char *key, const struct sp_field *field)
{
	const char *at = (const char *)v->r->record + field->offset;
	struct sp_symbols head;

	if (field->size < sizeof(head))
		return false;
	memcpy(&head, at, sizeof(head));
	if (!is_stack((enum sp_symbol_text)head.text))
		return false;
	sp_json_begin(v->out, key, '[');
	symbols_each(v->r->symbols, at, field->size, json_record_frame, v->out);
	sp_json_end(v->out, ']');
	return true;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static void put_bytes(struct values *v, const char *key, const char *bytes, size_t room)
{
	sp_cleanup_free char *copy = sp_strndup(bytes, strnlen(bytes, room));

	sp_json_text(v->out, key, copy);
}

// The fewest digits that give the same number again. JSON has no infinity.
static void put_double(struct values *v, const char *key, int64_t bits)
{
	char text[40];
	double number;

	memcpy(&number, &bits, sizeof(number));
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	if (isfinite(number))
		sp_json_literal(v->out, key, text, strlen(text));
	else
		sp_json_text(v->out, key, text);
}

// Is it how JSON writes numbers? "inf", "0x12" and what is padded are not.
static bool is_number_text(const char *text, size_t len)
{
	size_t i = len && text[0] == '-';

	return i < len && isdigit((unsigned char)text[i]) && !(text[i] == '0' && i + 1 < len && isalnum((unsigned char)text[i + 1])) &&
	       strspn(text + i, "0123456789.e+-") >= len - i && isdigit((unsigned char)text[len - 1]);
}

static void put_text(struct values *v, const char *key, const char *text, size_t len, bool is_number)
{
	if (is_number && is_number_text(text, len))
		sp_json_literal(v->out, key, text, len);
	else
		sp_json_bytes(v->out, key, text, len);
}

static bool put_number(struct values *v, const char *key, int64_t number, char conversion)
{
	if (conversion == 'd' || conversion == 'i')
		sp_json_number(v->out, key, number);
	else if (strchr("uxXop", conversion))
		sp_json_unsigned(v->out, key, (uint64_t)number);
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
	const char *at = (const char *)v->r->record + field->offset;
	const struct sp_captured *captured = (const void *)at;
	int64_t number;

	switch ((enum sp_type)field->type) {
	case SP_LONG:
		memcpy(&number, at, sizeof(number));
		return put_number(v, key, number, conversion);
	case SP_BITS:
		return put_number(v, key, format_value_bits(field, v->r->record), conversion);
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
			sp_json_text(v->out, key, NULL);
		else
			put_bytes(v, key, captured->bytes, field->size - sizeof(*captured));
		return true;
	case SP_VALUE:
		if (captured->result >= 0)
			return put_whole(v, key, field);
		sp_json_text(v->out, key, NULL);
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

	if (part->n_args != 1 || text[0] != '%' || strpbrk(text, " ,={}[]\"") || strchr(text + 1, '%'))
		return false;
	return put_typed(v, key, &v->r->bundle->fields[part->first_arg], text[strlen(text) - 1]);
}

static void put_value(void *ctx, const struct format_value *value)
{
	const struct sp_field *only = value->only;
	struct values *v = ctx;
	const char *key = value->name;
	bool may_be_number = value->is_number || (only && (only->type == SP_FLOAT || only->type == SP_NAMED || only->type == SP_WIDE ||
							    only->type == SP_VALUE));
	char name[24];

	v->n++;
	if (!key) {
		snprintf(name, sizeof(name), "arg%u", v->n);
		key = name;
	}
	if (!only || !put_typed(v, key, only, value->is_signed && strchr("uxXop", value->conversion) ? 'd' : value->conversion))
		put_text(v, key, v->text->data + value->start, value->len, may_be_number);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static void end_line(struct sp_buf *out)
{
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

static void put_point(struct sp_buf *out, const struct bundle *bundle, unsigned prog, uint64_t site)
{
	if (site < bundle->progs[prog].n_sites)
		sp_json_text(out, "probe", bundle_text(bundle, bundle->sites[bundle->progs[prog].first_site + site].point));
}

static void put_who(struct sp_buf *out, const struct json_record *r)
{
	const char *end = (const char *)r->record + r->format->record_size;
	struct sp_event_head head;
	struct sp_event_who who;
	char comm[sizeof(who.comm) + 1] = "";

	memcpy(&head, r->record, sizeof(head));
	if (!(r->format->flags & SP_FORMAT_TELLS_WHO)) {
		if (r->bundle->progs[head.prog].n_sites == 1)
			put_point(out, r->bundle, head.prog, 0);
		return;
	}
	memcpy(&who, end - sizeof(who), sizeof(who));
	memcpy(comm, who.comm, sizeof(who.comm));
	put_point(out, r->bundle, head.prog, who.site);
	sp_json_number(out, "time", (int64_t)who.time + r->wall_offset);
	sp_json_unsigned(out, "cpu", who.cpu);
	sp_json_unsigned(out, "pid", who.pid);
	sp_json_unsigned(out, "tid", who.tid);
	sp_json_text(out, "comm", comm);
}

void json_record_put(struct sp_buf *out, const struct json_record *r, struct sp_buf *text)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf fields = { 0 };
	struct values values = { .r = r, .out = &fields, .text = text };
	struct format_listener listener = { &values, put_value };

	sp_json_begin(&fields, NULL, '{');
	format_values(text, r->bundle, r->symbols, r->format, r->record, &listener);
	sp_json_end(&fields, '}');
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", r->type);
	put_who(out, r);
	sp_json_bytes(out, "text", sp_buf_str(text), text->len);
	sp_json_literal(out, "fields", sp_buf_str(&fields), fields.len);
	end_line(out);
}

static void put_bucket(struct sp_buf *out, const struct sp_stat_shape *shape, enum sp_stat what, unsigned bucket, uint64_t count)
{
	int64_t low, high;

	if (what == SP_STAT_LOG)
		hist_log_range(bucket, &low, &high);
	else
		hist_linear_range(&shape->linear, bucket, &low, &high);
	sp_json_begin(out, NULL, '{');
	sp_json_number(out, "low", low);
	sp_json_number(out, "high", high);
	sp_json_unsigned(out, "count", count);
	sp_json_end(out, '}');
}

void json_record_buckets(struct sp_buf *out, const char *key, const struct sp_stat_shape *shape, enum sp_stat what, const uint64_t *buckets)
{
	unsigned n = what == SP_STAT_LOG ? SP_HIST_LOG_BUCKETS : sp_hist_linear_buckets(&shape->linear);

	sp_json_begin(out, key, '[');
	for (unsigned i = 0; i < n; i++)
		if (buckets[i])
			put_bucket(out, shape, what, i, buckets[i]);
	sp_json_end(out, ']');
}

void json_record_hist(struct sp_buf *out, const struct bundle *bundle, const struct sp_map *map, enum sp_stat what, const uint64_t *buckets)
{
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", "histogram");
	sp_json_text(out, "name", bundle_text(bundle, map->label));
	json_record_buckets(out, "histogram", &map->stat, what, buckets);
	end_line(out);
}

void json_record_error(struct sp_buf *out, const struct bundle *bundle, const char *point, const struct sp_place *place, const char *text)
{
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", "error");
	sp_json_text(out, "probe", point);
	sp_json_text(out, "text", text);
	if (place) {
		sp_json_begin(out, "place", '{');
		sp_json_text(out, "file", bundle_text(bundle, place->file));
		sp_json_number(out, "line", place->line);
		sp_json_number(out, "column", place->column);
		sp_json_end(out, '}');
	}
	end_line(out);
}

void json_record_message(struct sp_buf *out, const char *type, const char *text)
{
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", type);
	sp_json_text(out, "text", text);
	end_line(out);
}
