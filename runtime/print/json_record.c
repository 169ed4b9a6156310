// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/json_record.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/print/hist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- values ---------------------------------------------------------------------------------------------------------

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

struct fields {
	struct sp_buf out;
	struct symbols *symbols;
};

static void put_number(void *ctx, const char *name, int64_t number, bool is_signed)
{
	struct fields *f = ctx;

	if (is_signed)
		sp_json_number(&f->out, name, number);
	else
		sp_json_unsigned(&f->out, name, (uint64_t)number);
}

// The fewest digits that give the same number again. JSON has no infinity.
static void put_real(void *ctx, const char *name, double number)
{
	struct fields *f = ctx;
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	if (isfinite(number))
		sp_json_literal(&f->out, name, text, strlen(text));
	else
		sp_json_text(&f->out, name, text);
}

static void put_text(void *ctx, const char *name, const char *bytes, size_t len, bool is_number)
{
	struct fields *f = ctx;
	sp_cleanup(sp_buf_deinit) struct sp_buf copy = { 0 }; // with a NUL behind it

	sp_buf_add(&copy, bytes, len);
	if (is_number)
		sp_json_literal(&f->out, name, sp_buf_str(&copy), len);
	else
		sp_json_bytes(&f->out, name, sp_buf_str(&copy), len);
}

static void put_unreadable(void *ctx, const char *name)
{
	struct fields *f = ctx;

	sp_json_text(&f->out, name, NULL);
}

static void put_stack(void *ctx, const char *name, const void *symbols, size_t size)
{
	struct fields *f = ctx;

	sp_json_begin(&f->out, name, '[');
	symbols_each(f->symbols, symbols, size, json_record_frame, &f->out);
	sp_json_end(&f->out, ']');
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static void end_line(struct sp_buf *out)
{
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

static void put_point(struct sp_buf *out, const struct record *record, uint64_t site)
{
	uint32_t of = record_site(record, site);

	if (of != SP_NONE)
		sp_json_text(out, "probe", bundle_text(record->bundle, record->bundle->sites[of].point));
}

static void put_who(struct sp_buf *out, const struct json_record *r)
{
	struct sp_event_head head;
	struct sp_event_who who;
	char comm[sizeof(who.comm) + 1] = "";

	memcpy(&head, r->record.bytes, sizeof(head));
	if (!record_who(&r->record, &who)) {
		if (r->record.bundle->progs[head.prog].n_sites == 1)
			put_point(out, &r->record, 0);
		return;
	}
	memcpy(comm, who.comm, sizeof(who.comm));
	put_point(out, &r->record, who.site);
	sp_json_number(out, "time", (int64_t)who.time + r->wall_offset);
	sp_json_unsigned(out, "cpu", who.cpu);
	sp_json_unsigned(out, "pid", who.pid);
	sp_json_unsigned(out, "tid", who.tid);
	sp_json_text(out, "comm", comm);
}

void json_record_put(struct sp_buf *out, const struct json_record *r, struct sp_buf *text)
{
	struct fields fields = { .symbols = r->record.symbols };
	const struct record_sink sink = { &fields, put_number, put_real, put_text, put_unreadable, put_stack };

	sp_json_begin(&fields.out, NULL, '{');
	record_values(text, &r->record, &sink);
	sp_json_end(&fields.out, '}');
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", r->type);
	put_who(out, r);
	sp_json_bytes(out, "text", sp_buf_str(text), text->len);
	sp_json_literal(out, "fields", sp_buf_str(&fields.out), fields.out.len);
	end_line(out);
	sp_buf_deinit(&fields.out);
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
