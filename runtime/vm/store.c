// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "runtime/vm/store.h"

#include "runtime/base/cleanup.h"
#include "runtime/vm/adder.h"
#include "runtime/load/known.h"
#include "runtime/vm/direct.h"
#include "runtime/vm/sort.h"
#include "runtime/vm/stat.h"
#include "runtime/vm/table.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

// One of the kernel's maps of an array.
struct part {
	int fd; // -1: there is none
	uint32_t key_size;
	struct adder *adder; // NULL: not made yet, or cannot be had
	bool tried_adder;
};

struct array {
	const struct bundle *bundle;
	const struct sp_map *map;
	const struct sp_field *keys;
	unsigned index;
	struct part main; // the kernel's map; there is none when it is in this process
	struct part shorts; // of an SP_MAP_SPLIT: the elements with short texts
	uint64_t *count; // of the elements in both
	struct sp_direct *direct; // the kernel's elements, by the number of their text; NULL: they are elsewhere
	int own_fd; // what user-side handlers have added to an aggregate of the kernel; -1: nothing
	int failure; // why elements could not be read; 0: they all could
	uint64_t changes; // counts what an open snapshot must know of
	struct table table; // in this process
	bool has_known; // the kernel's keys are others than the script's: known.h
	char *kernel_key; // room for one
	char *element; // room for one
	unsigned n_records; // of an element in the kernel: a CPU each for aggregates, else 1
	uint64_t *records; // room for those of an element in the kernel, for aggregates
	uint64_t *own; // room for one
};

struct store {
	const struct bundle *bundle;
	struct order_runner order;
	struct array *arrays;
};

struct store_iter {
	struct store *store;
	struct array *array;
	uint64_t changes; // of the array, when the snapshot was taken
	size_t n, next;
	char *elements; // in order
};

static struct array *array_of(struct store *store, unsigned map)
{
	return &store->arrays[map];
}

static void find_shorts(struct array *a, int fd, void *data)
{
	a->count = (uint64_t *)(void *)((char *)data + a->map->data_offset);
	a->shorts.fd = fd;
	a->shorts.key_size = a->map->key_size - a->keys[a->map->n_keys - 1].size + SP_SHORT_TEXT;
}

// ---- the store ------------------------------------------------------------------------------------------------------

struct store *store_create(const struct bundle *bundle, const struct store_kernel *kernel)
{
	struct store *store = sp_calloc(1, sizeof(*store));

	store->bundle = bundle;
	store->order = kernel ? kernel->order : (struct order_runner){ .prog_fd = -1 };
	store->arrays = sp_calloc(bundle->n_maps + 1, sizeof(*store->arrays));
	for (unsigned i = 0; i < bundle->n_maps; i++) {
		struct array *a = &store->arrays[i];

		a->bundle = bundle;
		a->map = &bundle->maps[i];
		a->index = i;
		a->main.fd = kernel ? kernel->map_fds[i] : -1;
		a->shorts.fd = -1;
		a->own_fd = kernel && a->map->flags & SP_MAP_APART ? kernel->beside_fds[i] : -1;
		if (kernel && a->map->flags & SP_MAP_DIRECT)
			a->direct = (struct sp_direct *)(void *)((char *)kernel->data + a->map->data_offset);
		a->keys = &bundle->fields[a->map->first_key];
		if (kernel && a->map->flags & SP_MAP_SPLIT && kernel->beside_fds[i] >= 0)
			find_shorts(a, kernel->beside_fds[i], kernel->data);
		a->table = (struct table){ .map = a->map, .stride = (size_t)a->map->key_size + a->map->value_size };
		a->element = sp_malloc(a->table.stride);
		for (uint32_t k = 0; k < a->map->n_keys; k++)
			a->has_known |= a->keys[k].flags & SP_FIELD_KNOWN;
		a->main.key_size = known_key_size(bundle, a->map);
		a->kernel_key = sp_malloc(a->main.key_size);
		a->n_records = 1;
		if (a->map->kind == SP_MAP_STAT && a->main.fd >= 0) {
			a->n_records = (unsigned)SP_MAX(libbpf_num_possible_cpus(), 1);
			a->records = sp_calloc(a->n_records, a->map->value_size);
			a->own = sp_calloc(1, a->map->value_size);
		}
	}
	return store;
}

void store_destroy(struct store *store)
{
	if (!store)
		return;
	for (unsigned i = 0; i < store->bundle->n_maps; i++) {
		table_clear(&store->arrays[i].table);
		adder_destroy(store->arrays[i].main.adder);
		adder_destroy(store->arrays[i].shorts.adder);
		free(store->arrays[i].element);
		free(store->arrays[i].kernel_key);
		free(store->arrays[i].records);
		free(store->arrays[i].own);
	}
	free(store->arrays);
	free(store);
}

// What the kernel's map has for this key. NULL: it has no element of it, and can have none.
static const void *kernel_key(struct array *a, const void *key)
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

// Below, `key` of functions that are about the kernel is a kernel_key().

static struct part *part_of(struct array *a, const void *key)
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

static int kernel_lookup(struct array *a, const void *key, void *value_ret)
{
	int error = bpf_map_lookup_elem(part_of(a, key)->fd, key, a->records ? (void *)a->records : value_ret) < 0 ? errno : 0;

	if (error && error != ENOENT)
		a->failure = error;
	if (error)
		return -error;
	if (a->records)
		take_kernel_value(a, key, a->records, value_ret);
	return 0;
}

// NULL: the array has no place for it.
static struct sp_direct *direct_element(struct array *a, const void *key)
{
	const uint64_t *number = kernel_key(a, key);

	return number ? &a->direct[*number] : NULL;
}

static uint64_t direct_count(const struct array *a)
{
	return (uint64_t)a->bundle->names[a->keys->more].left + 1;
}

int store_get(struct store *store, unsigned map, const void *key, void *value_ret)
{
	struct array *a = array_of(store, map);
	const char *e;
	int ret;

	if (a->direct)
		return direct_get(direct_element(a, key), value_ret);
	if (a->main.fd < 0) {
		e = table_find(&a->table, key);
		if (e)
			memcpy(value_ret, e + a->map->key_size, a->map->value_size);
		else
			memset(value_ret, 0, a->map->value_size);
		return e != NULL;
	}
	key = kernel_key(a, key);
	ret = key ? kernel_lookup(a, key, value_ret) : -ENOENT;
	if (ret == 0)
		return 1;
	memset(value_ret, 0, a->map->value_size);
	return ret == -ENOENT ? 0 : ret;
}

void store_report(const struct store *store, const struct sp_log *log)
{
	for (unsigned i = 0; i < store->bundle->n_maps; i++)
		if (store->arrays[i].failure)
			sp_log(log, SP_LOG_WARN, "elements of %s could not be read: %s", bundle_text(store->bundle, store->arrays[i].map->label),
			       strerror(store->arrays[i].failure));
}

static bool is_ordered(const struct array *a)
{
	return a->main.fd >= 0 && a->map->flags & SP_MAP_ORDERED;
}

// The count is never too large, so that no handler takes the array for full.
static int delete_split(struct array *a, const void *key)
{
	int error;

	__atomic_fetch_sub(a->count, 1, __ATOMIC_RELAXED);
	error = bpf_map_delete_elem(part_of(a, key)->fd, key) < 0 ? errno : 0;
	if (error)
		__atomic_fetch_add(a->count, 1, __ATOMIC_RELAXED);
	return error == ENOENT ? 0 : -error;
}

// Makes an element of a split array. -EEXIST: there is one.
static int make_split(struct array *a, const void *key, const void *value)
{
	if (bpf_map_update_elem(part_of(a, key)->fd, key, value, BPF_NOEXIST) < 0)
		return -errno;
	if (__atomic_fetch_add(a->count, 1, __ATOMIC_RELAXED) < a->map->max_entries)
		return 0;
	delete_split(a, key);
	return -E2BIG;
}

static int set_split(struct array *a, const void *key, const void *value)
{
	int ret = make_split(a, key, value);

	if (ret != -EEXIST)
		return ret;
	return bpf_map_update_elem(part_of(a, key)->fd, key, value, BPF_EXIST) < 0 && errno != ENOENT ? -errno : 0;
}

// If the element of a wrapping array has gone meanwhile, it has made room for others: that is no error.
static int set_ordered(struct store *store, struct array *a, const void *key, const void *value)
{
	int ret = order_put(&store->order, store->bundle, a->index, key, value);

	if (ret != SP_ORDER_KNOWN)
		return SP_MIN(ret, 0);
	return bpf_map_update_elem(a->main.fd, key, value, BPF_EXIST) < 0 && errno != ENOENT ? -errno : 0;
}

int store_set(struct store *store, unsigned map, const void *key, const void *value)
{
	struct array *a = array_of(store, map);
	char *e;

	a->changes++;
	if (a->direct)
		return direct_set(direct_element(a, key), value);
	if (is_ordered(a))
		return set_ordered(store, a, key, value);
	if (a->shorts.fd >= 0)
		return set_split(a, key, value);
	if (a->main.fd >= 0) {
		key = kernel_key(a, key);
		return !key ? -EINVAL : bpf_map_update_elem(a->main.fd, key, value, BPF_ANY) < 0 ? -errno : 0;
	}
	e = table_insert(&a->table, key);
	if (!e)
		return -E2BIG;
	memcpy(e + a->map->key_size, value, a->map->value_size);
	return 0;
}

// Makes an element of an array whose elements no adder makes. SP_ORDER_KNOWN: there is one.
static int make_number(struct store *store, struct array *a, const void *key, int64_t value)
{
	int ret;

	if (is_ordered(a))
		return order_put(&store->order, store->bundle, a->index, key, &value);
	ret = make_split(a, key, &value);
	return ret == -EEXIST ? SP_ORDER_KNOWN : ret;
}

// Without an adder, what a handler in the kernel adds between the lookup and the update is lost.
static int kernel_add(struct store *store, unsigned map, const void *key, int64_t delta, int64_t *old_ret)
{
	struct array *a = array_of(store, map);
	struct part *part = part_of(a, key);
	bool makes = !is_ordered(a) && a->shorts.fd < 0;
	int64_t value;
	int ret;

	if (!part->tried_adder)
		part->adder = adder_create(part->fd, part->key_size, makes);
	part->tried_adder = true;
	a->changes++;
	if (part->adder && !makes) {
		ret = make_number(store, a, key, delta);
		if (ret != SP_ORDER_KNOWN)
			return ret;
		ret = adder_add(part->adder, key, delta, old_ret);
		return ret == -E2BIG ? 0 : ret;
	}
	if (part->adder) {
		key = kernel_key(a, key);
		return key ? adder_add(part->adder, key, delta, old_ret) : -EINVAL;
	}
	ret = store_get(store, map, key, old_ret);
	if (ret < 0)
		return ret;
	value = (int64_t)((uint64_t)*old_ret + (uint64_t)delta);
	return store_set(store, map, key, &value);
}

int store_add(struct store *store, unsigned map, const void *key, int64_t delta, int64_t *old_ret)
{
	struct array *a = array_of(store, map);
	int64_t old = 0, value;

	if (a->direct || a->main.fd >= 0) {
		int ret = a->direct ? direct_add(direct_element(a, key), delta, &old) : kernel_add(store, map, key, delta, &old);

		if (ret < 0)
			return ret;
	} else {
		char *e = table_insert(&a->table, key);

		if (!e)
			return -E2BIG;
		e += a->map->key_size;
		memcpy(&old, e, sizeof(old));
		value = (int64_t)((uint64_t)old + (uint64_t)delta);
		memcpy(e, &value, sizeof(value));
		a->changes++;
	}
	if (old_ret)
		*old_ret = old;
	return 0;
}

// Makes an element of zeros, unless there is one.
static int make_element(struct store *store, struct array *a, const void *key)
{
	memset(a->records, 0, (size_t)a->n_records * a->map->value_size);
	if (!a->map->n_keys)
		return 0;
	if (is_ordered(a))
		return SP_MIN(order_put(&store->order, store->bundle, a->index, key, a->records), 0);
	return bpf_map_update_elem(a->main.fd, key, a->records, BPF_NOEXIST) < 0 && errno != EEXIST ? -errno : 0;
}

// The kernel only takes the records of all CPUs at once, and its handlers add to them meanwhile. So what user-side
// handlers add is in a map of its own.
static int add_own(struct store *store, struct array *a, const void *key, int64_t value)
{
	int ret = make_element(store, a, key);

	if (ret < 0)
		return ret;
	if (bpf_map_lookup_elem(a->own_fd, key, a->own) < 0)
		memset(a->own, 0, a->map->value_size);
	stat_add(&a->map->stat, a->own, value);
	if (bpf_map_update_elem(a->own_fd, key, a->own, BPF_ANY) < 0)
		return -errno;
	// If a handler has deleted the element meanwhile, ours goes, too.
	if (bpf_map_lookup_elem(a->main.fd, key, a->records) < 0)
		bpf_map_delete_elem(a->own_fd, key);
	return 0;
}

int store_stat_add(struct store *store, unsigned map, const void *key, int64_t value)
{
	struct array *a = array_of(store, map);
	char *e;

	a->changes++;
	if (a->main.fd < 0) {
		e = table_insert(&a->table, key);
		if (!e)
			return -E2BIG;
		stat_add(&a->map->stat, (uint64_t *)(void *)(e + a->map->key_size), value);
		return 0;
	}
	key = kernel_key(a, key);
	return key ? add_own(store, a, key, value) : -EINVAL;
}

static int kernel_delete(struct store *store, struct array *a, const void *key)
{
	if (a->shorts.fd >= 0)
		return delete_split(a, key);
	if (a->own_fd >= 0 && bpf_map_delete_elem(a->own_fd, key) < 0 && errno != ENOENT)
		return -errno;
	if (is_ordered(a))
		return SP_MIN(order_drop(&store->order, store->bundle, a->index, key), 0);
	return bpf_map_delete_elem(a->main.fd, key) < 0 && errno != ENOENT ? -errno : 0;
}

int store_delete(struct store *store, unsigned map, const void *key)
{
	struct array *a = array_of(store, map);
	char *e;

	a->changes++;
	if (a->direct) {
		direct_delete(direct_element(a, key));
		return 0;
	}
	if (a->main.fd >= 0) {
		key = kernel_key(a, key);
		return key ? kernel_delete(store, a, key) : 0;
	}
	e = table_find(&a->table, key);
	if (e)
		table_delete(&a->table, e);
	return 0;
}

// ---- snapshots of the kernel's maps ---------------------------------------------------------------------------------

struct elements {
	char *data; // key, value; the array's stride
	size_t n, room;
};

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

// Returns -EINVAL and the like when this kernel has no batches for such a map.
static int kernel_read_batches(struct array *a, const struct part *part, struct elements *es)
{
	uint32_t key_size = part->key_size;
	size_t value_size = (size_t)a->map->value_size * a->n_records;
	uint32_t batch = SP_MIN(a->map->max_entries, 16384u), token = 0;
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

			take_kernel_value(a, key, values + i * value_size, add_element(a, part, key, es));
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
		if (kernel_lookup(a, key, value) < 0)
			memset(value, 0, a->map->value_size);
	}
	return 0;
}

static void direct_read(struct array *a, struct elements *es)
{
	for (uint64_t i = 0; i < direct_count(a); i++) {
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

static int kernel_read(struct array *a, struct elements *es)
{
	int ret;

	if (a->direct) {
		direct_read(a, es);
		return 0;
	}
	ret = kernel_read_part(a, &a->main, es);
	return ret < 0 || a->shorts.fd < 0 ? ret : kernel_read_part(a, &a->shorts, es);
}

int store_clear(struct store *store, unsigned map)
{
	struct array *a = array_of(store, map);
	struct elements es = { 0 };
	int ret;

	a->changes++;
	for (uint64_t i = 0; a->direct && i < direct_count(a); i++)
		direct_delete(&a->direct[i]);
	if (a->main.fd < 0) {
		table_clear(&a->table);
		return 0;
	}
	if (a->map->kind == SP_MAP_STAT && !a->map->n_keys) {
		const char key[SP_STAT_KEY_SIZE] = { 0 };

		memset(a->records, 0, (size_t)a->n_records * a->map->value_size);
		if (a->own_fd >= 0 && bpf_map_delete_elem(a->own_fd, key) < 0 && errno != ENOENT)
			return -errno;
		return bpf_map_update_elem(a->main.fd, key, a->records, BPF_ANY) < 0 ? -errno : 0;
	}
	ret = kernel_read(a, &es);
	for (size_t i = 0; ret == 0 && i < es.n; i++)
		ret = store_delete(store, map, es.data + i * a->table.stride);
	free(es.data);
	return ret;
}

// ---- iterators ------------------------------------------------------------------------------------------------------

static void select_elements(struct array *a, const struct sort *sort, int64_t limit, const struct elements *kernel,
			    struct store_iter *iter)
{
	struct selection sel = { .sort = sort, .limit = limit < 0 ? SIZE_MAX : (size_t)limit };

	if (a->direct || a->main.fd >= 0)
		for (size_t i = 0; i < kernel->n; i++)
			selection_add(&sel, kernel->data + i * a->table.stride);
	else
		for (uint32_t i = a->table.oldest; i < a->table.n; i++)
			if (a->table.live[i])
				selection_add(&sel, table_element(&a->table, i));
	iter->n = sel.n;
	iter->elements = selection_finish(&sel, a->table.stride);
}

struct store_iter *store_iter_open(struct store *store, unsigned map, unsigned sort_key, int direction, int64_t limit)
{
	struct array *a = array_of(store, map);
	struct elements kernel = { 0 };
	struct store_iter *iter;
	struct sort sort;

	if (!sort_init(a->map, a->keys, sort_key, direction, &sort))
		return NULL;
	if ((a->direct || a->main.fd >= 0) && kernel_read(a, &kernel) < 0) {
		free(kernel.data);
		return NULL;
	}
	iter = sp_calloc(1, sizeof(*iter));
	iter->store = store;
	iter->array = a;
	iter->changes = a->changes;
	select_elements(a, &sort, limit, &kernel, iter);
	free(kernel.data);
	return iter;
}

// An element that was changed through this store since the snapshot comes with its present value.
int store_iter_next(struct store_iter *iter, void *key_ret, void *value_ret)
{
	struct array *a = iter->array;

	while (iter->next < iter->n) {
		const char *e = iter->elements + iter->next++ * a->table.stride;

		if (a->changes != iter->changes) {
			const char *now = a->element;

			if (!a->direct && a->main.fd < 0)
				now = table_find(&a->table, e);
			else if (store_get(iter->store, a->index, e, a->element + a->map->key_size) != 1)
				now = NULL;
			if (!now)
				continue;
			if (value_ret)
				memcpy(value_ret, now + a->map->key_size, a->map->value_size);
		} else if (value_ret) {
			memcpy(value_ret, e + a->map->key_size, a->map->value_size);
		}
		memcpy(key_ret, e, a->map->key_size);
		return 1;
	}
	return 0;
}

void store_iter_close(struct store_iter *iter)
{
	if (!iter)
		return;
	free(iter->elements);
	free(iter);
}
