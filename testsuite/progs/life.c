// SPDX-License-Identifier: GPL-2.0-or-later
// What can happen to a process while it is probed: threads, signals, forks, new programs, and ends of several kinds.
// Each way calls leaf(); the exit status is 3.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
static volatile sig_atomic_t signals;

__attribute__((noipa)) int leaf(int x)
{
	sink += x;
	return x + 1;
}

__attribute__((noipa)) int nest(int n)
{
	return n == 0 ? leaf(0) : nest(n - 1) + n;
}

__attribute__((noipa)) void many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	sink += a + b + c + d + e + f + g + h;
}

static void on_signal(int signal)
{
	(void)signal;
	signals = signals + 1;
	leaf(1000);
}

static void *run(void *arg)
{
	for (int i = 0; i < 100; i++)
		nest(3);
	return arg;
}

static void threads(void)
{
	pthread_t thread[8];

	for (int i = 0; i < 8; i++)
		pthread_create(thread + i, NULL, run, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

static void forks(void)
{
	for (int i = 0; i < 5; i++) {
		if (fork() == 0) {
			leaf(i);
			_exit(i);
		}
		wait(NULL);
	}
}

static void spawned(const char *self, int is_vfork)
{
	if (!is_vfork || vfork() == 0) {
		execl("/proc/self/exe", self, "calls", NULL);
		_exit(1);
	}
	wait(NULL);
	leaf(99);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "calls";

	leaf(7);
	if (!strcmp(way, "calls")) {
		nest(5);
		many(1, 2, 3, 4, 5, 6, -7, 8);
	} else if (!strcmp(way, "threads")) {
		threads();
	} else if (!strcmp(way, "signals")) {
		signal(SIGUSR1, on_signal);
		for (int i = 0; i < 50; i++)
			raise(SIGUSR1);
		leaf(signals);
	} else if (!strcmp(way, "forks")) {
		forks();
	} else if (!strcmp(way, "exec") || !strcmp(way, "vfork")) {
		spawned(argv[0], way[0] == 'v');
	} else if (!strcmp(way, "crash")) {
		raise(SIGSEGV);
	} else if (!strcmp(way, "trap")) {
		raise(SIGTRAP);
	}
	return 3;
}
