// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/pager.h"

#include "runtime/base/env.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// LESS=FRX: less ends at once when all fits on the screen (F), shows colours (R), and leaves the text on the screen (X).
static void run_pager(const char *command, int input)
{
	dup2(input, STDIN_FILENO);
	close(input);
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

pid_t pager_start(void)
{
	const char *command = sp_env("PAGER");
	int ends[2];
	pid_t pid;

	if (!isatty(STDOUT_FILENO) || sp_env_is_raised() || (command && (!*command || !strcmp(command, "cat"))))
		return 0;
	if (!command)
		command = "less 2>/dev/null || cat";
	if (pipe(ends))
		return 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		run_pager(command, ends[0]);
	}
	close(ends[0]);
	if (pid > 0) {
		dup2(ends[1], STDOUT_FILENO);
		signal(SIGINT, SIG_IGN); // Ctrl-C is for the pager
	}
	close(ends[1]);
	return pid > 0 ? pid : 0;
}

void pager_end(pid_t pager)
{
	if (!pager)
		return;
	fflush(stdout);
	clearerr(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
