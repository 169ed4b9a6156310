// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // process_vm_readv

#include "runtime/ptrace/ptrace_space.h"

#include "runtime/ptrace/ptrace_code.h"
#include "runtime/ptrace/ptrace_cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

struct ptrace_space *ptrace_space_create(struct ptrace_guard *guard, pid_t pid)
{
	struct ptrace_space *space = sp_calloc(1, sizeof(*space));

	space->refs = 1;
	space->guard = guard;
	space->pid = pid;
	space->low = UINT64_MAX;
	return space;
}

// NULL: the guard is full.
static struct ptrace_break *add_break(struct ptrace_space *space, uint64_t address, uint8_t original)
{
	int entry = space->guard ? ptrace_guard_enter(space->guard, space->pid, address, original) : -1;
	struct ptrace_break *brk;

	if (space->guard && entry < 0)
		return NULL;
	brk = sp_calloc(1, sizeof(*brk));
	brk->address = address;
	brk->original = original;
	brk->entry = entry;
	*sp_hash_insert(&space->breaks, &address, sizeof(address)) = brk;
	space->low = SP_MIN(space->low, address);
	space->high = SP_MAX(space->high, address);
	return brk;
}

struct ptrace_space *ptrace_space_copy(const struct ptrace_space *from, pid_t pid)
{
	struct ptrace_space *space = ptrace_space_create(from->guard, pid);

	sp_hash_each(it, &from->breaks) {
		const struct ptrace_break *brk = it->value;
		struct ptrace_break *copy = add_break(space, brk->address, brk->original);

		if (!copy) {
			sp_vec_push(&space->refused, (struct ptrace_byte){ brk->address, brk->original });
			continue;
		}
		copy->linker = brk->linker;
		sp_vec_each(site, &brk->sites)
			sp_vec_push(&copy->sites, *site);
	}
	sp_vec_each(counter, &from->counters)
		sp_vec_push(&space->counters, *counter);
	return space;
}

static void free_break(struct ptrace_space *space, struct ptrace_break *brk)
{
	if (space->guard)
		ptrace_guard_leave(space->guard, brk->entry);
	sp_vec_deinit(&brk->sites);
	free(brk);
}

void ptrace_space_put(struct ptrace_space *space)
{
	if (!space || --space->refs)
		return;
	sp_hash_each(it, &space->breaks)
		free_break(space, it->value);
	sp_vec_deinit(&space->refused);
	sp_vec_deinit(&space->counters);
	sp_hash_deinit(&space->breaks);
	free(space);
}

struct ptrace_break *ptrace_space_find(const struct ptrace_space *space, uint64_t address)
{
	void **value = sp_hash_find(&space->breaks, &address, sizeof(address));

	return value ? *value : NULL;
}

struct ptrace_break *ptrace_space_add(struct ptrace_space *space, pid_t tid, uint64_t address)
{
	struct ptrace_break *brk = ptrace_space_find(space, address);
	uint8_t original;

	if (brk)
		return brk;
	if (!ptrace_code_peek(tid, address, &original))
		return NULL;
	brk = add_break(space, address, original);
	if (brk && !ptrace_space_lower(tid, brk)) {
		ptrace_space_remove(space, tid, brk);
		return NULL;
	}
	return brk;
}

bool ptrace_space_lift(pid_t tid, const struct ptrace_break *brk)
{
	return ptrace_code_poke(tid, brk->address, brk->original);
}

bool ptrace_space_lower(pid_t tid, const struct ptrace_break *brk)
{
	return ptrace_code_poke(tid, brk->address, PTRACE_CPU_BREAK);
}

void ptrace_space_remove(struct ptrace_space *space, pid_t tid, struct ptrace_break *brk)
{
	// When this fails, the code has been unmapped.
	ptrace_space_lift(tid, brk);
	sp_hash_remove(&space->breaks, &brk->address, sizeof(brk->address));
	free_break(space, brk);
}

static bool change_counter(pid_t tid, uint64_t address, int delta)
{
	uint16_t value;
	struct iovec local = { .iov_base = &value, .iov_len = sizeof(value) };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address, .iov_len = sizeof(value) };

	if (process_vm_readv(tid, &local, 1, &remote, 1, 0) != sizeof(value))
		return false;
	value = (uint16_t)(value + delta);
	return process_vm_writev(tid, &local, 1, &remote, 1, 0) == sizeof(value);
}

void ptrace_space_count(struct ptrace_space *space, pid_t tid, uint64_t address, unsigned site)
{
	sp_vec_each(counter, &space->counters)
		if (counter->address == address && counter->site == site)
			return;
	if (change_counter(tid, address, 1))
		sp_vec_push(&space->counters, ((struct ptrace_counter){ address, site }));
}

void ptrace_space_remove_all(struct ptrace_space *space, pid_t tid)
{
	sp_vec_each(counter, &space->counters)
		change_counter(tid, counter->address, -1);
	space->counters.n = 0;
	sp_hash_each(it, &space->breaks)
		ptrace_space_remove(space, tid, it->value);
}

void ptrace_space_repair(struct ptrace_space *space, pid_t tid)
{
	sp_hash_each(it, &space->breaks) {
		struct ptrace_break *brk = it->value;
		uint8_t byte;

		if (!ptrace_code_peek(tid, brk->address, &byte) || byte == PTRACE_CPU_BREAK)
			continue;
		brk->original = byte;
		if (space->guard)
			ptrace_guard_change(space->guard, brk->entry, byte);
		ptrace_space_lower(tid, brk);
	}
	sp_vec_each(refused, &space->refused) {
			ptrace_code_poke(tid, refused->address, refused->original);
	}
	space->refused.n = 0;
}

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

size_t ptrace_space_read_some(const struct ptrace_space *space, pid_t tid, uint64_t address, void *dst, size_t size)
{
	size_t done = 0;

	// process_vm_readv(2) reads up to the end of mapped memory only when the transfer is split there.
	while (done < size) {
		size_t part = SP_MIN(size - done, page_rest(address + done));
		struct iovec local = { .iov_base = (uint8_t *)dst + done, .iov_len = part };
		struct iovec remote = { .iov_base = (void *)(uintptr_t)(address + done), .iov_len = part };

		if (process_vm_readv(tid, &local, 1, &remote, 1, 0) != (ssize_t)part)
			break;
		done += part;
	}
	hide_breaks(space, address, dst, done);
	return done;
}

int ptrace_space_read(const struct ptrace_space *space, pid_t tid, uint64_t address, void *dst, size_t size)
{
	return ptrace_space_read_some(space, tid, address, dst, size) == size ? 0 : -EFAULT;
}

int ptrace_space_write(const struct ptrace_space *space, pid_t tid, uint64_t address, const void *src, size_t size)
{
	struct iovec local = { .iov_base = (void *)(uintptr_t)src, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };

	sp_hash_each(it, &space->breaks)
		if (((const struct ptrace_break *)it->value)->address - address < size)
			return -EFAULT;
	return process_vm_writev(tid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

bool ptrace_has_pending_trap(pid_t tid)
{
	struct __ptrace_peeksiginfo_args args = { .nr = 16 };
	siginfo_t infos[16];
	long n = ptrace(PTRACE_PEEKSIGINFO, tid, &args, infos);

	for (long i = 0; i < n; i++)
		if (infos[i].si_signo == SIGTRAP && infos[i].si_code == SI_KERNEL)
			return true;
	return false;
}
