// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE

#include "runtime/session/supervise.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// The child leaves the terminal's foreground group: a Ctrl-C then reaches only the parent, which passes it on, so no
// signal comes twice. A SIGKILL to the group reaches only the parent, too. Who reads the terminal has to stay, and gets a Ctrl-C twice
// within a moment, which is one wish.
static void become_worker(pid_t parent, bool reads_terminal)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	signal(SIGTTOU, SIG_IGN); // writes where the terminal stops those in the background that do
	if (!reads_terminal)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		kill(getpid(), SIGTERM); // it died before
}

// Ctrl-Z stops both processes: they are one job of the terminal.
static void stop_both(pid_t worker)
{
	kill(worker, SIGSTOP);
	kill(getpid(), SIGSTOP);
	kill(worker, SIGCONT);
}

#define PATIENCE 4 // wishes to end that are passed on; timeout(1) says each twice

// It may be waiting in the kernel for what the target does not do, or be stopped by someone.
static void pass_on(pid_t worker, int signal)
{
	kill(worker, signal);
	kill(worker, SIGCONT);
}

static int wait_for_worker(pid_t worker, const sigset_t *signals)
{
	int n_wishes = 0;
	pid_t ended;

	for (;;) {
		int signal = sigtimedwait(signals, NULL, NULL), status;

		if (signal == SIGTSTP)
			stop_both(worker);
		else if (signal > 0 && signal != SIGCHLD && signal != SIGCONT)
			pass_on(worker, signal != SIGUSR1 && signal != SIGUSR2 && n_wishes++ >= PATIENCE ? SIGKILL : signal);
		// The first process of a container inherits the commands of system(), too.
		while ((ended = waitpid(getpid() == 1 ? -1 : worker, &status, WNOHANG)) > 0)
			if (ended == worker)
				return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

struct sp_err *supervise(const sigset_t *signals, bool reads_terminal, bool *is_worker_ret, int *status_ret)
{
	pid_t parent = getpid(), worker;
	sigset_t awaited = *signals, stop, old;

	fflush(NULL); // what the caller has in its buffers would be put out by both
	worker = fork();
	if (worker < 0)
		return sp_err_errno(errno, "cannot start the process that traces");
	if (worker == 0) {
		become_worker(parent, reads_terminal);
		*is_worker_ret = true;
		return NULL;
	}
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaddset(&awaited, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &stop, &old);
	*status_ret = wait_for_worker(worker, &awaited);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	*is_worker_ret = false;
	return NULL;
}
