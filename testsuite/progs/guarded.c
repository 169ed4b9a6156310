// SPDX-License-Identifier: GPL-2.0-or-later
// guarded WAY: programs that have given up what they can do, or have become somebody else. Each says on standard output what has happened
// to it, which must be the same when work() is probed. A system call more than its own ends one that has a filter.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define NOBODY 65534

// seccomp(2) allows exit(2) of a thread alone.
static void end(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		abort();
	syscall(SYS_exit, 11);
}

#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_exit),
		ALLOW(SYS_rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		abort();
}

static void strict(void)
{
	works(3);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	works(4);
	end("strict\n");
}

static void filtered(void)
{
	filter();
	works(7);
	end("filtered\n");
}

// The kernel resets the action of a signal that it must raise and that is blocked.
static void block_and_filter(void)
{
	sigset_t set;

	works(3);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	usleep(20000); // a tracer looks at it now and then
	filter();
	works(4);
	end("blocked\n");
}

static void on_trap(int signal)
{
	(void)signal;
}

static void handles(void)
{
	signal(SIGTRAP, on_trap);
	block_and_filter();
}

static void ignores(void)
{
	signal(SIGTRAP, SIG_IGN);
	block_and_filter();
}

static void *filtered_thread(void *arg)
{
	works(2);
	filter();
	works(5);
	syscall(SYS_exit, 0);
	return arg;
}

static void threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, filtered_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	works(2);
	puts("threads");
}

static void simple(void)
{
	works(4);
	puts("simple");
}

static void run_simple(void)
{
	fflush(stdout);
	execl(self, "guarded", "simple", NULL);
	abort();
}

static void new_privileges(void)
{
	works(3);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	run_simple();
}

// The new program is dumpable again.
static void undumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	works(3);
	run_simple();
}

// The child is the first process of its namespace.
static void namespaces(void)
{
	int failed;
	pid_t pid;

	works(3);
	failed = unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS);
	pid = fork();
	if (!pid) {
		works(2);
		printf("%d\n", failed || getpid() == 1);
		if (!fork())
			run_simple();
		wait(NULL);
		_exit(5);
	}
	printf("%#x\n", status_of(pid));
}

static void roots(void)
{
	pid_t pid;

	works(3);
	mkdir("empty", 0755);
	printf("%d\n", chroot("empty"));
	works(2);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		works(2);
		_exit(4);
	}
	printf("%#x\n", status_of(pid));
}

static void drops(void)
{
	pid_t pid;

	works(3);
	printf("%d\n", setgid(NOBODY) | setuid(NOBODY));
	works(2);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		works(2);
		run_simple();
	}
	printf("%#x\n", status_of(pid));
}

// Of a program whose file gives it to another user.
static void ids(void)
{
	works(7);
	printf("%d %d\n", getuid() == geteuid(), getgid() == getegid());
}

static void waits(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	puts("waits");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	static const struct way ways[] = { { "strict", strict },   { "filtered", filtered }, { "blocks", block_and_filter }, { "handles", handles },
		     { "ignores", ignores }, { "threads", threads },   { "simple", simple },	       { "new_privileges", new_privileges },
		     { "undumpable", undumpable }, { "namespaces", namespaces }, { "roots", roots },   { "drops", drops },
		     { "ids", ids },	     { "waits", waits } };

	return run_way(ways, sizeof(ways) / sizeof(*ways), argc, argv);
}
