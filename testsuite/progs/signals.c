// SPDX-License-Identifier: GPL-2.0-or-later
// Signals of all ways, to itself and to its children: for the probe family signal.
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void handler(int sig)
{
	(void)sig;
}

static void take(int sig, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(sig, &action, NULL);
}

// The handler's stack is no memory: the kernel can't call it.
static void overflow(void)
{
	stack_t nowhere = { .ss_sp = (void *)4096, .ss_size = 65536 };

	sigaltstack(&nowhere, NULL);
	take(SIGUSR1, SA_ONSTACK);
	kill(getpid(), SIGUSR1);
}

static void in_child(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		fn();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void forbidden(void)
{
	if (setuid(65534) == 0)
		kill(1, SIGTERM);
}

static void wait_for_timer(void)
{
	struct itimerspec in_10_ms = { .it_value.tv_nsec = 10000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	timer_t timer;

	take(SIGALRM, 0);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &in_10_ms, NULL) == 0)
		pause();
}

int main(void)
{
	sigset_t blocked, pending;

	take(SIGUSR1, 0);
	kill(getpid(), SIGUSR1);
	syscall(SYS_tkill, getpid(), SIGUSR1);
	syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGWINCH);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	kill(getpid(), SIGWINCH);
	sigpending(&pending);
	wait_for_timer();
	in_child(forbidden);
	in_child(overflow);
	kill(getpid(), SIGCHLD); // ignored
	return 0;
}
