// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/json_globals.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/print/json_record.h"
#include "runtime/print/stack_key.h"
#include "runtime/vm/stat.h"

static void put_text_or_number(struct sp_buf *out, const char *key, const uint8_t *bytes, unsigned type, uint32_t size)
{
	sp_cleanup_free char *text = NULL;
	int64_t number;

	if (type == SP_STRING) {
		text = sp_strndup((const char *)bytes, strnlen((const char *)bytes, size));
		sp_json_text(out, key, text);
		return;
	}
	memcpy(&number, bytes, sizeof(number));
	sp_json_number(out, key, number);
}

static void put_stat(struct sp_buf *out, const char *key, const struct sp_map *map, const uint64_t *record)
{
	static const struct { const char *name; enum sp_stat what; } parts[] = {
		{ "count", SP_STAT_COUNT }, { "sum", SP_STAT_SUM }, { "min", SP_STAT_MIN }, { "max", SP_STAT_MAX },
		{ "avg", SP_STAT_AVG }, { "variance", SP_STAT_VARIANCE },
	};
	const struct sp_stat_shape *shape = &map->stat;

	sp_json_begin(out, key, '{');
	for (size_t i = 0; i < SP_ARRAY_SIZE(parts); i++) {
		int64_t number;

		if (!(shape->reads & 1u << parts[i].what))
			continue;
		if (stat_read(shape, record, parts[i].what, &number) || parts[i].what == SP_STAT_COUNT)
			sp_json_number(out, parts[i].name, number);
	}
	for (unsigned what = SP_STAT_LOG; what <= SP_STAT_LINEAR; what++) {
		uint32_t n;
		const uint64_t *buckets = stat_buckets(shape, record, (enum sp_stat)what, &n);

		if (buckets)
			json_record_buckets(out, what == SP_STAT_LOG ? "histogram" : "linear_histogram", shape, (enum sp_stat)what, buckets);
	}
	sp_json_end(out, '}');
}

static void begin_line(struct sp_buf *out, const char *type, const char *name)
{
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", type);
	sp_json_text(out, "name", name);
}

// People read them as addresses.
static void put_hex(struct sp_buf *out, bool in_hex)
{
	if (in_hex)
		sp_json_bool(out, "hex", true);
}

static void end_line(struct sp_buf *out)
{
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

// What the script calls the parts of the key; null where it has no name for one.
static void put_key_names(struct sp_buf *out, const struct bundle *bundle, const struct sp_map *map)
{
	sp_json_begin(out, "keys", '[');
	for (unsigned i = 0; i < map->n_keys; i++) {
		size_t len;
		const char *name = bundle_key_name(bundle, map, i, &len);

		if (len)
			sp_json_bytes(out, NULL, name, len);
		else
			sp_json_text(out, NULL, NULL);
	}
	sp_json_end(out, ']');
}

static void put_key(struct sp_buf *out, const struct unread *u, const struct sp_map *map, const uint8_t *key)
{
	sp_json_begin(out, "key", '[');
	for (unsigned i = 0; i < map->n_keys; i++) {
		const struct sp_field *field = &u->bundle->fields[map->first_key + i];
		const char *text = (const char *)key + field->offset;
		struct stack_key stack;

		if (field->type == SP_STRING && stack_key_is_addresses(text)) {
			sp_json_begin(out, NULL, '[');
			stack_key_read(u->bundle, u->symbols, map, key, text, &stack);
			stack_key_each(u->symbols, &stack, json_record_frame, out);
			sp_json_end(out, ']');
		} else {
			put_text_or_number(out, NULL, key + field->offset, field->type, field->size);
		}
	}
	sp_json_end(out, ']');
}

static void put_array(struct sp_buf *out, const struct unread *u, unsigned index)
{
	const struct sp_map *map = &u->bundle->maps[index];
	sp_cleanup_free uint8_t *key = sp_malloc(map->key_size);
	sp_cleanup_free uint64_t *value = sp_malloc(map->value_size);
	struct store_iter *iter = store_iter_open(u->store, index, 0, -1, u->most ? (int64_t)u->most + 1 : -1);
	size_t start = out->len;
	bool has_more = false;

	begin_line(out, "array", bundle_text(u->bundle, map->label));
	put_hex(out, map->flags & SP_MAP_HEX);
	put_key_names(out, u->bundle, map);
	sp_json_begin(out, "elements", '[');
	for (unsigned n = 0; iter && store_iter_next(iter, key, value) == 1; n++) {
		has_more = u->most && (n == u->most || out->len - start > (size_t)u->most * JSON_ELEMENT_ROOM);
		if (has_more)
			break;
		sp_json_begin(out, NULL, '{');
		put_key(out, u, map, key);
		if (map->kind == SP_MAP_STAT)
			put_stat(out, "value", map, value);
		else
			put_text_or_number(out, "value", (const uint8_t *)value, map->value_type, map->value_size);
		sp_json_end(out, '}');
	}
	store_iter_close(iter);
	sp_json_end(out, ']');
	if (has_more)
		sp_json_bool(out, "more", true);
	end_line(out);
}

static void put_scalar_stat(struct sp_buf *out, const struct unread *u, unsigned index)
{
	const struct sp_map *map = &u->bundle->maps[index];
	const uint8_t key[SP_STAT_KEY_SIZE] = { 0 };
	sp_cleanup_free uint64_t *record = sp_malloc(map->value_size);

	store_get(u->store, index, key, record);
	begin_line(out, "global", bundle_text(u->bundle, map->label));
	put_hex(out, map->flags & SP_MAP_HEX);
	put_stat(out, "value", map, record);
	end_line(out);
}

void json_globals_put(struct sp_buf *out, const struct unread *what)
{
	for (unsigned i = 0; i < what->bundle->n_globals; i++) {
		const struct sp_global *global = &what->bundle->globals[i];

		if (!unread_shows_global(what, i))
			continue;
		begin_line(out, "global", bundle_text(what->bundle, global->name));
		put_hex(out, global->flags & SP_GLOBAL_HEX);
		put_text_or_number(out, "value", (const uint8_t *)what->data + global->offset, global->type, global->size);
		end_line(out);
	}
	for (unsigned i = 0; i < what->bundle->n_maps; i++) {
		if (!unread_shows_map(what, i))
			continue;
		if (what->bundle->maps[i].n_keys)
			put_array(out, what, i);
		else
			put_scalar_stat(out, what, i);
	}
}
