// SPDX-License-Identifier: GPL-2.0-or-later
/** For programs that do one of several things to a tracer: the function that is probed, and the choice of what is done. */
#ifndef SP_PROGS_WORK_H
#define SP_PROGS_WORK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>

static char *self; // the path of the program, from run_way() on
static volatile int sink;

__attribute__((noipa)) int work(int x)
{
	return sink = x + 1;
}

static void works(int n)
{
	for (int i = 0; i < n; i++)
		work(i);
}

/** What waitpid(2) says of the end of a process or thread; -1: it is no child. */
static int status_of(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	return status;
}

struct way {
	const char *name;
	void (*run)(void);
};

/** Does what the only argument names. Returns the exit status. */
static int run_way(const struct way *ways, size_t n, int argc, char **argv)
{
	self = realpath("/proc/self/exe", NULL);
	for (size_t i = 0; i < n; i++) {
		if (argc != 2 || strcmp(argv[1], ways[i].name))
			continue;
		ways[i].run();
		fflush(stdout);
		return 11;
	}
	return 2;
}

#endif
