// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/known.h"

#include "runtime/base/util.h"

#include <string.h>

// Parts of other types are the same in both keys: longs.
static bool is_known(const struct sp_field *field)
{
	return field->flags & SP_FIELD_KNOWN;
}

static uint32_t kernel_size(const struct sp_field *field)
{
	return is_known(field) ? (uint32_t)sizeof(uint64_t) : field->size;
}

uint32_t known_key_size(const struct bundle *bundle, const struct sp_map *map)
{
	uint32_t size = map->n_keys ? 0 : map->key_size;

	for (uint32_t i = 0; i < map->n_keys; i++)
		size += kernel_size(&bundle->fields[map->first_key + i]);
	return size;
}

// The texts are sorted, and each is the name of its own place.
static bool number_of(const struct bundle *bundle, const struct sp_field *field, const char *text, uint64_t *ret)
{
	const struct sp_name *names = &bundle->names[field->more];
	uint32_t behind = sp_bisect(names->left + 1, i, strncmp(bundle_text(bundle, names[i].text), text, field->size) > 0);

	*ret = behind - 1;
	return behind && strncmp(bundle_text(bundle, names[behind - 1].text), text, field->size) == 0;
}

bool known_pack(const struct bundle *bundle, const struct sp_map *map, const void *key, void *kernel_key_ret)
{
	const char *from = key;
	char *to = kernel_key_ret;

	for (uint32_t i = 0; i < map->n_keys; i++) {
		const struct sp_field *field = &bundle->fields[map->first_key + i];
		uint64_t number;

		if (!is_known(field)) {
			memcpy(to, from, field->size);
		} else {
			if (!number_of(bundle, field, from, &number))
				return false;
			memcpy(to, &number, sizeof(number));
		}
		from += field->size;
		to += kernel_size(field);
	}
	return true;
}

bool known_unpack(const struct bundle *bundle, const struct sp_map *map, const void *kernel_key, void *key_ret)
{
	const char *from = kernel_key, *text;
	char *to = key_ret;

	for (uint32_t i = 0; i < map->n_keys; i++) {
		const struct sp_field *field = &bundle->fields[map->first_key + i];
		uint64_t number;

		if (!is_known(field)) {
			memcpy(to, from, field->size);
		} else {
			memcpy(&number, from, sizeof(number));
			if (number > bundle->names[field->more].left)
				return false;
			text = bundle_text(bundle, bundle->names[field->more + number].text);
			memset(to, 0, field->size);
			memcpy(to, text, strlen(text));
		}
		from += kernel_size(field);
		to += field->size;
	}
	return true;
}
