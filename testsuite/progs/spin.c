// SPDX-License-Identifier: GPL-2.0-or-later
// spin MILLISECONDS: counts for so long, in spin_until(), without a system call.
#include <stdlib.h>
#include <time.h>

static volatile long count;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((noipa)) void spin_until(long end)
{
	do {
		for (int i = 0; i < 100000; i++)
			count++;
	} while (now_ms() < end);
}

int main(int argc, char **argv)
{
	spin_until(now_ms() + (argc > 1 ? atol(argv[1]) : 0));
	return 0;
}
