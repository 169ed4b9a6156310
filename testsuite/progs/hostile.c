// SPDX-License-Identifier: GPL-2.0-or-later
// hostile WAY: what programs do that makes a tracer lose them. Each says on standard output what has happened to it, which must be the
// same when work() is probed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
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

// ---- what it is like when a tracer comes -----------------------------------------------------------------------------

// Until there is a breakpoint.
static void await_breakpoint(const void *code)
{
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 20000 && *(const volatile unsigned char *)code != 0xcc; i++)
		usleep(1000);
}

// No memory can be mapped any more.
static void locked(void)
{
	const struct rlimit none = { 0, 0 };

	if (setrlimit(RLIMIT_MEMLOCK, &none) || mlockall(MCL_FUTURE))
		perror("mlockall");
	if (!getuid() && setresuid(65534, 65534, 65534))
		abort();
	prctl(PR_SET_DUMPABLE, 1);
	await_breakpoint(work);
	works(3);
	puts(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EAGAIN ? "locked" : "mapped");
}

static char selector;
static volatile int n_dispatched;

static void on_dispatch(int signal)
{
	(void)signal;
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	n_dispatched++;
}

// System calls are somebody else's: what emulators of other systems do.
static void dispatched(void)
{
	int sum = 0, failed;

	signal(SIGSYS, on_dispatch);
	failed = prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector);
	await_breakpoint(work);
	selector = SYSCALL_DISPATCH_FILTER_BLOCK;
	for (int i = 0; i < 4; i++)
		sum += work(i);
	if (!n_dispatched)
		getpid(); // is still the handler's
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	printf("%d %d %d\n", failed, sum, n_dispatched);
}

#define FLAG_STEP 0x100

int calls_first(int x);
__asm__(".pushsection .text\n"
	".globl calls_first\n"
	".type calls_first, @function\n"
	"calls_first:\n"
	"	call 1f\n"
	"	leal 1(%rdi), %eax\n"
	"	ret\n"
	"1:	ret\n"
	".size calls_first, . - calls_first\n"
	".popsection\n");

static volatile int n_steps;

static void on_step(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signal;
	if (info->si_code == TRAP_TRACE && ++n_steps > 1000)
		user->uc_mcontext.gregs[REG_EFL] &= ~FLAG_STEP;
}

static int step_through(void)
{
	int before = n_steps, sum = 0;

	for (int i = 0; i < 5; i++) {
		__asm__ volatile("pushf; orl %0, (%%rsp); popf" : : "i"(FLAG_STEP) : "memory", "cc");
		sum += calls_first(i);
		__asm__ volatile("pushf; andl %0, (%%rsp); popf" : : "i"(~FLAG_STEP) : "memory", "cc");
	}
	return sum == 15 ? n_steps - before : -1;
}

// It is its own debugger, and sees each instruction once.
static void steps(void)
{
	const struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	int alone, n;

	sigaction(SIGTRAP, &action, NULL);
	alone = step_through();
	await_breakpoint(calls_first);
	n = step_through();
	printf("%s\n", n == alone && n > 0 ? "as alone" : "others");
}

extern const char code_32[], call_32[]; // one behind the other
__asm__(".pushsection .text\n"
	".p2align 6\n"
	".type code_32, @function\n"
	".code32\n"
	"code_32:\n"
	"	incl %eax\n"
	"	addl %eax, %eax\n"
	"	lret\n"
	".code64\n"
	".size code_32, . - code_32\n"
	"call_32:\n" // a value, where code_32 is, a stack
	"	pushq %r12\n"
	"	movq %rsp, %r12\n"
	"	movq %rdx, %rsp\n"
	"	movl %edi, %eax\n"
	"	lcall *(%rsi)\n"
	"	movq %r12, %rsp\n"
	"	popq %r12\n"
	"	ret\n"
	".popsection\n");

// 32-bit code in a 64-bit program: that of the program's file, where such code can be.
static void other_words(void)
{
	struct {
		unsigned offset;
		unsigned short segment;
	} __attribute__((packed)) far = { 0, 0x23 };
	unsigned page = 4096, value = 0;
	int fd = open(self, O_RDONLY);
	char *stack = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0), *code;
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, offset, address = (unsigned long)code_32, end = 0;

	while (address >= end && fscanf(maps, "%lx-%lx %*s %lx%*[^\n]", &start, &end, &offset) == 3)
		;
	code = mmap(NULL, 2 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_32BIT, fd, (off_t)(offset + (address - start)) & -(off_t)page);
	code += address % page;
	far.offset = (unsigned)(unsigned long)code;
	await_breakpoint(code);
	for (int i = 0; i < 5; i++)
		value = ((unsigned (*)(unsigned, const void *, void *))(code + (call_32 - code_32)))(value, &far, stack + page);
	works(2);
	printf("%u\n", value);
}

__attribute__((noipa)) const char *looks_at(const char *text)
{
	return text;
}

// Another process serves what is read of a page; or it would have to, and never does.
static void serve_page(int fd, char *page, bool answers)
{
	static char text[4096] __attribute__((aligned(4096))) = "served";
	struct uffdio_copy copy = { .dst = (unsigned long)page, .src = (unsigned long)text, .len = sizeof(text) };
	struct uffd_msg message;

	if (fork()) {
		close(fd);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (answers && read(fd, &message, sizeof(message)) == sizeof(message))
		ioctl(fd, UFFDIO_COPY, &copy);
	for (;;)
		pause();
}

static void look_at_faults(bool is_elsewhere, bool answers, const char *name)
{
	struct uffdio_api api = { .api = UFFD_API };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { .range = { (unsigned long)page, 4096 }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0 && (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range)))
		abort();
	if (is_elsewhere)
		serve_page(fd, page, answers);
	await_breakpoint(looks_at);
	for (int i = 0; i < 3; i++)
		looks_at(page);
	puts(fd < 0 ? "may not" : name);
}

// Whoever reads there waits for somebody who never comes.
static void unserved(void)
{
	look_at_faults(false, false, "unserved");
}

static void unserved_elsewhere(void)
{
	look_at_faults(true, false, "unserved");
}

static void served_elsewhere(void)
{
	look_at_faults(true, true, "served");
}

// Serves a file system that is one file, until somebody reads it.
static void *serve(void *arg)
{
	int fd = *(int *)arg;
	char request[FUSE_MIN_READ_BUFFER * 2];
	const struct fuse_in_header *in = (const void *)request;

	while (read(fd, request, sizeof(request)) > 0 && in->opcode != FUSE_READ) {
		struct {
			struct fuse_out_header head;
			union {
				struct fuse_init_out init;
				struct fuse_attr_out attr;
				struct fuse_open_out open;
			};
		} out = { .head = { sizeof(out.head), 0, in->unique } };

		if (in->opcode == FUSE_INIT) {
			out.init = (struct fuse_init_out){ .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096 };
			out.head.len += sizeof(out.init);
		} else if (in->opcode == FUSE_GETATTR) {
			out.attr = (struct fuse_attr_out){ .attr_valid = 1000, .attr = { .ino = 1, .size = 4096, .mode = S_IFREG | 0644, .nlink = 1 } };
			out.head.len += sizeof(out.attr);
		} else if (in->opcode == FUSE_OPEN) {
			out.head.len += sizeof(out.open);
		} else {
			out.head.error = -ENOSYS;
		}
		if (write(fd, &out, out.head.len) < 0)
			break;
	}
	return NULL;
}

// The same of a file whose file system the program serves itself.
static void unserved_file(void)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC), file = open("file", O_CREAT | O_RDWR, 0644);
	char options[100], *page = MAP_FAILED;
	pthread_t server;
	struct stat st;

	snprintf(options, sizeof(options), "fd=%d,rootmode=%o,user_id=%d,group_id=%d", fd, S_IFREG | 0644, (int)getuid(), (int)getgid());
	if (fd >= 0 && !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("hostile", "file", "fuse", 0, options) &&
	    !pthread_create(&server, NULL, serve, &fd) && (file = open("file", O_RDONLY)) >= 0 && !fstat(file, &st) && st.st_size)
		page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	close(file); // at its end the process would wait for itself
	await_breakpoint(looks_at);
	for (int i = 0; i < 3; i++)
		looks_at(page);
	puts(page == MAP_FAILED ? "may not" : "unserved");
}

int main(int argc, char **argv)
{
	static const struct way ways[] = { { "many", many },	     { "closes", closes },	     { "vforks", vforks },	   { "simple", simple },
		     { "threads_exec", threads_exec }, { "leader_ends", leader_ends }, { "full_stack", full_stack }, { "limits", limits },
		     { "traps", traps },	     { "daemonize", daemonize },     { "jobs", jobs },		   { "undumpable", undumpable },
		     { "loads", loads },	     { "grows", grows },	     { "locked", locked },	   { "dispatched", dispatched },
		     { "steps", steps },	     { "other_words", other_words }, { "unserved", unserved }, { "unserved_file", unserved_file },
		     { "unserved_elsewhere", unserved_elsewhere }, { "served_elsewhere", served_elsewhere } };

	signal(SIGTSTP, SIG_DFL);
	setpgid(0, 0);
	return run_way(ways, sizeof(ways) / sizeof(*ways), argc, argv);
}
