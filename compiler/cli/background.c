// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // pipe2
#include "compiler/cli/background.h"

#include "compiler/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_background(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

static int end_of(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Has the child begun, before it ended? `signals` are those of this process, which are the child's, too.
static bool wait_for_begin(pid_t child, int begun, int signals)
{
	struct pollfd fds[] = { { .fd = begun, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	char byte;

	for (;;) {
		if (poll(fds, SP_ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents && read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			kill(child, (int)info.ssi_signo);
		if (fds[0].revents)
			return read(begun, &byte, 1) == 1;
	}
}

bool background_start(int *begun_ret, int *status_ret)
{
	sigset_t signals, before;
	int begun[2], signal_fd;
	bool has_begun;
	pid_t child;

	fflush(NULL);
	*status_ret = 1;
	if (pipe2(begun, O_CLOEXEC)) {
		cli_report(sp_err_errno(errno, "cannot run in the background"));
		return true;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &before);
	child = fork();
	if (child < 0)
		cli_report(sp_err_errno(errno, "cannot run in the background"));
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		close(begun[0]);
		become_background();
		*begun_ret = begun[1];
		return false;
	}
	close(begun[1]);
	if (child > 0) {
		signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
		has_begun = wait_for_begin(child, begun[0], signal_fd);
		*status_ret = has_begun ? 0 : end_of(child);
		if (has_begun)
			printf("%d\n", (int)child);
		close(signal_fd);
	}
	close(begun[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return true;
}

void background_begin(int begun, int messages)
{
	fflush(stderr);
	dup2(messages, STDERR_FILENO);
	while (write(begun, "", 1) < 0 && errno == EINTR)
		;
	close(begun);
}
