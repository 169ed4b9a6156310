// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "runtime/vm/store.h"

#include "runtime/load/known.h"
#include "runtime/vm/array.h"
#include "runtime/vm/sort.h"
#include "runtime/vm/stat.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

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
	struct sortable *sorted; // of which each is in
	char *elements;
};

static struct array *array_of(struct store *store, unsigned map)
{
	return &store->arrays[map];
}

static void find_shorts(struct array *a, int fd, void *data)
{
	uint32_t size = a->keys[a->map->n_keys - 1].size;

	a->count = (uint64_t *)(void *)((char *)data + a->map->data_offset);
	a->shorts.fd = fd;
	a->shorts.key_size = a->map->key_size - size + sp_short_text(size);
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
		a->own_fd = kernel && a->map->flags & SP_MAP_APART ? kernel->own_fds[i] : -1;
		if (kernel && a->map->flags & SP_MAP_DIRECT)
			a->direct = (struct sp_direct *)(void *)((char *)kernel->data + a->map->data_offset);
		a->keys = &bundle->fields[a->map->first_key];
		if (kernel && a->map->flags & SP_MAP_SPLIT && kernel->short_fds[i] >= 0)
			find_shorts(a, kernel->short_fds[i], kernel->data);
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

// Of an array in this process. foreach (k in a) asks for a[k], mostly.
static const char *find(const struct array *a, const void *key)
{
	if (a->current && a->current_changes == a->changes && memcmp(a->current, key, a->map->key_size) == 0)
		return a->current;
	return table_find(&a->table, key);
}

int store_get(struct store *store, unsigned map, const void *key, void *value_ret)
{
	struct array *a = array_of(store, map);
	const char *e;
	int ret;

	if (a->direct)
		return direct_get(array_direct(a, key), value_ret);
	if (a->main.fd < 0) {
		e = find(a, key);
		if (e)
			memcpy(value_ret, e + a->map->key_size, a->map->value_size);
		else
			memset(value_ret, 0, a->map->value_size);
		return e != NULL;
	}
	key = array_kernel_key(a, key);
	ret = key ? array_lookup(a, key, value_ret) : -ENOENT;
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
		return direct_set(array_direct(a, key), value);
	if (is_ordered(a))
		return set_ordered(store, a, key, value);
	if (a->shorts.fd >= 0)
		return array_split_set(a, key, value);
	if (a->main.fd >= 0) {
		key = array_kernel_key(a, key);
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
	ret = array_split_add(a, key, &value);
	return ret == -EEXIST ? SP_ORDER_KNOWN : ret;
}

// Without an adder, what a handler in the kernel adds between the lookup and the update is lost.
static int kernel_add(struct store *store, unsigned map, const void *key, int64_t delta, int64_t *old_ret)
{
	struct array *a = array_of(store, map);
	struct part *part = array_part(a, key);
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
		key = array_kernel_key(a, key);
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
		int ret = a->direct ? direct_add(array_direct(a, key), delta, &old) : kernel_add(store, map, key, delta, &old);

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
	int ret;

	memset(a->records, 0, (size_t)a->n_records * a->map->value_size);
	if (!a->map->n_keys)
		return 0;
	if (a->shorts.fd >= 0) {
		ret = array_split_add(a, key, a->records);
		return ret == -EEXIST ? 0 : ret;
	}
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
	if (bpf_map_lookup_elem(array_part(a, key)->fd, key, a->records) < 0)
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
	key = array_kernel_key(a, key);
	return key ? add_own(store, a, key, value) : -EINVAL;
}

static int kernel_delete(struct store *store, struct array *a, const void *key)
{
	if (a->own_fd >= 0 && bpf_map_delete_elem(a->own_fd, key) < 0 && errno != ENOENT)
		return -errno;
	if (a->shorts.fd >= 0)
		return array_split_delete(a, key);
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
		direct_delete(array_direct(a, key));
		return 0;
	}
	if (a->main.fd >= 0) {
		key = array_kernel_key(a, key);
		return key ? kernel_delete(store, a, key) : 0;
	}
	e = table_find(&a->table, key);
	if (e)
		table_delete(&a->table, e);
	return 0;
}

int store_clear(struct store *store, unsigned map)
{
	struct array *a = array_of(store, map);
	struct elements es = { 0 };
	int ret;

	a->changes++;
	for (uint64_t i = 0; a->direct && i < array_direct_count(a); i++)
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
	ret = array_read(a, &es);
	for (size_t i = 0; ret == 0 && i < es.n; i++)
		ret = store_delete(store, map, es.data + i * a->table.stride);
	free(es.data);
	return ret;
}

// ---- iterators ------------------------------------------------------------------------------------------------------

// What the kernel's maps hold has been copied before: where few of many are wanted, those alone are kept.
static void select_elements(struct array *a, const struct sort *sort, int64_t limit, struct elements *kernel, struct store_iter *iter)
{
	struct selection sel = { .sort = sort, .limit = limit < 0 ? SIZE_MAX : (size_t)limit };

	if (a->direct || a->main.fd >= 0)
		for (size_t i = 0; i < kernel->n; i++)
			selection_add(&sel, kernel->data + i * a->table.stride);
	else
		for (uint32_t i = a->table.oldest; i < a->table.n; i++)
			if (a->table.live[i])
				selection_add(&sel, table_element(&a->table, i));
	selection_finish(&sel);
	iter->n = sel.n;
	if (kernel->n && sel.n == kernel->n) {
		iter->elements = kernel->data;
		kernel->data = NULL;
	} else {
		iter->elements = selection_copy(&sel, a->table.stride);
	}
	iter->sorted = sel.v;
}

struct store_iter *store_iter_open(struct store *store, unsigned map, unsigned sort_key, int direction, int64_t limit)
{
	struct array *a = array_of(store, map);
	struct elements kernel = { 0 };
	struct store_iter *iter;
	struct sort sort;

	if (!sort_init(a->map, a->keys, sort_key, direction, &sort))
		return NULL;
	if ((a->direct || a->main.fd >= 0) && array_read(a, &kernel) < 0) {
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
		const char *e = iter->sorted[iter->next++].element;

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
		} else {
			a->current = e;
			a->current_changes = a->changes;
			if (value_ret)
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
	iter->array->current = NULL;
	free(iter->elements);
	free(iter->sorted);
	free(iter);
}
