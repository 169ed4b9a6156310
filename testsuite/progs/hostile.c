// SPDX-License-Identifier: GPL-2.0-or-later
// hostile WAY: what programs do that makes a tracer lose them. Each says on standard output what has happened to it, which must be the
// same when work() is probed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

extern char **environ;

#define STACK 65536

// 300 children at a time.
static void many(void)
{
	int good = 0, status;

	for (int i = 0; i < 300; i++) {
		if (fork())
			continue;
		work(i);
		_exit(7);
	}
	while (wait(&status) > 0)
		good += status == 7 << 8;
	printf("%d\n", good);
}

static void closes(void)
{
	int out = dup(1);

	syscall(SYS_close_range, 0, out - 1, 0);
	syscall(SYS_close_range, out + 1, ~0U, 0);
	works(5);
	dprintf(out, "closed\n");
}

static void vforks(void)
{
	char *args[] = { (char *)"true", NULL };
	static int bad, i;
	pid_t pid;

	for (; i < 20; i++) {
		pid = vfork();
		if (!pid) {
			work(i);
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		bad += status_of(pid) != 0;
		work(i);
		bad += posix_spawn(&pid, "/bin/true", NULL, NULL, args, environ) || status_of(pid);
	}
	printf("%d bad\n", bad);
}

static void simple(void)
{
	works(4);
	puts("simple");
}

static void *run_simple(void *arg)
{
	works(3);
	execl(self, "hostile", "simple", NULL);
	return arg;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

// A thread runs a program while others live.
static void threads_exec(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, wait_for_ever, NULL);
	pthread_create(&threads[3], NULL, run_simple, NULL);
	pthread_join(threads[3], NULL);
}

// The same when the first one has ended.
static void leader_ends(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_simple, NULL);
	syscall(SYS_exit, 3);
}

static __attribute__((noinline)) void go_down(const char *end)
{
	volatile char room[64];

	room[0] = 1;
	if ((char *)__builtin_frame_address(0) - end > 320)
		go_down(end);
	else
		work(1);
	sink += room[0];
}

static void *go_down_to(void *end)
{
	go_down(end);
	return NULL;
}

// 320 bytes of stack are left.
static void full_stack(void)
{
	char *stack = mmap(NULL, STACK + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	mprotect(stack + 4096, STACK, PROT_READ | PROT_WRITE);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack + 4096, STACK);
	for (int i = 0; i < 10; i++) {
		pthread_create(&thread, &attr, go_down_to, stack + 4096);
		pthread_join(thread, NULL);
	}
	puts("full");
}

// No memory, no files, no processes more.
static void limits(void)
{
	static const int what[] = { RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK, RLIMIT_MEMLOCK };
	struct rlimit limit = { 0, 0 };
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (fscanf(f, "%lu", &pages) != 1)
		abort();
	fclose(f);
	puts("limits");
	fflush(stdout);
	limit.rlim_cur = limit.rlim_max = pages * 4096;
	setrlimit(RLIMIT_AS, &limit);
	works(10);
	limit.rlim_cur = limit.rlim_max = 0;
	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++)
		setrlimit(what[i], &limit);
	works(10);
}

static void die(int by_signal)
{
	pid_t pid = fork();

	if (!pid) {
		work(1);
		if (by_signal)
			raise(SIGTRAP);
		else
			__asm__ volatile("int3");
		_exit(0);
	}
	printf("%#x\n", status_of(pid) & 0x7f);
}

// SIGTRAP ends a program that has no action for it; the first comes from where work() returns to.
static void traps(void)
{
	works(2);
	die(0);
	die(1);
}

// A child that is somebody else's.
static void daemonize(void)
{
	int ends[2];
	char byte;

	if (pipe(ends))
		abort();
	if (!fork()) {
		setsid();
		if (!fork()) {
			works(3);
			if (write(ends[1], "x", 1) != 1)
				abort();
		}
		_exit(0);
	}
	close(ends[1]);
	printf("%zd\n", read(ends[0], &byte, 1));
}

// Job control.
static void jobs(void)
{
	int status = 0, bad = 0;
	pid_t pid = fork();

	if (!pid) {
		for (int i = 0; i < 3; i++) {
			work(i);
			raise(SIGTSTP);
		}
		_exit(3);
	}
	for (int i = 0; i < 3; i++) {
		waitpid(pid, &status, WUNTRACED);
		bad += !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTSTP;
		kill(pid, SIGCONT);
	}
	printf("%d bad, %#x\n", bad, status_of(pid));
}

static void undumpable(void)
{
	pid_t pid;

	prctl(PR_SET_DUMPABLE, 0);
	works(5);
	pid = fork();
	if (!pid) {
		works(2);
		_exit(4);
	}
	printf("%#x\n", status_of(pid));
}

// Libraries are mapped when an ordinary user may not see that any more.
static void loads(void)
{
	works(2);
	prctl(PR_SET_DUMPABLE, 0);
	if (!dlopen("libm.so.6", RTLD_NOW))
		abort();
	works(5);
}

// Without random addresses the heap begins right behind the program, where nobody else's memory may be.
static void grows(void)
{
	int persona = personality(0xffffffff);

	if (!(persona & ADDR_NO_RANDOMIZE) && personality((unsigned)persona | ADDR_NO_RANDOMIZE) != -1)
		execl(self, self, "grows", NULL);
	works(3);
	puts(sbrk(64 << 20) == (void *)-1 ? "there is no room" : "it has grown");
}

int main(int argc, char **argv)
{
	static const struct way ways[] = { { "many", many },	     { "closes", closes },	     { "vforks", vforks },	   { "simple", simple },
		     { "threads_exec", threads_exec }, { "leader_ends", leader_ends }, { "full_stack", full_stack }, { "limits", limits },
		     { "traps", traps },	     { "daemonize", daemonize },     { "jobs", jobs },		   { "undumpable", undumpable },
		     { "loads", loads },	     { "grows", grows } };

	signal(SIGTSTP, SIG_DFL);
	setpgid(0, 0);
	return run_way(ways, sizeof(ways) / sizeof(*ways), argc, argv);
}
