// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // sched_getaffinity
#include "runtime/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

struct part {
	pthread_t thread;
	bool has_thread;
	unsigned number;
	void (*fn)(void *ctx, unsigned part);
	void *ctx;
};

unsigned sp_parallel_threads(void)
{
	cpu_set_t cpus;
	int n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;

	return (unsigned)SP_MAX(1, SP_MIN(n, SP_PARALLEL_MAX));
}

static void *run(void *arg)
{
	struct part *part = arg;

	part->fn(part->ctx, part->number);
	return NULL;
}

void sp_parallel(unsigned n, void (*fn)(void *ctx, unsigned part), void *ctx)
{
	struct part parts[SP_PARALLEL_MAX];
	sigset_t all, before;

	// Signals are for the threads of our caller.
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 1; i < n; i++) {
		parts[i] = (struct part){ .number = i, .fn = fn, .ctx = ctx };
		parts[i].has_thread = pthread_create(&parts[i].thread, NULL, run, &parts[i]) == 0;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (n)
		fn(ctx, 0);
	for (unsigned i = 1; i < n; i++) {
		if (parts[i].has_thread)
			pthread_join(parts[i].thread, NULL);
		else
			fn(ctx, i);
	}
}
