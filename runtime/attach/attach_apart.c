// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // clone, pthread_clockjoin_np

#include "runtime/attach/attach_apart.h"

#include "runtime/base/file.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64 // they wait for the kernel, which serves those that wait at the same time together
#define WAIT_MS 1000

// In memory that both processes have.
struct work {
	const int *fds;
	size_t n;
	size_t next, n_closed; // atomic
};

static void tell(const struct work *work, void (*wait)(void *ctx, size_t n_left), void *ctx)
{
	if (wait)
		wait(ctx, work->n - __atomic_load_n(&work->n_closed, __ATOMIC_RELAXED));
}

// ---- threads ----------------------------------------------------------------------------------------------------------

static void close_some(struct work *work)
{
	size_t i;

	while ((i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n) {
		close(work->fds[i]);
		__atomic_fetch_add(&work->n_closed, 1, __ATOMIC_RELAXED);
	}
}

static void *close_thread(void *ctx)
{
	close_some(ctx);
	return NULL;
}

static void wait_for_thread(const struct work *work, pthread_t thread, void (*wait)(void *ctx, size_t n_left), void *ctx)
{
	struct timespec until;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += WAIT_MS / 1000;
		if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
			return;
		tell(work, wait, ctx);
	}
}

static void close_by_threads(struct work *work, void (*wait)(void *ctx, size_t n_left), void *ctx)
{
	size_t n_threads = 0, n_wanted = SP_MIN(work->n, (size_t)MAX_THREADS);
	pthread_t threads[MAX_THREADS];
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); // signals are for the caller's threads
	while (n_threads < n_wanted && !pthread_create(&threads[n_threads], NULL, close_thread, work))
		n_threads++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!n_threads)
		close_some(work);
	while (n_threads > 0)
		wait_for_thread(work, threads[--n_threads], wait, ctx);
}

// ---- a process ----------------------------------------------------------------------------------------------------------

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

// Whoever reads what spile writes need not wait for this process.
static void close_others(const int *fds, size_t n, int socket)
{
	int *kept = sp_malloc((n + 1) * sizeof(*kept));
	unsigned from = 0;

	memcpy(kept, fds, n * sizeof(*kept));
	kept[n] = socket;
	qsort(kept, n + 1, sizeof(*kept), compare_fds);
	for (size_t i = 0; i <= n; i++) {
		sp_file_close_range(from, (unsigned)kept[i]);
		from = (unsigned)kept[i] + 1;
	}
	sp_file_close_range(from, ~0U);
	free(kept);
}

// Returns as fork(2) does, in the new process, too, which keeps these files alone.
static pid_t start(const int *fds, size_t n, int *socket_ret)
{
	int sockets[2];
	sigset_t all;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return -1;
	pid = fork();
	if (pid == 0) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, NULL);
		setsid();
		close_others(fds, n, sockets[1]);
	} else {
		close(sockets[1]);
	}
	if (pid < 0)
		close(sockets[0]);
	*socket_ret = sockets[pid == 0];
	return pid;
}

static void end(pid_t pid, int socket)
{
	close(socket);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

// ---- closing ----------------------------------------------------------------------------------------------------------

// It begins when the other process has closed its own descriptors of the links, or has ended.
static void closer_main(struct work *work, int socket)
{
	char byte;

	while (read(socket, &byte, 1) < 0 && errno == EINTR)
		;
	close_by_threads(work, NULL, NULL);
	_exit(0);
}

// Its end closes the socket.
static void wait_for_closer(const struct work *work, int socket, void (*wait)(void *ctx, size_t n_left), void *ctx)
{
	struct pollfd ended = { .fd = socket, .events = POLLIN };
	int n;

	while ((n = poll(&ended, 1, WAIT_MS)) <= 0)
		if (n == 0)
			tell(work, wait, ctx);
}

static bool close_by_process(struct work *work, void (*wait)(void *ctx, size_t n_left), void *ctx)
{
	int socket;
	pid_t pid = start(work->fds, work->n, &socket);

	if (pid < 0)
		return false;
	if (pid == 0)
		closer_main(work, socket);
	for (size_t i = 0; i < work->n; i++)
		close(work->fds[i]);
	shutdown(socket, SHUT_WR);
	wait_for_closer(work, socket, wait, ctx);
	end(pid, socket);
	return true;
}

void attach_apart_close(const int *fds, size_t n, bool has_uprobes, void (*wait)(void *ctx, size_t n_left), void *ctx)
{
	struct work *shared, own = { .fds = fds, .n = n };

	if (!n)
		return;
	shared = has_uprobes ? mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
	if (shared == MAP_FAILED) {
		close_by_threads(&own, wait, ctx);
		return;
	}
	*shared = own;
	if (!close_by_process(shared, wait, ctx))
		close_by_threads(shared, wait, ctx);
	munmap(shared, sizeof(*shared));
}

// ---- making -----------------------------------------------------------------------------------------------------------

#define STACK_SIZE 65536 // bytes

struct making {
	int (*make)(void *ctx);
	void *ctx;
	int made, error;
};

static void do_make(struct making *making)
{
	making->made = making->make(making->ctx);
	making->error = errno;
}

static int maker_main(void *ctx)
{
	struct making *making = ctx;

	setsid();
	do_make(making);
	return 0;
}

// The other process has this one's memory and files, and this thread waits for it. If it is killed meanwhile, the files are closed with
// that process.
int attach_apart_make(int (*make)(void *ctx), void *ctx, int if_killed)
{
	struct making making = { .make = make, .ctx = ctx, .made = if_killed, .error = EINTR };
	char *stack = sp_malloc(STACK_SIZE);
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = clone(maker_main, stack + STACK_SIZE, CLONE_VM | CLONE_FILES | CLONE_VFORK, &making);
	if (pid < 0)
		do_make(&making);
	else
		while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	free(stack);
	errno = making.error;
	return making.made;
}
