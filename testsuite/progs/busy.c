// SPDX-License-Identifier: GPL-2.0-or-later
// busy FILE: calls tick() without pause, in two threads, and keeps the number of calls in the FILE's first 8 bytes, until
// it is killed.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t *count;

__attribute__((noipa)) uint64_t tick(uint64_t n)
{
	return n + 1;
}

static void *run(void *arg)
{
	for (uint64_t n = 0;;)
		__atomic_store_n(count, n = tick(n), __ATOMIC_RELAXED);
	return arg;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666) : -1;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, sizeof(*count)))
		return 1;
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED || pthread_create(&thread, NULL, run, NULL))
		return 1;
	run(NULL);
}
