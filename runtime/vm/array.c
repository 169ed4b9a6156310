// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "runtime/vm/array.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/known.h"
#include "runtime/vm/stat.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

const void *array_kernel_key(struct array *a, const void *key)
{
	if (!a->has_known)
		return key;
	return known_pack(a->bundle, a->map, key, a->kernel_key) ? a->kernel_key : NULL;
}

static void script_key(const struct array *a, const void *kernel_key, void *key_ret)
{
	if (!a->has_known)
		memcpy(key_ret, kernel_key, a->map->key_size);
	else if (!known_unpack(a->bundle, a->map, kernel_key, key_ret))
		memset(key_ret, 0, a->map->key_size);
}

// Below, `key` of functions that are about the kernel is an array_kernel_key().

struct part *array_part(struct array *a, const void *key)
{
	return a->shorts.fd >= 0 && !((const char *)key)[a->shorts.key_size - 1] ? &a->shorts : &a->main;
}

// The value of an element in the kernel. An aggregate has a record for each CPU, which are merged.
static void take_kernel_value(const struct array *a, const void *key, const void *value, void *ret)
{
	const struct sp_map *map = a->map;

	if (map->kind != SP_MAP_STAT) {
		memcpy(ret, value, map->value_size);
		return;
	}
	memset(ret, 0, map->value_size);
	for (unsigned i = 0; i < a->n_records; i++)
		stat_merge(&map->stat, ret,
			   (const uint64_t *)((const char *)value + (size_t)i * map->value_size));
	if (a->own_fd >= 0 && bpf_map_lookup_elem(a->own_fd, key, a->own) == 0)
		stat_merge(&map->stat, ret, a->own);
}

int array_lookup(struct array *a, const void *key, void *value_ret)
{
	int error = bpf_map_lookup_elem(array_part(a, key)->fd, key, a->records ? (void *)a->records : value_ret) < 0 ? errno : 0;

	if (error && error != ENOENT)
		a->failure = error;
	if (error)
		return -error;
	if (a->records)
		take_kernel_value(a, key, a->records, value_ret);
	return 0;
}

struct sp_direct *array_direct(struct array *a, const void *key)
{
	const uint64_t *number = array_kernel_key(a, key);

	return number ? &a->direct[*number] : NULL;
}

uint64_t array_direct_count(const struct array *a)
{
	return (uint64_t)a->bundle->names[a->keys->more].left + 1;
}

// The count is never too large, so that no handler takes the array for full.
int array_split_delete(struct array *a, const void *key)
{
	int error;

	__atomic_fetch_sub(a->count, 1, __ATOMIC_RELAXED);
	error = bpf_map_delete_elem(array_part(a, key)->fd, key) < 0 ? errno : 0;
	if (error)
		__atomic_fetch_add(a->count, 1, __ATOMIC_RELAXED);
	return error == ENOENT ? 0 : -error;
}

// Makes an element of a split array. -EEXIST: there is one.
int array_split_add(struct array *a, const void *key, const void *value)
{
	if (bpf_map_update_elem(array_part(a, key)->fd, key, value, BPF_NOEXIST) < 0)
		return -errno;
	if (__atomic_fetch_add(a->count, 1, __ATOMIC_RELAXED) < a->map->max_entries)
		return 0;
	array_split_delete(a, key);
	return -E2BIG;
}

int array_split_set(struct array *a, const void *key, const void *value)
{
	int ret = array_split_add(a, key, value);

	if (ret != -EEXIST)
		return ret;
	return bpf_map_update_elem(array_part(a, key)->fd, key, value, BPF_EXIST) < 0 && errno != ENOENT ? -errno : 0;
}

// ---- snapshots of the kernel's maps ---------------------------------------------------------------------------------

static void elements_reserve(struct elements *es, size_t more, size_t stride)
{
	if (es->n + more <= es->room)
		return;
	es->room = SP_MAX(es->n + more, es->room * 2);
	es->data = sp_realloc(es->data, es->room * stride);
}

// Adds an element with that key. Returns where its value goes.
static char *add_element(const struct array *a, const struct part *part, const void *key, struct elements *es)
{
	char *e;

	elements_reserve(es, 1, a->table.stride);
	e = es->data + es->n++ * a->table.stride;
	if (part == &a->shorts) {
		memcpy(e, key, part->key_size);
		memset(e + part->key_size, 0, a->map->key_size - part->key_size);
	} else {
		script_key(a, key, e);
	}
	return e + a->map->key_size;
}

// The key of that element by which it is in all of the array's maps: of a split array, the script's.
static const void *whole_key(const struct array *a, const struct part *part, const void *key, const char *value)
{
	return part == &a->shorts ? value - a->map->key_size : key;
}

#define BATCH_BYTES (512 << 10) // in the processor's cache

// Returns -EINVAL and the like when this kernel has no batches for such a map.
static int kernel_read_batches(struct array *a, const struct part *part, struct elements *es)
{
	uint32_t key_size = part->key_size;
	size_t value_size = (size_t)a->map->value_size * a->n_records;
	uint32_t batch = SP_MIN(a->map->max_entries, SP_MAX(BATCH_BYTES / (key_size + (uint32_t)value_size), 64u)), token = 0;
	char *keys = NULL, *values = NULL;
	bool first = true;
	int ret;

	for (;;) {
		uint32_t count = batch, next_token;

		keys = sp_realloc(keys, (size_t)batch * key_size);
		values = sp_realloc(values, batch * value_size);
		ret = bpf_map_lookup_batch(part->fd, first ? NULL : &token, &next_token, keys, values,
					   &count, NULL) < 0
			      ? -errno
			      : 0;
		// One bucket holds more than fits.
		if (ret == -ENOSPC && batch < a->map->max_entries) {
			batch = SP_MIN(a->map->max_entries, batch * 2);
			continue;
		}
		if (ret < 0 && ret != -ENOENT)
			break;
		elements_reserve(es, count, a->table.stride);
		for (uint32_t i = 0; i < count; i++) {
			const char *key = keys + (size_t)i * key_size;
			char *value = add_element(a, part, key, es);

			take_kernel_value(a, whole_key(a, part, key, value), values + i * value_size, value);
		}
		if (ret == -ENOENT) {
			ret = 0;
			break;
		}
		token = next_token;
		first = false;
	}
	free(keys);
	free(values);
	return ret;
}

static int kernel_read_keys(struct array *a, const struct part *part, struct elements *es)
{
	sp_cleanup_free char *key = sp_malloc(part->key_size), *next = sp_malloc(part->key_size);
	// When the previous key is deleted meanwhile, the kernel starts from the first key again: the bound ends that.
	uint64_t bound = (uint64_t)a->map->max_entries + 1;
	const char *before = NULL;

	while (bound--) {
		char *value;

		if (bpf_map_get_next_key(part->fd, before, next) < 0) {
			if (errno == ENOENT)
				return 0;
			a->failure = errno;
			return -errno;
		}
		memcpy(key, next, part->key_size);
		before = key;
		value = add_element(a, part, key, es);
		if (array_lookup(a, whole_key(a, part, key, value), value) < 0)
			memset(value, 0, a->map->value_size);
	}
	return 0;
}

static void direct_read(struct array *a, struct elements *es)
{
	for (uint64_t i = 0; i < array_direct_count(a); i++) {
		const struct sp_direct element = a->direct[i];

		if (element.is_there)
			memcpy(add_element(a, &a->main, &i, es), &element.value, sizeof(element.value));
	}
}

static int kernel_read_part(struct array *a, const struct part *part, struct elements *es)
{
	size_t n = es->n;

	if (kernel_read_batches(a, part, es) >= 0)
		return 0;
	es->n = n;
	return kernel_read_keys(a, part, es);
}

int array_read(struct array *a, struct elements *es)
{
	int ret;

	if (a->direct) {
		direct_read(a, es);
		return 0;
	}
	ret = kernel_read_part(a, &a->main, es);
	return ret < 0 || a->shorts.fd < 0 ? ret : kernel_read_part(a, &a->shorts, es);
}
