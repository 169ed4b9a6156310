// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/unread.h"

#include "runtime/base/cleanup.h"
#include "runtime/vm/stat.h"

#include <inttypes.h>

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

static void print_key(struct sp_buf *out, const uint8_t *bytes, unsigned type, uint32_t size)
{
	if (type == SP_STRING)
		print_string(out, bytes, size);
	else
		sp_buf_printf(out, "%" PRId64, number_at(bytes));
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

static int64_t read_stat(const struct sp_map *map, const uint64_t *record, enum sp_stat what)
{
	int64_t value;

	stat_read(&map->stat, record, what, &value);
	return value;
}

static void print_stat(struct sp_buf *out, const struct sp_map *map, const uint64_t *record)
{
	static const struct { const char *label; enum sp_stat what; } parts[] = {
		{ " @count", SP_STAT_COUNT }, { " @min", SP_STAT_MIN }, { " @max", SP_STAT_MAX }, { " @sum", SP_STAT_SUM },
		{ " @avg", SP_STAT_AVG },
	};
	bool is_empty = map->stat.reads & 1u << SP_STAT_COUNT && !read_stat(map, record, SP_STAT_COUNT);

	for (size_t i = 0; i < SP_ARRAY_SIZE(parts); i++) // one that the script reads keeps what it reads
		if (map->stat.reads & 1u << parts[i].what && (!is_empty || i == 0))
			print_number(out, parts[i].label, read_stat(map, record, parts[i].what), map->flags & SP_MAP_HEX);
	sp_buf_putc(out, '\n');
}

static void print_scalar_stat(struct sp_buf *out, const struct bundle *bundle, unsigned index, struct store *store)
{
	const struct sp_map *map = &bundle->maps[index];
	const uint8_t key[SP_STAT_KEY_SIZE] = { 0 };
	sp_cleanup_free uint64_t *record = sp_malloc(map->value_size);

	store_get(store, index, key, record);
	sp_buf_puts(out, bundle_text(bundle, map->label));
	print_stat(out, map, record);
}

static void print_array(struct sp_buf *out, const struct bundle *bundle, unsigned index, struct store *store)
{
	const struct sp_map *map = &bundle->maps[index];
	sp_cleanup_free uint8_t *key = sp_malloc(map->key_size);
	sp_cleanup_free uint64_t *value = sp_malloc(map->value_size);
	struct store_iter *iter = store_iter_open(store, index, 0, -1, -1);

	while (iter && store_iter_next(iter, key, value) == 1) {
		sp_buf_printf(out, "%s[", bundle_text(bundle, map->label));
		for (unsigned i = 0; i < map->n_keys; i++) {
			const struct sp_field *field = &bundle->fields[map->first_key + i];

			if (i)
				sp_buf_putc(out, ',');
			print_key(out, key + field->offset, field->type, field->size);
		}
		sp_buf_putc(out, ']');
		if (map->kind == SP_MAP_STAT) {
			print_stat(out, map, value);
			continue;
		}
		print_value(out, (const uint8_t *)value, map->value_type, map->value_size, map->flags & SP_MAP_HEX);
	}
	store_iter_close(iter);
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
			print_array(out, bundle, i, what->store);
		else
			print_scalar_stat(out, bundle, i, what->store);
	}
}
