// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // process_vm_readv

#include "runtime/ptrace/ptrace_space.h"

#include "runtime/base/cleanup.h"
#include "runtime/machine/image.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/ptrace/ptrace_late.h"
#include "runtime/ptrace/ptrace_poke.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

static bool find_uprobes(void *ctx, const struct ptrace_range *range)
{
	*(bool *)ctx |= sp_streq(range->name, "[uprobes]");
	return true;
}

bool ptrace_space_has_uprobes(const struct ptrace_space *space)
{
	bool has = false;

	ptrace_proc_each_range(space->pid, find_uprobes, &has);
	return has && !space->had_uprobes;
}

#define FREE_FILES 16 // for what is open for a moment alone

// There may be more processes than a process may have files open: the memory of those is accessed by the threads that have stopped.
static int open_kept(pid_t pid, const char *name, int mode)
{
	int fd = ptrace_proc_open_fd(pid, name, mode);
	struct rlimit limit;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)fd + FREE_FILES < limit.rlim_cur)
		return fd;
	close(fd);
	return -1;
}

struct ptrace_space *ptrace_space_create(struct ptrace_guard *guard, pid_t pid)
{
	struct ptrace_space *space = sp_calloc(1, sizeof(*space));

	space->refs = 1;
	space->guard = guard;
	space->pid = pid;
	space->bits = 64;
	space->low = UINT64_MAX;
	space->mem_fd = open_kept(pid, "mem", O_RDWR);
	space->pagemap_fd = open_kept(pid, "pagemap", O_RDONLY);
	space->late = ptrace_late_create();
	space->had_uprobes = ptrace_space_has_uprobes(space);
	return space;
}

// False: the guard is full.
static bool enter(struct ptrace_space *space, struct ptrace_break *brk)
{
	brk->entry = ptrace_guard_enter(space->guard, space->pid, brk->address, brk->original);
	if (space->guard && brk->entry < 0)
		return false;
	*sp_hash_insert(&space->breaks, &brk->address, sizeof(brk->address)) = brk;
	space->low = SP_MIN(space->low, brk->address);
	space->high = SP_MAX(space->high, brk->address);
	return true;
}

static struct ptrace_break *copy_break(const struct ptrace_break *brk)
{
	struct ptrace_break *copy = sp_malloc(sizeof(*copy));

	*copy = *brk;
	copy->entry = -1;
	copy->n_returns = 0;
	memset(&copy->sites, 0, sizeof(copy->sites));
	sp_vec_each(site, &brk->sites)
		sp_vec_push(&copy->sites, *site);
	return copy;
}

static void put_past(struct ptrace_space *space, struct ptrace_break *brk)
{
	sp_vec_deinit(&brk->sites);
	brk->linker = brk->is_start = brk->sigaction = brk->is_call = brk->is_placed = false;
	brk->n_returns = brk->n_idle = 0;
	*sp_hash_insert(&space->past, &brk->address, sizeof(brk->address)) = brk;
}

struct ptrace_space *ptrace_space_copy(const struct ptrace_space *from, pid_t pid)
{
	struct ptrace_space *space = ptrace_space_create(from->guard, pid);

	space->is_cleared = from->is_cleared;
	sp_hash_each(it, &from->breaks) {
		struct ptrace_break *copy = copy_break(it->value);

		if (!enter(space, copy))
			put_past(space, copy);
	}
	sp_hash_each(it, &from->past)
		put_past(space, copy_break(it->value));
	sp_vec_each(counter, &from->counters) {
		struct ptrace_counter copy = *counter;

		copy.entry = ptrace_guard_enter(space->guard, pid, copy.address, PTRACE_GUARD_COUNTER);
		sp_vec_push(&space->counters, copy);
	}
	sp_vec_each(area, &from->areas)
		sp_vec_push(&space->areas, *area);
	space->no_calls = from->no_calls;
	space->bits = from->bits;
	ptrace_frames_copy(space, from);
	return space;
}

static void free_break(struct ptrace_space *space, struct ptrace_break *brk)
{
	ptrace_guard_leave(space->guard, brk->entry);
	sp_vec_deinit(&brk->sites);
	free(brk);
}

void ptrace_space_put(struct ptrace_space *space)
{
	if (!space || --space->refs)
		return;
	ptrace_frames_deinit(space);
	sp_hash_each(it, &space->breaks)
		free_break(space, it->value);
	sp_hash_each(it, &space->past)
		free_break(space, it->value);
	sp_vec_each(counter, &space->counters)
		ptrace_guard_leave(space->guard, counter->entry);
	sp_vec_deinit(&space->counters);
	sp_vec_deinit(&space->areas);
	sp_hash_deinit(&space->breaks);
	sp_hash_deinit(&space->past);
	sp_cleanup_closep(&space->mem_fd);
	sp_cleanup_closep(&space->pagemap_fd);
	ptrace_late_destroy(space->late);
	free(space);
}

struct ptrace_break *ptrace_space_find(const struct ptrace_space *space, uint64_t address)
{
	void **value = sp_hash_find(&space->breaks, &address, sizeof(address));

	return value ? *value : NULL;
}

// ---- breakpoints in memory -------------------------------------------------------------------------------------------

bool ptrace_space_peek(const struct ptrace_space *space, uint64_t address, void *dst, size_t size)
{
	return ptrace_peek(space->mem_fd, space->stopped, space->pid, address, dst, size);
}

static bool peek(const struct ptrace_space *space, uint64_t address, uint8_t *ret)
{
	return ptrace_space_peek(space, address, ret, 1);
}

bool ptrace_space_poke(const struct ptrace_space *space, uint64_t address, const void *src, size_t size)
{
	return ptrace_poke(space->mem_fd, space->stopped, space->pid, address, src, size);
}

static bool poke(const struct ptrace_space *space, uint64_t address, uint8_t byte)
{
	return ptrace_space_poke(space, address, &byte, 1);
}

bool ptrace_space_has_break(const struct ptrace_space *space, uint64_t address)
{
	uint8_t byte;

	return peek(space, address, &byte) && byte == PTRACE_CPU_BREAK;
}

struct file_byte {
	uint64_t address;
	pid_t pid;
	int byte; // -1: it comes from no file
};

static bool read_file_byte(void *ctx, const struct image_mapping *mapping)
{
	struct file_byte *wanted = ctx;
	sp_cleanup_close int fd = -1;
	uint8_t byte;

	if (wanted->address < mapping->start || wanted->address >= mapping->end)
		return true;
	fd = ptrace_proc_open_file(wanted->pid, mapping->path);
	if (fd >= 0 && pread(fd, &byte, 1, (off_t)(mapping->offset + (wanted->address - mapping->start))) == 1)
		wanted->byte = byte;
	return false;
}

bool ptrace_space_is_moved(const struct ptrace_space *space, uint64_t address)
{
	sp_hash_each(it, &space->breaks) {
		const struct ptrace_break *brk = it->value;

		if (!((brk->address ^ address) & 4095) && !ptrace_space_has_break(space, brk->address))
			return true;
	}
	return false;
}

// A breakpoint that was there before us is part of the program only when its file has it, too. What is under one that was moved is
// in the file. False: another tracer's.
static bool find_original(const struct ptrace_space *space, uint64_t address, uint8_t *ret)
{
	struct file_byte wanted = { .address = address, .pid = space->pid, .byte = -1 };

	sp_err_free(image_each_mapping(space->pid, read_file_byte, &wanted));
	if (wanted.byte < 0 || (wanted.byte != PTRACE_CPU_BREAK && !ptrace_space_is_moved(space, address)))
		return false;
	*ret = (uint8_t)wanted.byte;
	return true;
}

enum ptrace_add_result ptrace_space_add(struct ptrace_space *space, uint64_t address, struct ptrace_break **ret)
{
	struct ptrace_break *brk = ptrace_space_find(space, address);
	uint8_t original;

	if (!brk) {
		if (!peek(space, address, &original))
			return PTRACE_ADD_GONE;
		if (original == PTRACE_CPU_BREAK && !find_original(space, address, &original))
			return PTRACE_ADD_FOREIGN;
		brk = sp_hash_remove(&space->past, &address, sizeof(address));
		if (!brk)
			brk = sp_calloc(1, sizeof(*brk));
		brk->address = address;
		brk->original = original;
		ptrace_space_read_some(space, address, brk->code, sizeof(brk->code));
		if (!enter(space, brk)) {
			put_past(space, brk);
			return PTRACE_ADD_FULL;
		}
		ptrace_area_enter(space, brk);
		if (!poke(space, address, PTRACE_CPU_BREAK)) {
			ptrace_space_remove(space, brk);
			return peek(space, address, &original) ? PTRACE_ADD_FAILED : PTRACE_ADD_GONE; // by an execve(2) in between
		}
	}
	*ret = brk;
	return PTRACE_ADDED;
}

void ptrace_space_remove(struct ptrace_space *space, struct ptrace_break *brk)
{
	if (ptrace_space_has_break(space, brk->address))
		poke(space, brk->address, brk->original);
	ptrace_guard_leave(space->guard, brk->entry);
	brk->entry = -1;
	sp_hash_remove(&space->breaks, &brk->address, sizeof(brk->address));
	put_past(space, brk);
}

void ptrace_space_clear(struct ptrace_space *space)
{
	sp_hash_each(brk, &space->breaks)
		ptrace_space_remove(space, brk->value);
	space->is_cleared = true;
}

unsigned ptrace_space_taken(const struct ptrace_space *space)
{
	unsigned n = 0;
	uint8_t byte;

	// When nothing can be read, the code has been unmapped.
	sp_hash_each(it, &space->breaks)
		n += peek(space, ((const struct ptrace_break *)it->value)->address, &byte) && byte != PTRACE_CPU_BREAK;
	return n;
}

bool ptrace_space_was_at(const struct ptrace_space *space, uint64_t address)
{
	uint8_t byte;

	return sp_hash_find(&space->past, &address, sizeof(address)) && peek(space, address, &byte) && byte != PTRACE_CPU_BREAK;
}

#define IS_DATA 1 // no address

static bool find_data(void *ctx, const struct ptrace_range *range)
{
	uint64_t *address = ctx;

	if (*address - range->start >= range->end - range->start)
		return true;
	*address = range->executable ? 0 : IS_DATA;
	return false;
}

bool ptrace_space_is_data(const struct ptrace_space *space, uint64_t address)
{
	if (!ptrace_space_find(space, address))
		ptrace_proc_each_range(space->pid, find_data, &address);
	return address == IS_DATA;
}

bool ptrace_space_mend_copy(const struct ptrace_space *space, uint64_t address)
{
	uint64_t code;

	if (!ptrace_space_peek(space, address + 1, &code, sizeof(code)))
		return false;
	for (const struct sp_hash *breaks = &space->breaks; breaks; breaks = breaks == &space->past ? NULL : &space->past)
		sp_hash_each(it, breaks) {
			const struct ptrace_break *brk = it->value;

			if (brk->original != PTRACE_CPU_BREAK && !memcmp(&code, brk->code + 1, sizeof(code)))
				return poke(space, address, brk->original);
		}
	return false;
}

void ptrace_space_put_back(struct ptrace_space *space)
{
	uint8_t byte;

	sp_hash_each(it, &space->breaks) {
		struct ptrace_break *brk = it->value;

		if (!peek(space, brk->address, &byte) || byte == PTRACE_CPU_BREAK)
			continue;
		brk->is_placed = brk->is_placed && brk->original == byte;
		brk->original = byte;
		ptrace_guard_change(space->guard, brk->entry, byte);
		poke(space, brk->address, PTRACE_CPU_BREAK);
	}
}

void ptrace_space_repair(struct ptrace_space *space)
{
	ptrace_space_put_back(space);
	sp_hash_each(it, &space->past) {
		const struct ptrace_break *brk = it->value;

		if (ptrace_space_has_break(space, brk->address))
			poke(space, brk->address, brk->original);
	}
}

// ---- marks -----------------------------------------------------------------------------------------------------------

static bool change_counter(const struct ptrace_space *space, uint64_t address, int delta)
{
	uint16_t value;

	if (!ptrace_space_peek(space, address, &value, sizeof(value)))
		return false;
	value = (uint16_t)(value + delta);
	return ptrace_space_poke(space, address, &value, sizeof(value));
}

void ptrace_space_count(struct ptrace_space *space, uint64_t address, unsigned site)
{
	struct ptrace_counter counter = { .address = address, .site = site };

	sp_vec_each(it, &space->counters)
		if (it->address == address && it->site == site)
			return;
	if (!change_counter(space, address, 1))
		return;
	counter.entry = ptrace_guard_enter(space->guard, space->pid, address, PTRACE_GUARD_COUNTER);
	sp_vec_push(&space->counters, counter);
}

void ptrace_space_forget_counters(struct ptrace_space *space)
{
	uint16_t value;
	size_t n = 0;

	sp_vec_each(counter, &space->counters)
		if (ptrace_space_peek(space, counter->address, &value, sizeof(value)))
			space->counters.v[n++] = *counter;
		else
			ptrace_guard_leave(space->guard, counter->entry);
	space->counters.n = n;
}

void ptrace_space_uncount(struct ptrace_space *space)
{
	sp_vec_each(counter, &space->counters) {
		change_counter(space, counter->address, -1);
		ptrace_guard_leave(space->guard, counter->entry);
	}
	space->counters.n = 0;
}

// ---- other memory ----------------------------------------------------------------------------------------------------

static size_t page_rest(uint64_t address)
{
	return 4096 - (address & 4095);
}

static void hide_breaks(const struct ptrace_space *space, uint64_t address, uint8_t *bytes, size_t size)
{
	if (address > space->high || address + size <= space->low)
		return;
	sp_hash_each(it, &space->breaks) {
		const struct ptrace_break *brk = it->value;

		if (brk->address - address < size)
			bytes[brk->address - address] = brk->original;
	}
}

// Of Linux's pagemap, bits 63 and 62 are pages that are there or swapped out, bit 57 those whose writers wait for who has userfaultfd(2).
static bool is_there(const struct ptrace_space *space, uint64_t address, bool writes)
{
	uint64_t page;

	if (pread(space->pagemap_fd, &page, sizeof(page), (off_t)(address / 4096 * sizeof(page))) != sizeof(page))
		return writes; // it is not known: readers can wait
	return page >> 62 && !(writes && page >> 57 & 1);
}

// process_vm_readv(2) finds no process when the first thread has ended before the others, and may not read of one that has made itself
// undumpable since.
static bool read_in_page(const struct ptrace_space *space, uint64_t address, void *dst, size_t size)
{
	struct iovec local = { dst, size }, remote = { (void *)(uintptr_t)address, size };
	ssize_t n = is_there(space, address, false) ? process_vm_readv(space->pid, &local, 1, &remote, 1, 0) :
						      ptrace_late_read(space->late, space->pid, address, dst, size);

	return n == (ssize_t)size || (n < 0 && (errno == ESRCH || errno == EPERM) && ptrace_space_peek(space, address, dst, size));
}

size_t ptrace_space_read_some(const struct ptrace_space *space, uint64_t address, void *dst, size_t size)
{
	size_t done = 0, part;

	for (; done < size; done += part) {
		part = SP_MIN(size - done, page_rest(address + done));
		if (!read_in_page(space, address + done, (uint8_t *)dst + done, part))
			break;
	}
	hide_breaks(space, address, dst, done);
	return done;
}

int ptrace_space_read(const struct ptrace_space *space, uint64_t address, void *dst, size_t size)
{
	return ptrace_space_read_some(space, address, dst, size) == size ? 0 : -EFAULT;
}

// Is it there, at least once it was read?
static bool can_write(const struct ptrace_space *space, uint64_t address, size_t size)
{
	uint8_t byte;

	for (uint64_t at = address; at < address + size; at += page_rest(at))
		if (!is_there(space, at, true) && (!read_in_page(space, at, &byte, 1) || !is_there(space, at, true)))
			return false;
	return true;
}

int ptrace_space_write(const struct ptrace_space *space, uint64_t address, const void *src, size_t size)
{
	struct iovec local = { .iov_base = (void *)(uintptr_t)src, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };

	sp_hash_each(it, &space->breaks)
		if (((const struct ptrace_break *)it->value)->address - address < size)
			return -EFAULT;
	return can_write(space, address, size) && process_vm_writev(space->pid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}
