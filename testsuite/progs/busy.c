// SPDX-License-Identifier: GPL-2.0-or-later
// busy N: two threads call beat() some thousands of times a second, for N tenths of a second, and the end is a plain one
// if its code is as it was.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noipa))

volatile int sink;
static struct timespec end;

NOINLINE int inner(int a)
{
	sink = a;
	return a;
}

NOINLINE int beat(int a)
{
	return inner(a) + inner(a + 1) + a; // begins with a push
}

static void *run(void *arg)
{
	struct timespec now;

	do {
		beat(1);
		usleep(100);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	return arg;
}

int main(int argc, char **argv)
{
	long tenths = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	char before[8];
	pthread_t thread;

	memcpy(before, (const void *)beat, sizeof(before));
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += tenths / 10;
	end.tv_nsec += tenths % 10 * 100000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	if (pthread_create(&thread, NULL, run, NULL))
		return 2;
	run(NULL);
	pthread_join(thread, NULL);
	if (memcmp(before, (const void *)beat, sizeof(before)) != 0)
		return 3;
	puts("done");
	return 0;
}
