// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // process_vm_readv
#include "runtime/ptrace/ptrace_late.h"

#include "runtime/base/util.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#define PATIENCE_MS 1000
#define LITTLE_PATIENCE_MS 10 // with a process for which it was not enough once

struct ptrace_late {
	pthread_mutex_t lock;
	pthread_cond_t done;
	unsigned refs; // the space's, and that of the thread that waits
	bool has_failed;
	pid_t pid;
	uint64_t address;
	size_t size;
	ssize_t result;
	int error; // -1: not known yet
	uint8_t bytes[4096];
};

struct ptrace_late *ptrace_late_create(void)
{
	struct ptrace_late *late = sp_calloc(1, sizeof(*late));
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&late->done, &attr);
	pthread_mutex_init(&late->lock, NULL);
	late->refs = 1;
	return late;
}

// Unlocks it.
static void put(struct ptrace_late *late)
{
	bool is_last = !--late->refs;

	pthread_mutex_unlock(&late->lock);
	if (is_last)
		free(late);
}

void ptrace_late_destroy(struct ptrace_late *late)
{
	pthread_mutex_lock(&late->lock);
	put(late);
}

bool ptrace_late_has_failed(const struct ptrace_late *late)
{
	return late->has_failed;
}

static void *wait_for(void *arg)
{
	struct ptrace_late *late = arg;
	struct iovec local = { late->bytes, late->size }, remote = { (void *)(uintptr_t)late->address, late->size };
	ssize_t result = process_vm_readv(late->pid, &local, 1, &remote, 1, 0);
	int error = errno;

	pthread_mutex_lock(&late->lock);
	late->result = result;
	late->error = error;
	pthread_cond_signal(&late->done);
	put(late);
	return NULL;
}

static bool start(struct ptrace_late *late)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool is_started;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	late->refs = 2;
	late->error = -1;
	is_started = pthread_create(&thread, &attr, wait_for, late) == 0;
	pthread_attr_destroy(&attr);
	return is_started;
}

static struct timespec from_now(long ms)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += (time.tv_nsec + ms * 1000000) / 1000000000;
	time.tv_nsec = (time.tv_nsec + ms * 1000000) % 1000000000;
	return time;
}

ssize_t ptrace_late_read(struct ptrace_late *late, pid_t pid, uint64_t address, void *dst, size_t size)
{
	struct timespec until = from_now(late->has_failed ? LITTLE_PATIENCE_MS : PATIENCE_MS);
	ssize_t result;
	int error = 0;

	pthread_mutex_lock(&late->lock);
	if (late->refs == 1) {
		late->pid = pid;
		late->address = address;
		late->size = size;
		if (!start(late)) {
			pthread_mutex_unlock(&late->lock);
			wait_for(late); // there is no thread to be had
			pthread_mutex_lock(&late->lock);
		}
		while (!error && late->error < 0)
			error = pthread_cond_timedwait(&late->done, &late->lock, &until);
	}
	late->has_failed |= late->error < 0;
	error = late->error < 0 ? ETIMEDOUT : late->error;
	result = late->error < 0 ? -1 : late->result;
	if (result > 0)
		memcpy(dst, late->bytes, (size_t)result);
	pthread_mutex_unlock(&late->lock);
	errno = error;
	return result;
}
