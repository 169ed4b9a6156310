// SPDX-License-Identifier: GPL-2.0-or-later
// Does a known number of things that perf counters count, in two threads at the same time: page faults in touch(), switches in nap().
#define _GNU_SOURCE // MADV_NOHUGEPAGE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096

__attribute__((noinline)) int touch(int n_pages)
{
	size_t size = (size_t)n_pages * PAGE;
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (int i = 0; i < n_pages; i++)
		memory[(size_t)i * PAGE] = 1;
	munmap((void *)memory, size);
	return n_pages;
}

__attribute__((noinline)) int nap(int n)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < n; i++)
		nanosleep(&pause, NULL);
	return n;
}

static void *run(void *arg)
{
	for (int i = 0; i < 20; i++) {
		touch(1000);
		nap(2);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	run(NULL);
	pthread_join(thread, NULL);
	return 0;
}
