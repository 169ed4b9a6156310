// SPDX-License-Identifier: GPL-2.0-or-later
// rough WAY: what programs do that is rough for a tracer. Each way says on standard output what has happened to it, which
// must be the same when plain() and inner() are probed.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int sink, stop;
static sigjmp_buf back;

__attribute__((noipa)) int plain(int x)
{
	sink = x;
	return x + 1;
}

__attribute__((noipa)) int inner(int x)
{
	return x - 1;
}

// The first instruction reads memory.
int touch(const int *at);
__asm__(".globl touch\n.type touch, @function\ntouch:\n\tmovl (%rdi), %eax\n\tret\n.size touch, .-touch\n");

static void handle(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &action, NULL);
}

// ---- threads and forks -----------------------------------------------------------------------------------------------

static void *call_until_stopped(void *arg)
{
	while (!stop)
		plain(1);
	return arg;
}

static void with_threads(unsigned n, void (*body)(void))
{
	pthread_t threads[16];

	for (unsigned i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, call_until_stopped, NULL);
	body();
	stop = 1;
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void fork_some(void)
{
	int died = 0, status;

	for (int i = 0; i < 100; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(plain(i) + inner(i) == 2 * i ? 0 : 1);
		if (waitpid(pid, &status, 0) != pid || status)
			died++;
	}
	printf("%d of 100 children died\n", died);
}

static void call_inner(void)
{
	int sum = 0;

	for (int i = 0; i < 200; i++)
		sum += inner(i);
	printf("sum %d\n", sum);
}

static int child_main(void *arg)
{
	return plain(*(int *)arg) == 5 ? 7 : 1;
}

// Children of clone(2) that fork(2) does not make.
static void odd_clones(void)
{
	static const int flags[] = { SIGCHLD, SIGCHLD | CLONE_VM, SIGCHLD | CLONE_UNTRACED, SIGCHLD | CLONE_VM | CLONE_VFORK,
				     SIGUSR1, 0, SIGCHLD | CLONE_FS | CLONE_FILES, SIGCHLD | CLONE_UNTRACED | CLONE_VM };
	char *stack = malloc(65536);
	int four = 4;

	signal(SIGUSR1, SIG_IGN);
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		pid_t pid = clone(child_main, stack + 65536, flags[i], &four);
		int status = 0;

		while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
			;
		printf("%d: %#x\n", i, status);
		plain(1);
	}
}

// ---- signals ---------------------------------------------------------------------------------------------------------

static volatile int n_signals, n_bad_places, calls_only;

static void on_alarm(int sig, siginfo_t *info, void *context)
{
	extern char etext[], __executable_start[];
	const ucontext_t *uc = context;
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	(void)info;
	if (!calls_only)
		return;
	n_signals = n_signals + 1;
	if (pc < (uintptr_t)__executable_start || pc >= (uintptr_t)etext)
		n_bad_places = n_bad_places + 1;
	inner(1);
}

static void alarms(void)
{
	struct itimerval often = { .it_interval.tv_usec = 500, .it_value.tv_usec = 500 }, never = { .it_value.tv_usec = 0 };

	handle(SIGALRM, on_alarm, 0);
	setitimer(ITIMER_REAL, &often, NULL);
	calls_only = 1; // not setitimer(), where a signal may come, too
	for (int i = 0; i < 20000; i++)
		plain(i);
	calls_only = 0;
	setitimer(ITIMER_REAL, &never, NULL);
	fprintf(stderr, "%d\n", n_signals); // as many calls of inner()
	printf("%d places outside\n", n_bad_places);
}

static void leave(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	siglongjmp(back, 1);
}

static void fault_and_leave(void)
{
	volatile int n = 0;

	handle(SIGSEGV, leave, 0);
	for (volatile int i = 0; i < 300; i = i + 1)
		if (!sigsetjmp(back, 1))
			touch(NULL);
		else
			n = n + 1;
	printf("%d faults\n", n);
}

static volatile int wrong_faults;

static void mend(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	wrong_faults += uc->uc_mcontext.gregs[REG_RIP] != (greg_t)(uintptr_t)touch;
	inner(2);
	mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)4095), 4096, PROT_READ);
}

static void fault_and_mend(void)
{
	char *pages = mmap(NULL, 4096 * 50, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	handle(SIGSEGV, mend, 0);
	for (int i = 0; i < 50; i++)
		sum += touch((int *)(void *)(pages + 4096 * i)) + 1;
	printf("%d, %d at wrong places\n", sum, wrong_faults);
}

static volatile int n_traps;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	n_traps = n_traps + 1;
}

// SIGTRAP is the program's own, too.
static void traps(void)
{
	plain(1);
	handle(SIGTRAP, on_trap, 0);
	plain(2);
	raise(SIGTRAP);
	__asm__ volatile("int3");
	plain(3);
	printf("%d traps\n", n_traps);
	signal(SIGTRAP, SIG_IGN);
	plain(4);
	raise(SIGTRAP);
	plain(5);
	raise(SIGTRAP);
	printf("ignored\n");
	handle(SIGTRAP, on_trap, 0);
	raise(SIGTRAP);
	printf("%d traps\n", n_traps);
}

static void blocked_traps(void)
{
	sigset_t trap;

	handle(SIGTRAP, on_trap, 0);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	plain(1);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	raise(SIGTRAP);
	printf("%d traps\n", n_traps);
}

// ---- stacks ----------------------------------------------------------------------------------------------------------

static ucontext_t main_context, contexts[4];

__attribute__((noipa)) int pausing(int i)
{
	swapcontext(&contexts[i], &main_context);
	return i + sink;
}

static void coroutine(int i)
{
	for (int n = 0; n < 50; n++)
		sink = pausing(i);
}

static void coroutines(void)
{
	for (int i = 0; i < 4; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = malloc(65536);
		contexts[i].uc_stack.ss_size = 65536;
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))(void *)coroutine, 1, i);
	}
	for (int n = 0; n < 51; n++)
		for (int i = 0; i < 4; i++)
			swapcontext(&main_context, &contexts[i]);
	printf("done\n");
}

__attribute__((noipa)) int deep(int n)
{
	int rest = n ? deep(n - 1) + 1 : 0;

	sink = rest;
	return rest;
}

static void recursion(void)
{
	int n = 0;

	for (int i = 0; i < 3; i++)
		n += deep(1000);
	printf("%d deep\n", n);
}

// ---- sleeps ----------------------------------------------------------------------------------------------------------

static void sleeps(void)
{
	struct timespec half = { .tv_nsec = 300000000 };
	struct epoll_event event;
	struct sembuf down = { .sem_op = -1 };
	sigset_t usr;
	int epoll = epoll_create1(0), sem = semget(IPC_PRIVATE, 1, 0600), error;

	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR2);
	printf("epoll_wait %d\n", epoll_wait(epoll, &event, 1, 300));
	error = sigtimedwait(&usr, NULL, &half) < 0 ? errno : 0;
	printf("sigtimedwait %s\n", strerror(error));
	error = semtimedop(sem, &down, 1, &half) < 0 ? errno : 0;
	printf("semtimedop %s\n", strerror(error));
	semctl(sem, 0, IPC_RMID);
}

// Sleeps again and again, until it is killed or a sleep was interrupted; for tracers that come and go.
static void sleeper(void)
{
	struct timespec brief = { .tv_nsec = 200000000 };
	struct epoll_event event;
	int epoll = epoll_create1(0);
	sigset_t usr;

	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR2);
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < 300; i++) {
		plain(i);
		if (epoll_wait(epoll, &event, 1, 200) < 0 || (sigtimedwait(&usr, NULL, &brief), errno == EINTR)) {
			printf("interrupted\n");
			return;
		}
	}
}

static void *call_slowly(void *arg)
{
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < 600; i++) {
		inner(i);
		usleep(50000);
	}
	exit(0);
	return arg;
}

static void headless(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, call_slowly, NULL);
	pthread_exit(NULL);
}

extern uint16_t guarded_semaphore;
uint16_t guarded_semaphore __attribute__((section(".probes"), used, visibility("hidden")));

// Says how many listen to its mark; until it is killed.
static void marked(void)
{
	for (int i = 0; i < 600; i++) {
		if (guarded_semaphore)
			__asm__ volatile("990: nop\n"
					 ".pushsection .note.stapsdt,\"?\",\"note\"\n"
					 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
					 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
					 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte guarded_semaphore\n"
					 ".asciz \"rough\"\n.asciz \"guarded\"\n.asciz \"-4@%0\"\n"
					 "994: .balign 4\n.popsection\n"
					 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
					 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
					 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n" ::"r"(i));
		printf("%d\n", guarded_semaphore);
		fflush(stdout);
		usleep(50000);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
	unsigned n_threads; // that call plain() meanwhile
} ways[] = {
	{ "forks", fork_some, 4 }, { "turns", call_inner, 8 }, { "clones", odd_clones, 0 }, { "alarms", alarms, 0 },
	{ "faults", fault_and_leave, 0 }, { "mends", fault_and_mend, 0 }, { "traps", traps, 0 },
	{ "blocked", blocked_traps, 0 }, { "coroutines", coroutines, 0 }, { "recursion", recursion, 0 },
	{ "sleeps", sleeps, 2 }, { "sleeper", sleeper, 0 },
	{ "marked", marked, 0 }, { "headless", headless, 0 },
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			with_threads(ways[i].n_threads, ways[i].run);
			return 0;
		}
	return 2;
}
