// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // __WALL, close_range

#include "runtime/ptrace/ptrace_guard.h"

#include "runtime/base/util.h"
#include "runtime/ptrace/ptrace_code.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/ptrace/ptrace_space.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 4096 // of one process that are put right; those beyond only lose the breakpoints
#define PATIENCE_MS 1000 // for the tracer to let go, and for threads to stop
#define TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1))

struct entry {
	_Atomic pid_t pid; // 0: unused; written last
	uint64_t address;
	uint8_t original;
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

// ---- the guard: after fork, so only system calls ---------------------------------------------------------------------

struct thread {
	pid_t tid;
	bool stopped;
	int status;
};

// "/proc/PID/NAME"
static int open_proc(pid_t pid, const char *name, int flags)
{
	char path[64] = "/proc/", digits[16];
	size_t at = strlen(path), n = 0;

	do
		digits[n++] = (char)('0' + pid % 10);
	while (pid /= 10);
	while (n)
		path[at++] = digits[--n];
	path[at++] = '/';
	memcpy(path + at, name, strlen(name) + 1);
	return open(path, flags | O_CLOEXEC);
}

// Writes to the memory of a process whether or not somebody traces it.
static void restore_bytes(struct table *table)
{
	pid_t last = 0;
	int fd = -1;

	for (unsigned i = 0; i < table->n; i++) {
		const struct entry *entry = &table->entries[i];
		pid_t pid = entry->pid;
		uint8_t byte;

		if (!pid)
			continue;
		if (pid != last) {
			if (fd >= 0)
				close(fd);
			fd = open_proc(pid, "mem", O_RDWR);
			last = pid;
		}
		// If this fails, ptrace(2) may still succeed.
		if (fd >= 0 && pread(fd, &byte, 1, (off_t)entry->address) == 1 && byte == PTRACE_CPU_BREAK &&
		    pwrite(fd, &entry->original, 1, (off_t)entry->address) != 1)
			continue;
	}
	if (fd >= 0)
		close(fd);
}

static bool restore_by_ptrace(pid_t tid, const struct entry *entry)
{
	uint8_t byte;

	return ptrace_code_peek(tid, entry->address, &byte) &&
	       (byte != PTRACE_CPU_BREAK || ptrace_code_poke(tid, entry->address, entry->original));
}

static void pause_ms(unsigned ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000L };

	nanosleep(&pause, NULL);
}

// The tracer may not yet have let go of it.
static bool seize(pid_t tid)
{
	for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
		if (ptrace(PTRACE_SEIZE, tid, 0, 0) == 0)
			return ptrace(PTRACE_INTERRUPT, tid, 0, 0) == 0;
		if (errno != EPERM)
			return false;
		pause_ms(1);
	}
	return false;
}

static bool is_known(const struct thread *threads, unsigned n, pid_t tid)
{
	for (unsigned i = 0; i < n; i++)
		if (threads[i].tid == tid)
			return true;
	return false;
}

// Adds the threads that are not on the list yet. Returns how many are on it.
static unsigned seize_threads(pid_t pid, struct thread *threads, unsigned n)
{
	struct dirent64_head {
		uint64_t inode;
		int64_t offset;
		unsigned short size;
		unsigned char type;
		char name[];
	} *entry;
	_Alignas(8) char bytes[4096];
	int fd = open_proc(pid, "task", O_RDONLY | O_DIRECTORY);
	long size;

	if (fd < 0)
		return n;
	while ((size = syscall(SYS_getdents64, fd, bytes, sizeof(bytes))) > 0)
		for (long at = 0; at < size; at += entry->size) {
			pid_t tid;

			entry = (struct dirent64_head *)(void *)(bytes + at);
			tid = (pid_t)strtol(entry->name, NULL, 10);
			if (tid > 0 && n < MAX_THREADS && !is_known(threads, n, tid) && seize(tid))
				threads[n++] = (struct thread){ .tid = tid };
		}
	close(fd);
	return n;
}

static void wait_for_stops(struct thread *threads, unsigned n)
{
	for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
		unsigned n_running = 0;

		for (unsigned i = 0; i < n; i++) {
			struct thread *thread = &threads[i];

			if (!thread->stopped && waitpid(thread->tid, &thread->status, __WALL | WNOHANG) == 0)
				n_running++;
			else
				thread->stopped = true;
		}
		if (!n_running)
			return;
		pause_ms(1);
	}
}

static bool is_break(const struct table *table, pid_t pid, uint64_t address)
{
	for (unsigned i = 0; i < table->n; i++)
		if (table->entries[i].pid == pid && table->entries[i].address == address)
			return true;
	return false;
}

// The thread has stopped: the signal with which it is to go on, -1 if it has ended.
static int settle(const struct table *table, pid_t pid, struct thread *thread)
{
	uint64_t mask;
	struct ptrace_cpu cpu;

	// A pending SIGTRAP was held back by ptrace_guard_hold, or has just been raised by a breakpoint.
	if (WIFSTOPPED(thread->status) && thread->status >> 16 && ptrace_has_pending_trap(thread->tid)) {
		if (ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(mask), &mask) == 0 && (mask & TRAP_BIT)) {
			mask &= ~TRAP_BIT;
			ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(mask), &mask);
		}
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
		while (waitpid(thread->tid, &thread->status, __WALL) < 0 && errno == EINTR)
			;
	}
	if (!WIFSTOPPED(thread->status))
		return -1;
	if (thread->status >> 16)
		return 0;
	if (WSTOPSIG(thread->status) != SIGTRAP || !ptrace_cpu_get(thread->tid, &cpu))
		return WSTOPSIG(thread->status);
	if (is_break(table, pid, ptrace_cpu_pc(&cpu) - 1)) {
		ptrace_cpu_set_pc(&cpu, ptrace_cpu_pc(&cpu) - 1);
		ptrace_cpu_set(thread->tid, &cpu);
		return 0;
	}
	return is_break(table, pid, ptrace_cpu_pc(&cpu)) ? 0 : SIGTRAP;
}

static void put_right(const struct table *table, pid_t pid)
{
	struct thread threads[MAX_THREADS]; // 48 KB of the stack
	unsigned n = 0, before;

	do {
		before = n;
		n = seize_threads(pid, threads, n);
	} while (n > before);
	wait_for_stops(threads, n);
	for (unsigned i = 0; i < n; i++) {
		if (!threads[i].stopped || !WIFSTOPPED(threads[i].status))
			continue;
		for (unsigned e = 0; e < table->n; e++)
			if (table->entries[e].pid == pid)
				restore_by_ptrace(threads[i].tid, &table->entries[e]);
		break;
	}
	for (unsigned i = 0; i < n; i++) {
		int signal = threads[i].stopped ? settle(table, pid, &threads[i]) : -1;

		if (signal >= 0)
			ptrace(PTRACE_DETACH, threads[i].tid, 0, (long)signal);
	}
}

static void close_files(void)
{
	struct rlimit limit;

	if (syscall(SYS_close_range, 0, ~0U, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 65536)
		limit.rlim_cur = 65536;
	for (int fd = 0; fd < (int)limit.rlim_cur; fd++)
		close(fd);
}

static void guard_main(struct table *table)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "spile-guard");
	setpriority(PRIO_PROCESS, 0, -20); // where it may
	close_files();
	if (pthread_mutex_lock(&table->alive) != EOWNERDEAD)
		_exit(0);
	restore_bytes(table);
	for (unsigned i = 0; i < table->n; i++) {
		pid_t pid = table->entries[i].pid;

		if (!pid)
			continue;
		put_right(table, pid);
		for (unsigned e = i; e < table->n; e++)
			if (table->entries[e].pid == pid)
				table->entries[e].pid = 0;
	}
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
	pthread_mutexattr_destroy(&attr);
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

int ptrace_guard_enter(struct ptrace_guard *guard, pid_t pid, uint64_t address, uint8_t original)
{
	struct table *table = guard->table;
	unsigned entry;

	if (guard->n_used == PTRACE_GUARD_MAX)
		return -1;
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
	guard->table->entries[entry].original = original;
}

bool ptrace_guard_is_full(const struct ptrace_guard *guard)
{
	return guard->n_used == PTRACE_GUARD_MAX;
}

void ptrace_guard_leave(struct ptrace_guard *guard, int entry)
{
	if (entry < 0)
		return;
	guard->table->entries[entry].pid = 0;
	guard->n_used--;
}

// The kernel keeps a blocked signal back when the tracer is gone; by itself it would be delivered.
bool ptrace_guard_hold(pid_t tid, uint64_t *mask_ret)
{
	uint64_t blocked;

	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(*mask_ret), mask_ret))
		return false;
	blocked = *mask_ret | TRAP_BIT;
	return ptrace(PTRACE_SETSIGMASK, tid, sizeof(blocked), &blocked) == 0;
}

void ptrace_guard_release(pid_t tid, uint64_t mask)
{
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
}
