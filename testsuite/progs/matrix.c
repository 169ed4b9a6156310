// SPDX-License-Identifier: GPL-2.0-or-later
// The target of the matrix test: passes each sort of probe once, then waits until it is stopped; with an argument it runs until then.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

struct link {
	int value;
	struct link *next;
};

char matrix_text[] = "text of the target";
struct link matrix_links[] = { { 3, matrix_links + 1 }, { 5, matrix_links + 2 }, { 9, 0 } };
double matrix_share = 0.625;
volatile unsigned long matrix_rounds;

__attribute__((noipa)) static void tick(int n, const char *text, struct link *links)
{
	MARK("matrix", "tick", "0", "-4@%0 8@%1 8@%2", "nor"(n), "nor"(text), "nor"(links));
}

int main(int argc, char **argv __attribute__((unused)))
{
	struct timespec interval;

	matrix_text[0] = 't'; // what no page is there for yet, not every probe can read
	tick(7, matrix_text, matrix_links);
	syscall(SYS_sched_rr_get_interval, 0, &interval);
	syscall(SYS_sched_getscheduler, 0);
	syscall(SYS_sched_getparam, 0, &interval);
	while (argc > 1)
		matrix_rounds++;
	for (;;)
		pause();
}
