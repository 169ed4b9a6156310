// SPDX-License-Identifier: GPL-2.0-or-later
// target FILE: calls its functions in three threads, and keeps in the FILE's first 8 bytes how often all were called.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t *count;

#define F(n) __attribute__((noipa)) static int f##n(int x) { return x + n; }
#define TEN(d, M) M(d##0) M(d##1) M(d##2) M(d##3) M(d##4) M(d##5) M(d##6) M(d##7) M(d##8) M(d##9)
#define HUNDRED(M) TEN(1, M) TEN(2, M) TEN(3, M) TEN(4, M) TEN(5, M) TEN(6, M) TEN(7, M) TEN(8, M) TEN(9, M)
HUNDRED(F)

static void *run(void *arg)
{
	for (int x = 0;; usleep(300)) {
#define CALL(n) x = f##n(x);
		HUNDRED(CALL)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666) : -1;
	pthread_t threads[2];

	if (fd < 0 || ftruncate(fd, sizeof(*count)))
		return 1;
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 1;
	run(NULL);
}
