// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/unread.h"

#include "runtime/base/cleanup.h"

#include <inttypes.h>

static void print_value(struct sp_buf *out, const uint8_t *bytes, unsigned type, uint32_t size)
{
	uint64_t number;

	if (type == SP_STRING) {
		sp_buf_putc(out, '"');
		sp_buf_add(out, bytes, strnlen((const char *)bytes, size));
		sp_buf_putc(out, '"');
	} else {
		memcpy(&number, bytes, sizeof(number));
		sp_buf_printf(out, "0x%" PRIx64, number);
	}
}

static void print_array(struct sp_buf *out, const struct bundle *bundle, unsigned index, struct store *store)
{
	const struct sp_map *map = &bundle->maps[index];
	sp_cleanup_free uint8_t *key = sp_malloc(map->key_size), *value = sp_malloc(map->value_size);
	struct store_iter *iter = store_iter_open(store, index, 0, -1, -1);

	while (iter && store_iter_next(iter, key, value) == 1) {
		sp_buf_printf(out, "%s[", bundle_text(bundle, map->label));
		for (unsigned i = 0; i < map->n_keys; i++) {
			const struct sp_field *field = &bundle->fields[map->first_key + i];

			if (i)
				sp_buf_putc(out, ',');
			if (field->type == SP_STRING) {
				print_value(out, key + field->offset, SP_STRING, field->size);
			} else {
				int64_t number;

				memcpy(&number, key + field->offset, sizeof(number));
				sp_buf_printf(out, "%" PRId64, number);
			}
		}
		sp_buf_puts(out, "]=");
		print_value(out, value, map->value_type, map->value_size);
		sp_buf_putc(out, '\n');
	}
	store_iter_close(iter);
}

void unread_print(struct sp_buf *out, const struct bundle *bundle, const void *data, struct store *store)
{
	for (unsigned i = 0; i < bundle->n_globals; i++) {
		const struct sp_global *global = &bundle->globals[i];

		if (!(global->flags & SP_GLOBAL_UNREAD))
			continue;
		sp_buf_printf(out, "%s=", bundle_text(bundle, global->name));
		print_value(out, (const uint8_t *)data + global->offset, global->type, global->size);
		sp_buf_putc(out, '\n');
	}
	for (unsigned i = 0; i < bundle->n_maps; i++)
		if (bundle->maps[i].kind == SP_MAP_HASH && bundle->maps[i].flags & SP_MAP_UNREAD)
			print_array(out, bundle, i, store);
}
