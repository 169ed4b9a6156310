// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // basename
#include "runtime/print/unread.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/print/stack_key.h"
#include "runtime/vm/stat.h"

#include <inttypes.h>
#include <stdlib.h>

static int64_t number_at(const uint8_t *bytes)
{
	int64_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

static void print_string(struct sp_buf *out, const uint8_t *bytes, uint32_t size)
{
	sp_buf_putc(out, '"');
	sp_buf_quoted(out, (const char *)bytes, strnlen((const char *)bytes, size));
	sp_buf_putc(out, '"');
}

static void print_key(struct sp_buf *out, const struct sp_field *field, const uint8_t *bytes)
{
	if (field->type == SP_STRING)
		print_string(out, bytes, field->size);
	else
		sp_buf_printf(out, field->flags & SP_FIELD_HEX ? "0x%" PRIx64 : "%" PRId64, number_at(bytes));
}

static void print_number(struct sp_buf *out, const char *label, int64_t number, bool in_hex)
{
	sp_buf_printf(out, in_hex ? "%s=0x%" PRIx64 : "%s=%" PRId64, label, number);
}

static void print_value(struct sp_buf *out, const uint8_t *bytes, unsigned type, uint32_t size, bool in_hex)
{
	if (type == SP_STRING) {
		sp_buf_putc(out, '=');
		print_string(out, bytes, size);
	} else {
		print_number(out, "", number_at(bytes), in_hex);
	}
	sp_buf_putc(out, '\n');
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// An element of an array: what stands in front of its values, and these.
struct row {
	char *key;
	size_t key_width; // of a stack, which has lines of its own, 0
	char *values[5];
	char *histograms; // of an aggregate; NULL: it is none
};

struct table {
	const struct unread *what;
	const struct sp_map *map;
	SP_VEC(struct row) rows;
	size_t key_width, widths[5];
	struct sp_hash frames; // the text of a struct frame: stacks have most of theirs in common
};

struct frame {
	uint64_t address;
	pid_t pid;
	int is_return;
};

static const struct { const char *label; enum sp_stat what; } stat_parts[] = {
	{ " @count", SP_STAT_COUNT }, { " @min", SP_STAT_MIN }, { " @max", SP_STAT_MAX }, { " @sum", SP_STAT_SUM }, { " @avg", SP_STAT_AVG },
};

static int64_t read_stat(const struct sp_map *map, const uint64_t *record, enum sp_stat what)
{
	int64_t value = 0;

	if (map->stat.reads >> what & 1)
		stat_read(&map->stat, record, what, &value);
	return value;
}

static char *number_text(int64_t number, bool in_hex)
{
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, in_hex ? "0x%" PRIx64 : "%" PRId64, number);
	return sp_buf_take(&text);
}

// An empty one has a count alone. One that the script reads keeps what it reads, which may not be the count.
static size_t n_stat_parts(const struct sp_map *map, const uint64_t *record)
{
	bool is_empty = map->stat.reads >> SP_STAT_COUNT & 1 && !read_stat(map, record, SP_STAT_COUNT);

	return is_empty ? 1 : SP_ARRAY_SIZE(stat_parts);
}

// Those that are kept and not empty.
static void put_histograms(struct sp_buf *out, const struct sp_map *map, const uint64_t *record)
{
	for (unsigned what = SP_STAT_LOG; what <= SP_STAT_LINEAR && !(map->flags & SP_MAP_PLAIN); what++) {
		uint32_t n;
		const uint64_t *buckets = stat_buckets(&map->stat, record, (enum sp_stat)what, &n);

		if (buckets && !stat_buckets_empty(buckets, n))
			stat_print(out, &map->stat, (enum sp_stat)what, buckets);
	}
}

static void add_stat(struct row *row, const struct sp_map *map, const uint64_t *record)
{
	struct sp_buf histograms = { 0 };

	put_histograms(&histograms, map, record);
	row->histograms = sp_buf_take(&histograms);
	for (size_t i = 0; i < n_stat_parts(map, record); i++)
		if (map->stat.reads >> stat_parts[i].what & 1)
			row->values[i] = number_text(read_stat(map, record, stat_parts[i].what), map->flags & SP_MAP_HEX);
}

static void put_frame(void *ctx, const struct symbols_known *known)
{
	struct sp_buf *out = ctx;

	if (!known->symbol)
		sp_buf_printf(out, "  0x%" PRIx64, known->address);
	else if (known->is_inlined)
		sp_buf_printf(out, "  %s (inlined)", known->symbol);
	else
		sp_buf_printf(out, "  %s+0x%" PRIx64, known->symbol, known->offset);
	if (known->module)
		sp_buf_printf(out, " [%s]", basename(known->module));
	sp_buf_putc(out, '\n');
}

static const char *frame_text(struct table *t, struct frame frame)
{
	void **text = sp_hash_insert(&t->frames, &frame, sizeof(frame));
	struct sp_buf lines = { 0 };

	if (!*text) {
		symbols_each_at(t->what->symbols, stack_key_is_kernel(frame.address), frame.pid, frame.address, frame.is_return, put_frame, &lines);
		*text = sp_buf_take(&lines);
	}
	return *text;
}

static bool put_stack(struct sp_buf *out, struct table *t, const struct sp_field *field, const uint8_t *key)
{
	const struct unread *u = t->what;
	const char *text = (const char *)key + field->offset;
	struct stack_key stack;

	if (field->type != SP_STRING || t->map->flags & SP_MAP_PLAIN || !u->symbols || !stack_key_is_addresses(text))
		return false;
	sp_buf_putc(out, '\n');
	stack_key_read(u->bundle, u->symbols, t->map, key, text, &stack);
	for (size_t i = 0; i < stack.n; i++)
		sp_buf_puts(out, frame_text(t, (struct frame){ stack.addresses[i], stack.pid, i > 0 }));
	return true;
}

static void add_row(struct table *t, const uint8_t *key, const uint64_t *value)
{
	const struct sp_map *map = t->map;
	struct sp_buf text = { 0 };
	struct row row = { 0 };
	bool has_stack = false;

	sp_buf_printf(&text, "%s[", bundle_text(t->what->bundle, map->label));
	for (unsigned i = 0; i < map->n_keys; i++) {
		const struct sp_field *field = &t->what->bundle->fields[map->first_key + i];

		if (i)
			sp_buf_putc(&text, ',');
		if (put_stack(&text, t, field, key))
			has_stack = true;
		else
			print_key(&text, field, key + field->offset);
	}
	sp_buf_putc(&text, ']');
	row.key_width = has_stack ? 0 : text.len;
	row.key = sp_buf_take(&text);
	if (map->kind == SP_MAP_STAT) {
		add_stat(&row, map, value);
	} else if (map->value_type == SP_STRING) {
		print_string(&text, (const uint8_t *)value, map->value_size);
		row.values[0] = sp_buf_take(&text);
	} else {
		row.values[0] = number_text(number_at((const uint8_t *)value), map->flags & SP_MAP_HEX);
	}
	sp_vec_push(&t->rows, row);
}

// Columns are as wide as what is in them.
static void measure(struct table *t)
{
	if (t->map->flags & SP_MAP_PLAIN)
		return;
	sp_vec_each(row, &t->rows) {
		t->key_width = SP_MAX(t->key_width, row->key_width);
		for (size_t i = 0; i < SP_ARRAY_SIZE(row->values) && t->map->value_type != SP_STRING; i++)
			if (row->values[i])
				t->widths[i] = SP_MAX(t->widths[i], strlen(row->values[i]));
	}
}

static void put_row(struct sp_buf *out, const struct table *t, const struct row *row)
{
	bool is_stat = t->map->kind == SP_MAP_STAT;

	sp_buf_puts(out, row->key);
	if (row->key_width && row->key_width < t->key_width)
		sp_buf_fill(out, ' ', t->key_width - row->key_width);
	for (size_t i = 0; i < SP_ARRAY_SIZE(row->values); i++)
		if (row->values[i])
			sp_buf_printf(out, "%s=%*s", is_stat ? stat_parts[i].label : "", (int)t->widths[i], row->values[i]);
	sp_buf_putc(out, '\n');
	if (row->histograms)
		sp_buf_puts(out, row->histograms);
}

static void print_array(struct sp_buf *out, const struct unread *u, unsigned index)
{
	struct table t = { .what = u, .map = &u->bundle->maps[index] };
	sp_cleanup_free uint8_t *key = sp_malloc(t.map->key_size);
	sp_cleanup_free uint64_t *value = sp_malloc(t.map->value_size);
	struct store_iter *iter = store_iter_open(u->store, index, 0, -1, -1);

	while (iter && store_iter_next(iter, key, value) == 1)
		add_row(&t, key, value);
	store_iter_close(iter);
	measure(&t);
	sp_vec_each(row, &t.rows) {
		put_row(out, &t, row);
		free(row->key);
		free(row->histograms);
		for (size_t i = 0; i < SP_ARRAY_SIZE(row->values); i++)
			free(row->values[i]);
	}
	sp_vec_deinit(&t.rows);
	sp_hash_free(&t.frames);
}

static void print_scalar_stat(struct sp_buf *out, const struct unread *u, unsigned index)
{
	const struct sp_map *map = &u->bundle->maps[index];
	const uint8_t key[SP_STAT_KEY_SIZE] = { 0 };
	sp_cleanup_free uint64_t *record = sp_malloc(map->value_size);

	store_get(u->store, index, key, record);
	sp_buf_puts(out, bundle_text(u->bundle, map->label));
	for (size_t i = 0; i < n_stat_parts(map, record); i++)
		if (map->stat.reads >> stat_parts[i].what & 1)
			print_number(out, stat_parts[i].label, read_stat(map, record, stat_parts[i].what), map->flags & SP_MAP_HEX);
	sp_buf_putc(out, '\n');
	put_histograms(out, map, record);
}

bool unread_shows_global(const struct unread *what, unsigned index)
{
	const struct sp_global *global = &what->bundle->globals[index];

	return what->with_read ? bundle_shows_global(what->bundle, global) : global->flags & SP_GLOBAL_UNREAD;
}

bool unread_shows_map(const struct unread *what, unsigned index)
{
	const struct sp_map *map = &what->bundle->maps[index];

	if (what->shown && what->shown[index])
		return false;
	return what->with_read ? bundle_shows_map(what->bundle, map) : map->flags & SP_MAP_UNREAD;
}

void unread_print(struct sp_buf *out, const struct unread *what)
{
	const struct bundle *bundle = what->bundle;

	for (unsigned i = 0; i < bundle->n_globals; i++) {
		const struct sp_global *global = &bundle->globals[i];

		if (!unread_shows_global(what, i))
			continue;
		sp_buf_puts(out, bundle_text(bundle, global->name));
		print_value(out, (const uint8_t *)what->data + global->offset, global->type, global->size, global->flags & SP_GLOBAL_HEX);
	}
	for (unsigned i = 0; i < bundle->n_maps; i++) {
		if (!unread_shows_map(what, i))
			continue;
		if (bundle->maps[i].n_keys)
			print_array(out, what, i);
		else
			print_scalar_stat(out, what, i);
	}
}
