// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/vm/vm_call.h"

#include "runtime/print/format.h"
#include "runtime/ptrace/stack.h"
#include "runtime/vm/stat.h"
#include "runtime/vm/vm_format.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A task's string is read in pieces of so many bytes, never over the end of a page.
#define STRING_CHUNK 256
#define PAGE 4096
#define STACK_MAX 127 // addresses, as in the kernel

// What the kernel's count of jiffies starts from.
#define INITIAL_JIFFIES(hz) (((uint64_t)1 << 32) - 300u * (uint64_t)(hz))

// ---- arguments ------------------------------------------------------------------------------------------------------

static bool fault(struct vm *vm, const char *what)
{
	const struct bundle *b = vm->env.bundle;
	const char *handler = bundle_text(b, b->progs[vm->prog].name);

	vm->fault = sp_err_new(SP_ERR_BUG, "handler %s: a call got %s", handler, what);
	return false;
}

static bool take_map(struct vm *vm, uint64_t handle, unsigned *ret)
{
	uint64_t map = handle - VM_MAP_HANDLE;

	if (map >= vm->env.bundle->n_maps)
		return fault(vm, "what is not an array");
	*ret = (unsigned)map;
	return true;
}

// An array of values, or aggregates.
static bool take_map_of(struct vm *vm, uint64_t handle, enum sp_map_kind kind, unsigned *ret)
{
	if (!take_map(vm, handle, ret))
		return false;
	return vm->env.bundle->maps[*ret].kind == kind || fault(vm, "an array of another kind");
}

static bool take_memory(struct vm *vm, uint64_t addr, uint64_t size, bool write, void *ret)
{
	void *at = vm_memory(vm, addr, size, write);

	if (!at)
		return fault(vm, write ? "an address that cannot be written"
				       : "an address that cannot be read");
	memcpy(ret, &at, sizeof(at));
	return true;
}

// Bytes from `addr` to the end of its area; 0 when it is in none.
static size_t room_at(const struct vm *vm, uint64_t addr)
{
	return vm_memory(vm, addr, 1, false)
		       ? vm->areas[(addr >> 32) - VM_MEMORY].size - (uint32_t)addr
		       : 0;
}

// A NUL-terminated string.
static bool take_string(struct vm *vm, uint64_t addr, const char **ret, size_t *len_ret)
{
	const char *s = vm_memory(vm, addr, 1, false);
	size_t room = room_at(vm, addr), len;

	if (!s)
		return fault(vm, "a string's address that cannot be read");
	len = strnlen(s, room);
	if (len == room)
		return fault(vm, "a string without end");
	*ret = s;
	*len_ret = len;
	return true;
}

// Puts `len` bytes of text there, cut to the capacity with its NUL, and clears the rest, so that strings in keys compare
// as bytes. Returns the length. `src` may overlap `dst`.
static uint64_t put_text(char *dst, size_t capacity, const char *src, size_t len)
{
	if (!capacity)
		return 0;
	len = SP_MIN(len, capacity - 1);
	if (len)
		memmove(dst, src, len);
	memset(dst + len, 0, capacity - len);
	return len;
}

// ---- time and the task ----------------------------------------------------------------------------------------------

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t jiffies(const struct vm *vm)
{
	uint64_t ns_per_tick = 1000000000u / vm->hz;

	return INITIAL_JIFFIES(vm->hz) + clock_ns(CLOCK_MONOTONIC) / ns_per_tick;
}

// xorshift64: as good as the kernel's for scripts.
static uint32_t next_random(struct vm *vm)
{
	vm->random ^= vm->random << 13;
	vm->random ^= vm->random >> 7;
	vm->random ^= vm->random << 17;
	return (uint32_t)(vm->random >> 32);
}

static bool task_id(struct vm *vm, uint64_t *r)
{
	const uint32_t ids[] = { vm->task->ppid, vm->task->euid, vm->task->egid };

	if (r[1] >= SP_ARRAY_SIZE(ids))
		return fault(vm, "an unknown number of the task");
	r[0] = ids[r[1]];
	return true;
}

// Sizes of helpers are 32 bits wide, and signed where they are lengths.
static bool current_comm(struct vm *vm, uint64_t *r)
{
	size_t size = (uint32_t)r[2];
	char *dst;

	if (!take_memory(vm, r[1], size, true, &dst))
		return false;
	put_text(dst, size, vm->task->comm, strnlen(vm->task->comm, sizeof(vm->task->comm)));
	r[0] = 0;
	return true;
}

// ---- reads of the task's memory -------------------------------------------------------------------------------------

enum source { FROM_TASK, FROM_VM, FROM_ANY };

static int read_from(struct vm *vm, enum source source, uint64_t addr, void *dst, size_t size)
{
	const void *own = source == FROM_TASK ? NULL : vm_memory(vm, addr, size, false);

	if (own) {
		memmove(dst, own, size);
		return 0;
	}
	if (source == FROM_VM || !vm->task->read)
		return -EFAULT;
	return vm->task->read(vm->task->ctx, addr, dst, size) < 0 ? -EFAULT : 0;
}

static bool probe_read(struct vm *vm, enum source source, uint64_t *r)
{
	size_t size = (uint32_t)r[2];
	char *dst;
	int ret;

	if (!take_memory(vm, r[1], size, true, &dst))
		return false;
	ret = size ? read_from(vm, source, r[3], dst, size) : 0;
	if (ret < 0)
		memset(dst, 0, size);
	r[0] = (uint64_t)(int64_t)ret;
	return true;
}

// The number of bytes with the NUL, as the kernel's helper has it; a string that is too long is cut.
static int64_t read_string(struct vm *vm, enum source source, uint64_t addr, char *dst, size_t size)
{
	size_t done = 0;

	while (done < size) {
		uint64_t at = addr + done;
		size_t chunk = SP_MIN(size - done, SP_MIN((uint64_t)STRING_CHUNK, PAGE - at % PAGE));
		size_t own = room_at(vm, at);
		char *end;

		if (own)
			chunk = SP_MIN(chunk, own);
		if (read_from(vm, source, at, dst + done, chunk) < 0) {
			memset(dst, 0, size);
			return -EFAULT;
		}
		end = memchr(dst + done, '\0', chunk);
		if (end) {
			// Keys are compared with all their bytes: what stood behind the string in the task's memory is not ours.
			memset(end, 0, (size_t)(dst + done + chunk - end));
			return end - dst + 1;
		}
		done += chunk;
	}
	if (size)
		dst[size - 1] = '\0';
	return (int64_t)size;
}

static bool probe_read_str(struct vm *vm, enum source source, uint64_t *r)
{
	size_t size = (uint32_t)r[2];
	char *dst;

	if (!take_memory(vm, r[1], size, true, &dst))
		return false;
	r[0] = (uint64_t)read_string(vm, source, r[3], dst, size);
	return true;
}

static bool probe_write(struct vm *vm, uint64_t *r)
{
	size_t size = (uint32_t)r[3];
	const char *src;

	if (!take_memory(vm, r[2], size, false, &src))
		return false;
	r[0] = 0;
	if (size && (!vm->task->write || vm->task->write(vm->task->ctx, r[1], src, size) < 0))
		r[0] = (uint64_t)-EFAULT;
	return true;
}

// The stack of the stopped thread, as the kernel walks it. There is none of the kernel's, and none without registers.
static bool get_stack(struct vm *vm, uint64_t *r)
{
	const struct vm_memory *regs = &vm->areas[VM_AREA_CTX];
	uint64_t addresses[STACK_MAX];
	size_t size = (uint32_t)r[3], skip = r[4] & BPF_F_SKIP_FIELD_MASK, n = 0;
	char *dst;

	if (!take_memory(vm, r[2], size, true, &dst))
		return false;
	if (r[4] & BPF_F_USER_STACK && regs->base && vm->task->read) {
		n = stack_walk(vm->task, regs->base, regs->size, addresses, SP_ARRAY_SIZE(addresses));
		if (vm->env.transport->symbols) // names may be asked for when it has ended
			symbols_see(vm->env.transport->symbols, (pid_t)vm->task->pid);
	}
	if (n < skip) {
		r[0] = (uint64_t)-EFAULT;
		return true;
	}
	size = SP_MIN(size / 8, n - skip) * 8;
	memcpy(dst, addresses + skip, size);
	r[0] = size;
	return true;
}

// ---- arrays ---------------------------------------------------------------------------------------------------------

static bool map_get(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	const void *key;
	void *value;
	unsigned map;

	if (!take_map_of(vm, r[1], SP_MAP_HASH, &map) || !take_memory(vm, r[2], maps[map].key_size, false, &key) ||
	    !take_memory(vm, r[3], maps[map].value_size, true, &value))
		return false;
	r[0] = (uint64_t)(int64_t)store_get(vm->env.store, map, key, value);
	return true;
}

static bool map_set(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	const void *key, *value;
	unsigned map;

	if (!take_map_of(vm, r[1], SP_MAP_HASH, &map) || !take_memory(vm, r[2], maps[map].key_size, false, &key) ||
	    !take_memory(vm, r[3], maps[map].value_size, false, &value))
		return false;
	r[0] = (uint64_t)(int64_t)store_set(vm->env.store, map, key, value);
	return true;
}

static bool map_add(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	int64_t old = 0;
	void *old_out = NULL;
	const void *key;
	unsigned map;
	int ret;

	if (!take_map_of(vm, r[1], SP_MAP_HASH, &map) || !take_memory(vm, r[2], maps[map].key_size, false, &key))
		return false;
	if (maps[map].value_type != SP_LONG)
		return fault(vm, "an array of strings to add to");
	if (r[4] && !take_memory(vm, r[4], sizeof(old), true, &old_out))
		return false;
	ret = store_add(vm->env.store, map, key, (int64_t)r[3], &old);
	if (old_out)
		memcpy(old_out, &old, sizeof(old));
	r[0] = (uint64_t)(int64_t)ret;
	return true;
}

static bool map_has(struct vm *vm, uint64_t *r)
{
	const struct sp_map *maps = vm->env.bundle->maps;
	const void *key;
	void *value;
	unsigned map;

	if (!take_map(vm, r[1], &map) || !take_memory(vm, r[2], maps[map].key_size, false, &key))
		return false;
	value = sp_malloc(maps[map].value_size);
	r[0] = store_get(vm->env.store, map, key, value) == 1;
	free(value);
	return true;
}

static bool map_delete(struct vm *vm, uint64_t *r)
{
	const void *key;
	unsigned map;

	if (!take_map(vm, r[1], &map) ||
	    !take_memory(vm, r[2], vm->env.bundle->maps[map].key_size, false, &key))
		return false;
	r[0] = (uint64_t)(int64_t)store_delete(vm->env.store, map, key);
	return true;
}

static bool map_clear(struct vm *vm, uint64_t *r)
{
	unsigned map;

	if (!take_map(vm, r[1], &map))
		return false;
	r[0] = (uint64_t)(int64_t)store_clear(vm->env.store, map);
	return true;
}

static bool iter_open(struct vm *vm, uint64_t *r)
{
	int direction = (int)(r[2] & 3) - 1;
	uint64_t key = r[2] >> 2;
	unsigned map, n = 0;

	if (!take_map(vm, r[1], &map))
		return false;
	if (direction > 1 || (key > vm->env.bundle->maps[map].n_keys &&
			      (vm->env.bundle->maps[map].kind != SP_MAP_STAT || key < SP_VM_SORT_STAT)))
		return fault(vm, "an unknown order");
	while (n < VM_MAX_ITERS && vm->iters[n])
		n++;
	if (n == VM_MAX_ITERS)
		return fault(vm, "too many open iterators");
	vm->iters[n] = store_iter_open(vm->env.store, map, (unsigned)key, direction, (int64_t)r[3]);
	vm->iter_sizes[n].key_size = vm->env.bundle->maps[map].key_size;
	vm->iter_sizes[n].value_size = vm->env.bundle->maps[map].kind == SP_MAP_STAT
					       ? 0
					       : vm->env.bundle->maps[map].value_size;
	r[0] = vm->iters[n] ? n : (uint64_t)-EIO;
	return true;
}

static bool iter_next(struct vm *vm, uint64_t *r)
{
	uint64_t n = r[1];
	void *key, *value = NULL;

	if (n >= VM_MAX_ITERS || !vm->iters[n])
		return fault(vm, "what is not an iterator");
	if (!take_memory(vm, r[2], vm->iter_sizes[n].key_size, true, &key) ||
	    (vm->iter_sizes[n].value_size &&
	     !take_memory(vm, r[3], vm->iter_sizes[n].value_size, true, &value)))
		return false;
	r[0] = (uint64_t)(int64_t)store_iter_next(vm->iters[n], key, value);
	return true;
}

static bool iter_close(struct vm *vm, uint64_t *r)
{
	uint64_t n = r[1];

	if (n >= VM_MAX_ITERS || !vm->iters[n])
		return fault(vm, "what is not an iterator");
	store_iter_close(vm->iters[n]);
	vm->iters[n] = NULL;
	r[0] = 0;
	return true;
}

// ---- aggregates -----------------------------------------------------------------------------------------------------

// The map and the key that every call begins with.
static bool take_stat(struct vm *vm, const uint64_t *r, unsigned *map_ret, const void **key_ret)
{
	return take_map_of(vm, r[1], SP_MAP_STAT, map_ret) &&
	       take_memory(vm, r[2], vm->env.bundle->maps[*map_ret].key_size, false, key_ret);
}

// The element's merged record, to be freed.
static uint64_t *stat_record(struct vm *vm, unsigned map, const void *key)
{
	uint64_t *record = sp_malloc(vm->env.bundle->maps[map].value_size);

	store_get(vm->env.store, map, key, record);
	return record;
}

static bool stat_call_add(struct vm *vm, uint64_t *r)
{
	const void *key;
	unsigned map;

	if (!take_stat(vm, r, &map, &key))
		return false;
	r[0] = (uint64_t)(int64_t)store_stat_add(vm->env.store, map, key, (int64_t)r[3]);
	return true;
}

static bool stat_call_get(struct vm *vm, uint64_t *r)
{
	const struct sp_stat_shape *shape;
	const void *key;
	uint64_t *record;
	void *out;
	int64_t value;
	unsigned map;

	if (!take_stat(vm, r, &map, &key) || !take_memory(vm, r[4], sizeof(value), true, &out))
		return false;
	shape = &vm->env.bundle->maps[map].stat;
	if (r[3] >= SP_STAT_LOG || !(shape->reads >> r[3] & 1))
		return fault(vm, "an extractor that the aggregate does not keep");
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
	return fault(vm, "a histogram that the aggregate does not keep");
}

static bool stat_call_bucket(struct vm *vm, uint64_t *r)
{
	const uint64_t *buckets;
	uint64_t *record, count = 0;
	const void *key;
	void *out;
	unsigned map;
	uint32_t n;

	if (!take_stat(vm, r, &map, &key) || !take_hist(vm, map, r[3]) ||
	    !take_memory(vm, r[5], sizeof(count), true, &out))
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

static bool stat_call_print(struct vm *vm, uint64_t *r)
{
	const struct sp_stat_shape *shape;
	const uint64_t *buckets;
	uint64_t *record;
	const void *key;
	unsigned map;
	uint32_t n;

	if (!take_stat(vm, r, &map, &key) || !take_hist(vm, map, r[3]))
		return false;
	shape = &vm->env.bundle->maps[map].stat;
	record = stat_record(vm, map, key);
	buckets = stat_buckets(shape, record, (enum sp_stat)r[3], &n);
	r[0] = !stat_buckets_empty(buckets, n);
	if (r[0])
		transport_hist(vm->env.transport, shape, (enum sp_stat)r[3], buckets);
	free(record);
	return true;
}

// ---- records, text and strings --------------------------------------------------------------------------------------

static bool emit(struct vm *vm, uint64_t *r)
{
	const void *record;
	struct sp_event_error error;

	if (!take_memory(vm, r[1], r[2], false, &record))
		return false;
	if (r[2] >= sizeof(error)) {
		memcpy(&error, record, sizeof(error));
		if ((error.head.kind & ~SP_EVENT_LAST) == SP_EVENT_ERROR) {
			error.site = vm->site;
			sp_buf_clear(&vm->text);
			sp_buf_add(&vm->text, &error, sizeof(error));
			sp_buf_add(&vm->text, (const char *)record + sizeof(error), r[2] - sizeof(error));
			record = vm->text.data;
		}
	}
	transport_record(vm->env.transport, record, r[2]);
	r[0] = 0;
	return true;
}

static bool format_text(struct vm *vm, uint64_t *r)
{
	const struct bundle *b = vm->env.bundle;
	const void *record;
	char *dst;

	if (r[3] >= b->n_formats)
		return fault(vm, "an unknown format");
	if (!take_memory(vm, r[1], r[2], true, &dst) ||
	    !take_memory(vm, r[4], b->formats[r[3]].record_size, false, &record))
		return false;
	sp_buf_clear(&vm->text);
	format_record(&vm->text, b, vm->env.transport->symbols, &b->formats[r[3]], record);
	// A %c or %m may have brought a NUL; what is behind it is no part of a string.
	r[0] = strlen(sp_buf_str(&vm->text));
	put_text(dst, r[2], sp_buf_str(&vm->text), r[0]);
	return true;
}

static bool symbols_text(struct vm *vm, uint64_t *r)
{
	const void *symbols;
	char *dst;

	if (!take_memory(vm, r[1], r[2], true, &dst) || !take_memory(vm, r[3], r[4], false, &symbols))
		return false;
	sp_buf_clear(&vm->text);
	symbols_put(&vm->text, vm->env.transport->symbols, symbols, r[4]);
	r[0] = put_text(dst, r[2], sp_buf_str(&vm->text), vm->text.len);
	return true;
}

static const char *string_at(void *ctx, uint64_t addr)
{
	const char *text;
	size_t len;

	return take_string(ctx, addr, &text, &len) ? text : NULL;
}

// bpf_snprintf: the length with its NUL, also of what did not fit.
static bool kernel_snprintf(struct vm *vm, uint64_t *r)
{
	struct vm_format f = { .n_values = r[5] / sizeof(uint64_t), .string = string_at, .ctx = vm };
	const char *format, *wrong;
	size_t len;
	char *dst;

	if (!take_memory(vm, r[1], r[2], true, &dst) || !take_string(vm, r[3], &format, &len) ||
	    !take_memory(vm, r[4], r[5], false, &f.values))
		return false;
	sp_buf_clear(&vm->text);
	wrong = vm_format(&f, format, &vm->text);
	if (vm->fault)
		return false;
	if (wrong)
		return fault(vm, wrong);
	put_text(dst, r[2], sp_buf_str(&vm->text), vm->text.len);
	r[0] = vm->text.len + 1;
	return true;
}

// Scratch memory only grows within a handler; addresses stay as they are when its block moves.
static bool scratch(struct vm *vm, uint64_t *r)
{
	struct vm_memory *area = &vm->areas[VM_AREA_SCRATCH];
	uint64_t size = r[1], start = area->size;

	if (size > VM_MAX_SCRATCH || start + SP_ALIGN_UP(size, 16) > VM_MAX_SCRATCH)
		return fault(vm, "no more scratch memory");
	size = SP_ALIGN_UP(size, 16);
	if (start + size > vm->scratch_room) {
		vm->scratch_room = SP_ALIGN_UP(SP_MAX(start + size, vm->scratch_room * 2),
					       VM_SCRATCH_CHUNK);
		vm->scratch = sp_realloc(vm->scratch, vm->scratch_room);
	}
	if (size)
		memset(vm->scratch + start, 0, size);
	area->base = vm->scratch;
	area->size = start + size;
	r[0] = vm_address(VM_AREA_SCRATCH, start);
	return true;
}

static bool site_text(struct vm *vm, uint64_t *r)
{
	const struct bundle *b = vm->env.bundle;
	const struct sp_prog *prog = &b->progs[vm->prog];
	const struct sp_site *site;
	const char *text = "";
	char *dst;

	if (!take_memory(vm, r[1], r[2], true, &dst))
		return false;
	if (vm->site >= prog->n_sites)
		return fault(vm, "no site to name");
	site = &b->sites[prog->first_site + vm->site];
	switch (r[3]) {
	case 0:
		text = bundle_text(b, site->point);
		break;
	case 1:
		text = bundle_text(b, site->function);
		break;
	case 3:
		text = bundle_text(b, site->name ? site->name : site->point);
		break;
	case 2:
		if (site->object < b->n_objects)
			text = bundle_text(b, b->objects[site->object].kind == SP_OBJECT_PROGRAM ?
						      b->objects[site->object].path : b->objects[site->object].name);
		break;
	default:
		return fault(vm, "an unknown text of the site");
	}
	r[0] = put_text(dst, r[2], text, strlen(text));
	return true;
}

static bool string_call(struct vm *vm, int32_t id, uint64_t *r)
{
	const char *a, *b;
	size_t len_a, len_b;
	char *dst;

	switch (id) {
	case SP_VM_STRLEN:
		if (!take_string(vm, r[1], &a, &len_a))
			return false;
		r[0] = len_a;
		return true;
	case SP_VM_STRCMP:
		if (!take_string(vm, r[1], &a, &len_a) || !take_string(vm, r[2], &b, &len_b))
			return false;
		r[0] = (uint64_t)(int64_t)strcmp(a, b);
		return true;
	case SP_VM_STRCPY:
		if (!take_memory(vm, r[1], r[2], true, &dst) || !take_string(vm, r[3], &b, &len_b))
			return false;
		r[0] = put_text(dst, r[2], b, len_b);
		return true;
	case SP_VM_STRCAT:
		if (!take_memory(vm, r[1], r[2], true, &dst) || !take_string(vm, r[3], &b, &len_b))
			return false;
		len_a = strnlen(dst, r[2]);
		if (len_a < r[2])
			put_text(dst + len_a, r[2] - len_a, b, len_b);
		r[0] = len_a + len_b;
		return true;
	}
	return fault(vm, "an unknown number");
}

// ---- dispatch -------------------------------------------------------------------------------------------------------

static bool kernel_helper(struct vm *vm, int32_t id, uint64_t *r)
{
	const struct vm_task *task = vm->task;

	switch (id) {
	case BPF_FUNC_probe_read:
		return probe_read(vm, FROM_ANY, r);
	case BPF_FUNC_probe_read_user:
		return probe_read(vm, FROM_TASK, r);
	case BPF_FUNC_probe_read_kernel:
		return probe_read(vm, FROM_VM, r);
	case BPF_FUNC_probe_read_str:
		return probe_read_str(vm, FROM_ANY, r);
	case BPF_FUNC_probe_read_user_str:
		return probe_read_str(vm, FROM_TASK, r);
	case BPF_FUNC_probe_read_kernel_str:
		return probe_read_str(vm, FROM_VM, r);
	case BPF_FUNC_probe_write_user:
		return probe_write(vm, r);
	case BPF_FUNC_get_current_comm:
		return current_comm(vm, r);
	case BPF_FUNC_ktime_get_ns:
		r[0] = clock_ns(CLOCK_MONOTONIC);
		return true;
	case BPF_FUNC_ktime_get_coarse_ns:
		r[0] = clock_ns(CLOCK_MONOTONIC_COARSE);
		return true;
	case BPF_FUNC_ktime_get_boot_ns:
		r[0] = clock_ns(CLOCK_BOOTTIME);
		return true;
	case BPF_FUNC_jiffies64:
		r[0] = jiffies(vm);
		return true;
	case BPF_FUNC_send_signal_thread:
		r[0] = syscall(SYS_tgkill, task->pid, task->tid, (int)r[1]) ? (uint64_t)-errno : 0;
		return true;
	case BPF_FUNC_get_stack:
		return get_stack(vm, r);
	case BPF_FUNC_get_prandom_u32:
		r[0] = next_random(vm);
		return true;
	case BPF_FUNC_get_smp_processor_id:
		r[0] = task->cpu;
		return true;
	case BPF_FUNC_get_current_pid_tgid:
		r[0] = (uint64_t)task->pid << 32 | task->tid;
		return true;
	case BPF_FUNC_get_current_uid_gid:
		r[0] = (uint64_t)task->gid << 32 | task->uid;
		return true;
	case BPF_FUNC_snprintf:
		return kernel_snprintf(vm, r);
	case BPF_FUNC_get_attach_cookie:
		r[0] = vm->site;
		return true;
	}
	return fault(vm, "an unknown number");
}

bool vm_call(struct vm *vm, int32_t id, uint64_t *r)
{
	if (id < SP_VM_CALL_FIRST)
		return kernel_helper(vm, id, r);
	switch ((enum sp_vm_call)id) {
	case SP_VM_MAP_GET:
		return map_get(vm, r);
	case SP_VM_MAP_SET:
		return map_set(vm, r);
	case SP_VM_MAP_ADD:
		return map_add(vm, r);
	case SP_VM_MAP_DELETE:
		return map_delete(vm, r);
	case SP_VM_MAP_CLEAR:
		return map_clear(vm, r);
	case SP_VM_ITER_OPEN:
		return iter_open(vm, r);
	case SP_VM_ITER_NEXT:
		return iter_next(vm, r);
	case SP_VM_ITER_CLOSE:
		return iter_close(vm, r);
	case SP_VM_EMIT:
		return emit(vm, r);
	case SP_VM_SPRINTF:
		return format_text(vm, r);
	case SP_VM_SCRATCH:
		return scratch(vm, r);
	case SP_VM_SITE_TEXT:
		return site_text(vm, r);
	case SP_VM_STRCMP:
	case SP_VM_STRCPY:
	case SP_VM_STRCAT:
	case SP_VM_STRLEN:
		return string_call(vm, id, r);
	case SP_VM_TASK_ID:
		return task_id(vm, r);
	case SP_VM_MAP_HAS:
		return map_has(vm, r);
	case SP_VM_STAT_ADD:
		return stat_call_add(vm, r);
	case SP_VM_STAT_GET:
		return stat_call_get(vm, r);
	case SP_VM_STAT_BUCKET:
		return stat_call_bucket(vm, r);
	case SP_VM_STAT_PRINT:
		return stat_call_print(vm, r);
	case SP_VM_SYMBOLS:
		return symbols_text(vm, r);
	case SP_VM_CALL_END:
		break;
	}
	return fault(vm, "an unknown number");
}

void vm_call_reset(struct vm *vm)
{
	for (unsigned n = 0; n < VM_MAX_ITERS; n++) {
		store_iter_close(vm->iters[n]);
		vm->iters[n] = NULL;
	}
	vm->areas[VM_AREA_SCRATCH].size = 0;
}
