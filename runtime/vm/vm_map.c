// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/vm_map.h"

#include "runtime/vm/stat.h"
#include "runtime/vm/vm_arg.h"

#include <errno.h>
#include <stdlib.h>

static bool take_map(struct vm *vm, uint64_t handle, unsigned *ret)
{
	uint64_t map = handle - VM_MAP_HANDLE;

	*ret = (unsigned)map;
	if (map >= vm->env.bundle->n_maps)
		return vm_arg_fault(vm, "what is not an array");
	return true;
}

// An array of values, or aggregates.
static bool take_map_of(struct vm *vm, uint64_t handle, enum sp_map_kind kind, unsigned *ret)
{
	if (!take_map(vm, handle, ret))
		return false;
	return vm->env.bundle->maps[*ret].kind == kind || vm_arg_fault(vm, "an array of another kind");
}

bool vm_map_get(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	const void *key;
	void *value;
	unsigned map;

	if (!take_map_of(vm, r[1], SP_MAP_HASH, &map) || !vm_arg_memory(vm, r[2], maps[map].key_size, false, &key) ||
	    !vm_arg_memory(vm, r[3], maps[map].value_size, true, &value))
		return false;
	r[0] = (uint64_t)(int64_t)store_get(vm->env.store, map, key, value);
	return true;
}

bool vm_map_set(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	const void *key, *value;
	unsigned map;

	if (!take_map_of(vm, r[1], SP_MAP_HASH, &map) || !vm_arg_memory(vm, r[2], maps[map].key_size, false, &key) ||
	    !vm_arg_memory(vm, r[3], maps[map].value_size, false, &value))
		return false;
	r[0] = (uint64_t)(int64_t)store_set(vm->env.store, map, key, value);
	return true;
}

bool vm_map_add(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	int64_t old = 0;
	void *old_out = NULL;
	const void *key;
	unsigned map;
	int ret;

	if (!take_map_of(vm, r[1], SP_MAP_HASH, &map) || !vm_arg_memory(vm, r[2], maps[map].key_size, false, &key))
		return false;
	if (maps[map].value_type != SP_LONG)
		return vm_arg_fault(vm, "an array of strings to add to");
	if (r[4] && !vm_arg_memory(vm, r[4], sizeof(old), true, &old_out))
		return false;
	ret = store_add(vm->env.store, map, key, (int64_t)r[3], &old);
	if (old_out)
		memcpy(old_out, &old, sizeof(old));
	r[0] = (uint64_t)(int64_t)ret;
	return true;
}

bool vm_map_has(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	const void *key;
	void *value;
	unsigned map;

	if (!take_map(vm, r[1], &map) || !vm_arg_memory(vm, r[2], maps[map].key_size, false, &key))
		return false;
	value = sp_malloc(maps[map].value_size);
	r[0] = store_get(vm->env.store, map, key, value) == 1;
	free(value);
	return true;
}

bool vm_map_delete(struct vm *vm, uint64_t *r)
{
	const void *key;
	unsigned map;

	if (!take_map(vm, r[1], &map) ||
	    !vm_arg_memory(vm, r[2], vm->env.bundle->maps[map].key_size, false, &key))
		return false;
	r[0] = (uint64_t)(int64_t)store_delete(vm->env.store, map, key);
	return true;
}

bool vm_map_clear(struct vm *vm, uint64_t *r)
{
	unsigned map;

	if (!take_map(vm, r[1], &map))
		return false;
	r[0] = (uint64_t)(int64_t)store_clear(vm->env.store, map);
	return true;
}

bool vm_map_iter_open(struct vm *vm, uint64_t *r)
{
	int direction = (int)(r[2] & 3) - 1;
	uint64_t key = r[2] >> 2;
	unsigned map, n = 0;

	if (!take_map(vm, r[1], &map))
		return false;
	if (direction > 1 || (key > vm->env.bundle->maps[map].n_keys &&
			      (vm->env.bundle->maps[map].kind != SP_MAP_STAT || key < SP_VM_SORT_STAT)))
		return vm_arg_fault(vm, "an unknown order");
	while (n < VM_MAX_ITERS && vm->iters[n])
		n++;
	if (n == VM_MAX_ITERS)
		return vm_arg_fault(vm, "too many open iterators");
	vm->iters[n] = store_iter_open(vm->env.store, map, (unsigned)key, direction, (int64_t)r[3]);
	vm->iter_sizes[n].key_size = vm->env.bundle->maps[map].key_size;
	vm->iter_sizes[n].value_size = vm->env.bundle->maps[map].kind == SP_MAP_STAT
					       ? 0
					       : vm->env.bundle->maps[map].value_size;
	r[0] = vm->iters[n] ? n : (uint64_t)-EIO;
	return true;
}

bool vm_map_iter_next(struct vm *vm, uint64_t *r)
{
	uint64_t n = r[1];
	void *key, *value = NULL;

	if (n >= VM_MAX_ITERS || !vm->iters[n])
		return vm_arg_fault(vm, "what is not an iterator");
	if (!vm_arg_memory(vm, r[2], vm->iter_sizes[n].key_size, true, &key) ||
	    (vm->iter_sizes[n].value_size &&
	     !vm_arg_memory(vm, r[3], vm->iter_sizes[n].value_size, true, &value)))
		return false;
	r[0] = (uint64_t)(int64_t)store_iter_next(vm->iters[n], key, value);
	return true;
}

bool vm_map_iter_close(struct vm *vm, uint64_t *r)
{
	uint64_t n = r[1];

	if (n >= VM_MAX_ITERS || !vm->iters[n])
		return vm_arg_fault(vm, "what is not an iterator");
	store_iter_close(vm->iters[n]);
	vm->iters[n] = NULL;
	r[0] = 0;
	return true;
}

// ---- aggregates -----------------------------------------------------------------------------------------------------

// Every call on aggregates begins with the map and the key.
static bool take_stat(struct vm *vm, const uint64_t *r, unsigned *map_ret, const void **key_ret)
{
	return take_map_of(vm, r[1], SP_MAP_STAT, map_ret) &&
	       vm_arg_memory(vm, r[2], vm->env.bundle->maps[*map_ret].key_size, false, key_ret);
}

// The element's merged record, to be freed.
static uint64_t *stat_record(struct vm *vm, unsigned map, const void *key)
{
	uint64_t *record = sp_malloc(vm->env.bundle->maps[map].value_size);

	store_get(vm->env.store, map, key, record);
	return record;
}

bool vm_map_stat_add(struct vm *vm, uint64_t *r)
{
	const void *key;
	unsigned map;

	if (!take_stat(vm, r, &map, &key))
		return false;
	r[0] = (uint64_t)(int64_t)store_stat_add(vm->env.store, map, key, (int64_t)r[3]);
	return true;
}

bool vm_map_stat_get(struct vm *vm, uint64_t *r)
{
	const struct sp_stat_shape *shape;
	const void *key;
	uint64_t *record;
	void *out;
	int64_t value;
	unsigned map;

	if (!take_stat(vm, r, &map, &key) || !vm_arg_memory(vm, r[4], sizeof(value), true, &out))
		return false;
	shape = &vm->env.bundle->maps[map].stat;
	if (r[3] >= SP_STAT_LOG || !(shape->reads >> r[3] & 1))
		return vm_arg_fault(vm, "an extractor that the aggregate does not keep");
	record = stat_record(vm, map, key);
	r[0] = (uint64_t)stat_read(shape, record, (enum sp_stat)r[3], &value);
	memcpy(out, &value, sizeof(value));
	free(record);
	return true;
}

static bool take_hist(struct vm *vm, unsigned map, uint64_t what)
{
	if ((what == SP_STAT_LOG || what == SP_STAT_LINEAR) &&
	    vm->env.bundle->maps[map].stat.reads >> what & 1)
		return true;
	return vm_arg_fault(vm, "a histogram that the aggregate does not keep");
}

bool vm_map_stat_bucket(struct vm *vm, uint64_t *r)
{
	const uint64_t *buckets;
	uint64_t *record, count = 0;
	const void *key;
	void *out;
	unsigned map;
	uint32_t n;

	if (!take_stat(vm, r, &map, &key) || !take_hist(vm, map, r[3]) ||
	    !vm_arg_memory(vm, r[5], sizeof(count), true, &out))
		return false;
	record = stat_record(vm, map, key);
	buckets = stat_buckets(&vm->env.bundle->maps[map].stat, record, (enum sp_stat)r[3], &n);
	if (stat_buckets_empty(buckets, n)) {
		r[0] = 0;
	} else if (r[4] >= n) {
		r[0] = (uint64_t)-ERANGE;
	} else {
		r[0] = 1;
		count = buckets[r[4]];
	}
	memcpy(out, &count, sizeof(count));
	free(record);
	return true;
}

// A histogram: its aggregate's record, to be freed, and the buckets in it, which are NULL when there are no values.
struct drawn {
	unsigned map;
	const struct sp_stat_shape *shape;
	const uint64_t *buckets;
	uint64_t *record;
};

// `args[1..]`: a map, its key, which histogram
static bool take_drawn(struct vm *vm, const uint64_t *args, struct drawn *ret)
{
	const void *key;
	unsigned map;
	uint32_t n;

	if (!take_stat(vm, args, &map, &key) || !take_hist(vm, map, args[3]))
		return false;
	ret->map = map;
	ret->shape = &vm->env.bundle->maps[map].stat;
	ret->record = stat_record(vm, map, key);
	ret->buckets = stat_buckets(ret->shape, ret->record, (enum sp_stat)args[3], &n);
	if (stat_buckets_empty(ret->buckets, n))
		ret->buckets = NULL;
	return true;
}

bool vm_map_stat_print(struct vm *vm, uint64_t *r)
{
	struct drawn hist;

	if (!take_drawn(vm, r, &hist))
		return false;
	if (hist.buckets)
		transport_hist(vm->env.transport, hist.map, (enum sp_stat)r[3], hist.buckets);
	r[0] = hist.buckets != NULL;
	free(hist.record);
	return true;
}

bool vm_map_stat_text(struct vm *vm, uint64_t *r)
{
	struct drawn hist;
	char *dst;

	if (!vm_arg_memory(vm, r[1], r[2], true, &dst) || !take_drawn(vm, r + 2, &hist))
		return false;
	sp_buf_clear(&vm->text);
	if (hist.buckets)
		stat_print(&vm->text, hist.shape, (enum sp_stat)r[5], hist.buckets);
	free(hist.record);
	vm_arg_put_text(dst, r[2], sp_buf_str(&vm->text), vm->text.len);
	r[0] = vm->text.len;
	return true;
}
