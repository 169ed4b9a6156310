// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks without frame pointers: deep calls, large frames, frames of a size that is known when they run, aligned ones, callbacks of
// the C library, signal handlers, calls through the PLT. Every function here that is called stop_* is where a stack is looked at.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef FRAME_POINTERS // for comparison
#define CALLED __attribute__((noipa, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
#else
#define CALLED __attribute__((noipa, optimize("omit-frame-pointer", "no-optimize-sibling-calls")))
#endif

volatile int sink;

CALLED void stop_here(int n)
{
	sink += n;
}

// Its stack is looked at behind its own pushes, too.
CALLED int stop_busy(const int *a, int n)
{
	int b[16], sum = 0;

	for (int i = 0; i < 16; i++)
		b[i] = a[(i + n) & 3] * n;
	stop_here(n);
	for (int i = 0; i < 16; i++)
		sum += b[i] * b[(i + sum) & 15];
	return sum;
}

CALLED int large(int n)
{
	char bytes[70000];

	memset(bytes, n, sizeof(bytes));
	stop_here(bytes[n * 100]);
	return bytes[n];
}

CALLED int huge(int n)
{
	volatile char bytes[1500000];

	bytes[n] = bytes[sizeof(bytes) - 1] = (char)n;
	return large(n + 1) + bytes[n];
}

CALLED int aligned(int n)
{
	volatile char some[n];
	_Alignas(64) volatile char block[64];

	some[n - 1] = 1;
	block[n] = 2;
	stop_here(n);
	return huge(n) + some[n - 1] + block[n];
}

CALLED int recurse(int n, int x)
{
	int a[4] = { n, x, n * x, n ^ x };

	if (!n)
		return aligned(x & 7) + stop_busy(a, 3);
	return recurse(n - 1, x + a[n & 3] % 3) + a[x & 3];
}

CALLED static int compare(const void *a, const void *b)
{
	stop_here(*(const int *)a);
	return *(const int *)a - *(const int *)b;
}

CALLED static void handler(int signal)
{
	int a[4] = { signal, 2, 3, 4 };

	sink += stop_busy(a, 2);
}

CALLED static void interrupted(int n)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", n);
	raise(SIGUSR1);
	sink += text[0];
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// How many nanoseconds a call of stop_here() takes with a stack of `depth` functions below it.
CALLED static void measure(int depth, int n)
{
	uint64_t start;

	if (depth) {
		measure(depth - 1, n);
		sink++;
		return;
	}
	start = now();
	for (int i = 0; i < n; i++)
		stop_here(i);
	printf("%.0f\n", (double)(now() - start) / n);
}

int main(int argc, char **argv)
{
	int v[6] = { 5, 3, 9, 1, 2, 8 };

	if (argc > 2) {
		measure(atoi(argv[1]), atoi(argv[2]));
		return 0;
	}
	signal(SIGUSR1, handler);
	recurse(3, 5);
	qsort(v, 6, sizeof(*v), compare);
	interrupted(7);
	recurse(30, 5);
	return 0;
}
