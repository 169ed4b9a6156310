// SPDX-License-Identifier: GPL-2.0-or-later
// asleep CALL MILLISECONDS [child | handled | input]: sleeps in a system call for so long, and says what it returned and whether that was
// too early. Half-way a child ends, whose signal is ignored, or a signal is handled; or the call is made when there is input.
#define _GNU_SOURCE // clone, semtimedop
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct timespec after(long ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now.tv_nsec += ms % 1000 * 1000000;
	now.tv_sec += ms / 1000 + now.tv_nsec / 1000000000;
	now.tv_nsec %= 1000000000;
	return now;
}

static int64_t now_us(void)
{
	struct timespec now = after(0);

	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// A child that ends then; nobody traces it.
static void wait_for_child(long ms)
{
	pid_t child = fork();

	if (child == 0) {
		usleep((useconds_t)ms * 1000);
		_exit(0);
	}
	errno = wait4(child, NULL, 0, NULL) == child ? 0 : errno;
}

static void ignore(int signal)
{
	(void)signal;
}

static void disturb(const char *how, long ms)
{
	const struct timeval span = { ms / 2000, ms / 2 % 1000 * 1000 };
	const struct itimerval half = { span, span }; // a tracer may keep the call back until it has come once
	const struct sigaction action = { .sa_handler = ignore };
	struct pollfd input = { .fd = 0, .events = POLLIN };

	if (!strcmp(how, "input")) {
		syscall(SYS_poll, &input, 1, -1);
	} else if (!strcmp(how, "handled")) {
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &half, NULL);
	} else if (fork() == 0) {
		usleep((useconds_t)ms * 500);
		_exit(0);
	}
}

// Until the file `go` is there; neither signals nor tracers get it out of that. Nobody traces the child.
static void wait_deeply(void)
{
	if (syscall(SYS_clone, CLONE_VFORK | CLONE_UNTRACED | SIGCHLD, NULL, NULL, NULL, 0))
		return;
	while (access("go", F_OK))
		usleep(10000);
	_exit(0);
}

static void sleep_in(const char *call, long ms)
{
	struct timespec span = { ms / 1000, ms % 1000 * 1000000 }, until = after(ms);
	int set = semget(IPC_PRIVATE, 1, 0600), error;
	uint32_t word = 0;

	errno = 0;
	if (!strcmp(call, "nanosleep"))
		syscall(SYS_nanosleep, &span, NULL);
	else if (!strcmp(call, "clock_nanosleep"))
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL);
	else if (!strcmp(call, "clock_nanosleep_until"))
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	else if (!strcmp(call, "futex"))
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &span, NULL, 0);
	else if (!strcmp(call, "futex_until"))
		syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY);
	else if (!strcmp(call, "poll"))
		syscall(SYS_poll, NULL, 0, ms);
	else if (!strcmp(call, "epoll_wait"))
		syscall(SYS_epoll_wait, syscall(SYS_epoll_create1, 0), &until, 1, ms);
	else if (!strcmp(call, "sigtimedwait"))
		syscall(SYS_rt_sigtimedwait, &(uint64_t){ 1 << (SIGUSR1 - 1) }, NULL, &span, 8);
	else if (!strcmp(call, "semtimedop"))
		semtimedop(set, &(struct sembuf){ .sem_op = -1 }, 1, &span);
	else if (!strcmp(call, "vfork"))
		wait_deeply();
	else
		wait_for_child(ms);
	error = errno;
	semctl(set, 0, IPC_RMID);
	errno = error;
}

__attribute__((noipa)) void wake(void)
{
}

int main(int argc, char **argv)
{
	long ms = argc > 2 ? atol(argv[2]) : 0;
	int64_t before;
	int error;

	if (argc < 3)
		return 2;
	if (argc > 3)
		disturb(argv[3], ms);
	before = now_us();
	sleep_in(argv[1], ms);
	error = errno;
	wake();
	printf("%s%s\n", strerror(error), now_us() - before < ms * 1000 - 1000 ? ", too early" : "");
	return 0;
}
