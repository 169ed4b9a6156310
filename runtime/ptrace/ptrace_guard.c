// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/ptrace/ptrace_guard.h"

#include "runtime/base/file.h"
#include "runtime/base/util.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/ptrace/ptrace_poke.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 500 // with a tracer that ends
#define NAME "tap-guard" // a `killall spile`, also by command line, is not for this process

struct entry {
	_Atomic pid_t pid; // 0: unused; written last
	uint64_t address;
	uint16_t original;
};

struct table {
	pthread_mutex_t alive; // held by the tracer as long as it lives
	_Atomic unsigned n; // entries beyond have never been used
	struct entry entries[PTRACE_GUARD_MAX];
};

struct ptrace_guard {
	struct table *table; // shared
	pid_t pid;
	unsigned n_used, next; // the next entry to be tried
};

// ---- the guard: after fork, so only system calls and what takes no lock ------------------------------------------------

struct target {
	pid_t pid;
	int fd; // its memory
	bool is_seized;
};

// The tracer's threads are taken from it a moment after its lock.
static void seize(struct target *target)
{
	for (unsigned i = 0; !target->is_seized && i < PATIENCE_MS; i++) {
		target->is_seized = ptrace(PTRACE_SEIZE, target->pid, 0, 0) == 0;
		if (!target->is_seized && errno != EPERM)
			return;
		if (!target->is_seized)
			usleep(1000);
	}
}

// Others than the tracer may write, too, unless the kernel is told not to let them (proc_mem.force_override).
static void put(struct target *target, uint64_t address, const void *src, size_t size)
{
	if (pwrite(target->fd, src, size, (off_t)address) == (ssize_t)size)
		return;
	seize(target);
	ptrace_poke(target->fd, 0, target->pid, address, src, size);
}

static void restore(struct target *target, const struct entry *entry)
{
	uint8_t byte;
	uint16_t number;

	if (entry->original == PTRACE_GUARD_COUNTER) {
		if (pread(target->fd, &number, sizeof(number), (off_t)entry->address) != sizeof(number) || !number)
			return;
		number--;
		put(target, entry->address, &number, sizeof(number));
	} else if (pread(target->fd, &byte, 1, (off_t)entry->address) == 1 && byte == PTRACE_CPU_BREAK) {
		byte = (uint8_t)entry->original;
		put(target, entry->address, &byte, 1);
	}
}

static void restore_all(struct table *table)
{
	struct target target = { .fd = -1 };

	for (unsigned i = 0; i < table->n; i++) {
		const struct entry *entry = &table->entries[i];
		pid_t pid = entry->pid;

		if (!pid)
			continue;
		if (pid != target.pid) {
			if (target.fd >= 0)
				close(target.fd);
			target = (struct target){ pid, ptrace_proc_open_fd(pid, "mem", O_RDWR), false };
		}
		if (target.fd >= 0)
			restore(&target, entry);
	}
}

// The words of the command line, which are in this process's memory, become NAME: arg_start and arg_end of proc(5).
static void hide_command_line(void)
{
	char *start = (char *)ptrace_proc_stat_number(getpid(), 48), *end = (char *)ptrace_proc_stat_number(getpid(), 49);

	if (!start || end <= start)
		return;
	memset(start, 0, (size_t)(end - start));
	memcpy(start, NAME, SP_MIN(sizeof(NAME), (size_t)(end - start)) - 1);
}

static void guard_main(struct table *table)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, NAME);
	setpriority(PRIO_PROCESS, 0, -20); // where it may
	hide_command_line();
	sp_file_close_range(0, ~0U);
	if (pthread_mutex_lock(&table->alive) == EOWNERDEAD)
		restore_all(table);
	_exit(0);
}

// ---- the tracer's side -----------------------------------------------------------------------------------------------

static int lock_table(struct table *table)
{
	pthread_mutexattr_t attr;
	int error;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	error = pthread_mutex_init(&table->alive, &attr);
	return error ? error : pthread_mutex_lock(&table->alive);
}

struct sp_err *ptrace_guard_create(struct ptrace_guard **ret)
{
	struct ptrace_guard *guard;
	struct table *table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int error;
	pid_t pid;

	if (table == MAP_FAILED)
		return sp_err_errno(errno, "cannot share memory with a guard of the user engine");
	error = lock_table(table);
	if (error) {
		munmap(table, sizeof(*table));
		return sp_err_errno(error, "cannot make a lock for a guard of the user engine");
	}
	pid = fork();
	if (pid == 0)
		guard_main(table);
	guard = sp_calloc(1, sizeof(*guard));
	guard->table = table;
	guard->pid = pid;
	if (pid < 0) {
		error = errno;
		ptrace_guard_destroy(guard);
		return sp_err_errno(error, "cannot start a guard of the user engine");
	}
	*ret = guard;
	return NULL;
}

void ptrace_guard_destroy(struct ptrace_guard *guard)
{
	if (!guard)
		return;
	pthread_mutex_unlock(&guard->table->alive);
	while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	pthread_mutex_destroy(&guard->table->alive);
	munmap(guard->table, sizeof(*guard->table));
	free(guard);
}

int ptrace_guard_enter(struct ptrace_guard *guard, pid_t pid, uint64_t address, uint16_t original)
{
	struct table *table;
	unsigned entry;

	if (!guard || guard->n_used == PTRACE_GUARD_MAX)
		return -1;
	table = guard->table;
	while (table->entries[guard->next].pid)
		guard->next = (guard->next + 1) % PTRACE_GUARD_MAX;
	entry = guard->next;
	guard->next = (entry + 1) % PTRACE_GUARD_MAX;
	guard->n_used++;
	table->entries[entry].address = address;
	table->entries[entry].original = original;
	table->entries[entry].pid = pid;
	if (table->n <= entry)
		table->n = entry + 1;
	return (int)entry;
}

void ptrace_guard_change(struct ptrace_guard *guard, int entry, uint8_t original)
{
	if (entry >= 0)
		guard->table->entries[entry].original = original;
}

void ptrace_guard_leave(struct ptrace_guard *guard, int entry)
{
	if (entry < 0)
		return;
	guard->table->entries[entry].pid = 0;
	guard->n_used--;
}
