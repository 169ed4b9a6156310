// SPDX-License-Identifier: GPL-2.0-or-later
// The user engine on real processes: this program, run again as `test_attach_ptrace target MODE`.
#define _GNU_SOURCE // dlsym's RTLD_DEFAULT

#include "runtime/ptrace/attach_ptrace.h"

#include "bundle_make.h"
#include "expect.h"
#include "runtime/session/child.h"
#include "runtime/machine/image.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- the target ------------------------------------------------------------------------------------------------------

#define TARGET __attribute__((noipa, no_sanitize("address", "undefined")))

static volatile long sink;
static volatile sig_atomic_t n_signals;
static jmp_buf jump;

TARGET static long probe_me(long a, long b)
{
	sink = a;
	return a + b;
}

TARGET static long factorial(long n)
{
	long rest = n > 1 ? factorial(n - 1) : 1;

	sink = rest;
	return n * rest;
}

TARGET static long jumper(long n)
{
	if (n > 0)
		sink = jumper(n - 1);
	else if (sink >= 0)
		longjmp(jump, 1);
	return sink;
}

static void count_signal(int signal)
{
	(void)signal;
	n_signals++;
}

static void *thread_main(void *arg)
{
	for (long i = 0; i < 50; i++)
		probe_me(i, (long)arg);
	return NULL;
}

static int run_threads(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int run_forks(bool shared)
{
	volatile int bad = 0;
	int status;

	for (volatile long i = 0; i < 3; i++) {
		pid_t pid = shared ? vfork() : fork();

		if (!pid) {
			probe_me(i, 0);
			_exit(7);
		}
		waitpid(pid, &status, 0);
		bad |= !WIFEXITED(status) || WEXITSTATUS(status) != 7;
	}
	return bad;
}

static int run_signals(void)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	ualarm(1000, 1000);
	for (long i = 0; i < 100 || n_signals < 5; i++)
		probe_me(SP_MIN(i, 99), 0);
	ualarm(0, 0);
	return 0;
}

static int target_main(const char *mode)
{
	if (sp_streq(mode, "plain"))
		for (long i = 0; i < 3; i++)
			sink = probe_me(i, 1000);
	else if (sp_streq(mode, "factorial"))
		return factorial(5) == 120 ? 0 : 1;
	else if (sp_streq(mode, "threads"))
		return run_threads();
	else if (sp_streq(mode, "forks") || sp_streq(mode, "vforks"))
		return run_forks(sp_streq(mode, "vforks"));
	else if (sp_streq(mode, "signals"))
		return run_signals();
	else if (sp_streq(mode, "exec"))
		execl("/proc/self/exe", "again", "target", "plain", NULL);
	else if (sp_streq(mode, "trap")) {
		signal(SIGTRAP, count_signal);
		raise(SIGTRAP);
		probe_me(1, 1);
		return n_signals == 1 ? 0 : 1;
	} else if (sp_streq(mode, "longjmp")) {
		for (volatile int i = 0; i < 3; i++)
			if (!setjmp(jump)) {
				jumper(3);
				sink++; // so that what setjmp comes back to is not what the call would have returned to
			}
		probe_me(5, 6);
	} else if (sp_streq(mode, "libc"))
		for (int i = 0; i < 3; i++)
			sink = getppid();
	else if (sp_streq(mode, "loop"))
		for (long i = 0;; i++) {
			probe_me(i, 1);
			usleep(1000);
		}
	else if (sp_streq(mode, "killed"))
		raise(SIGKILL);
	return 0;
}

// ---- the test --------------------------------------------------------------------------------------------------------

struct place {
	uint64_t address, offset;
	char path[PATH_MAX];
};

static bool find_place(void *ctx, const struct image_mapping *mapping)
{
	struct place *place = ctx;

	if (place->address < mapping->start || place->address >= mapping->end)
		return true;
	place->offset = place->address - mapping->start + mapping->offset;
	snprintf(place->path, sizeof(place->path), "%s", mapping->path);
	return false;
}

// A bundle with one process() site at a function of this process's programs.
static struct bundle *make_bundle(const void *function, unsigned kind)
{
	const struct bpf_insn code[] = { MOV_I(BPF_REG_0, 0), EXIT() };
	struct place place = { .address = (uintptr_t)function };
	struct bundle_make make;
	struct bundle *bundle = NULL;
	struct sp_err *err;
	size_t size;
	char *bytes;

	sp_err_free(image_each_mapping(getpid(), find_place, &place));
	bm_init(&make);
	BM_PROG(&make, kind, "process.function", code);
	((struct sp_object *)make.objects.data)[0].path = bm_text(&make, place.path);
	((struct sp_site *)make.sites.data)[0].args.user.offset = place.offset;
	sp_buf_putc(&make.strings, '\0');
	bytes = bm_finish(&make, &size);
	err = bundle_open(bytes, size, &bundle);
	EXPECT(!err);
	sp_err_free(err);
	free(bytes);
	bm_deinit(&make);
	return bundle;
}

struct seen {
	unsigned n;
	long sum, last; // of the first arguments, or of the results
	long in_order[8];
	bool is_return, bad_code;
	const void *function;
};

static void handler(void *ctx, unsigned site, const struct vm_task *task, const void *regs, size_t size)
{
	struct vm_task described;
	struct seen *seen = ctx;
	struct user_regs_struct user = { 0 };
	uint8_t code[16];

	EXPECT_NUM(site, 0);
	EXPECT_NUM((int64_t)size, 176);
	memcpy(&user, regs, SP_MIN(size, sizeof(user)));
	seen->last = (long)(seen->is_return ? user.rax : user.rdi);
	seen->sum += seen->last;
	if (seen->n < SP_ARRAY_SIZE(seen->in_order))
		seen->in_order[seen->n] = seen->last;
	seen->n++;
	described = *task;
	described.describe(described.ctx, &described);
	EXPECT(described.pid && described.tid && described.ppid && described.comm[0]);
	// The code at the probe reads as if there were no breakpoint.
	if (!seen->is_return && (task->read(task->ctx, user.rip, code, sizeof(code)) ||
				 memcmp(code, seen->function, sizeof(code)) != 0))
		seen->bad_code = true;
}

static bool wait_a_little(void)
{
	const struct timespec limit = { .tv_sec = 20 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return sigtimedwait(&set, NULL, &limit) == SIGCHLD;
}

// Runs this program's MODE under the engine, to its end.
static int run(const char *mode, const void *function, unsigned kind, struct seen *seen)
{
	struct bundle *bundle = make_bundle(function, kind);
	struct attach_ptrace_input input = { .bundle = bundle, .handler = handler, .ctx = seen };
	struct attach_ptrace *engine = attach_ptrace_create(&input);
	char command[64];
	struct child child;
	int status = -1;
	sigset_t none;

	*seen = (struct seen){ .is_return = kind == SP_SITE_URETPROBE, .function = function };
	snprintf(command, sizeof(command), "/proc/%d/exe target %s", (int)getpid(), mode);
	sigemptyset(&none);
	EXPECT(!child_spawn(command, &none, &child));
	EXPECT(!attach_ptrace_child(engine, child.pid));
	EXPECT(!child_release(&child, command));
	while (!attach_ptrace_ended(engine, &status))
		if (!attach_ptrace_poll(engine) && !attach_ptrace_ended(engine, &status) && !wait_a_little()) {
			printf("%s: it hangs\n", mode);
			expect_failures++;
			break;
		}
	attach_ptrace_detach(engine);
	if (attach_ptrace_ended(engine, &status))
		child_set_ended(&child, status);
	EXPECT_NUM(attach_ptrace_unseen(engine), 0);
	attach_ptrace_destroy(engine);
	child_deinit(&child);
	EXPECT(!seen->bad_code);
	bundle_close(bundle);
	return status;
}

static void check(const char *mode, const void *function, unsigned kind, unsigned n, long sum)
{
	struct seen seen;
	int status = run(mode, function, kind, &seen);

	if (status == 0 && seen.n == n && seen.sum == sum)
		return;
	expect_failures++;
	printf("%s, %s: status %#x, %u events (%u expected), sum %ld (%ld expected)\n", mode,
	       kind == SP_SITE_UPROBE ? "entry" : "return", (unsigned)status, seen.n, n, seen.sum, sum);
}

static void check_recursion(void)
{
	static const long results[] = { 1, 2, 6, 24, 120 }, arguments[] = { 5, 4, 3, 2, 1 };
	struct seen seen;

	EXPECT_NUM(run("factorial", factorial, SP_SITE_URETPROBE, &seen), 0);
	EXPECT_NUM(seen.n, 5);
	EXPECT(memcmp(seen.in_order, results, sizeof(results)) == 0);
	EXPECT_NUM(run("factorial", factorial, SP_SITE_UPROBE, &seen), 0);
	EXPECT(memcmp(seen.in_order, arguments, sizeof(arguments)) == 0);
}

// A process that was there before is probed, and lives on untouched.
static void check_process(void)
{
	struct bundle *bundle = make_bundle(probe_me, SP_SITE_UPROBE);
	struct seen seen = { .function = probe_me };
	struct attach_ptrace_input input = { .bundle = bundle, .handler = handler, .ctx = &seen };
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(target_main("loop"));
	for (int round = 0; round < 3; round++) {
		struct attach_ptrace *engine = attach_ptrace_create(&input);
		unsigned before = seen.n;

		EXPECT(!attach_ptrace_process(engine, pid));
		while (seen.n < before + 10 && wait_a_little())
			attach_ptrace_poll(engine);
		EXPECT(seen.n >= before + 10);
		attach_ptrace_destroy(engine);
		usleep(20000);
		EXPECT_NUM(waitpid(pid, &status, WNOHANG), 0);
	}
	EXPECT(!seen.bad_code);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	bundle_close(bundle);
}

int main(int argc, char **argv)
{
	struct sp_err *err = attach_ptrace_check();
	struct seen seen;
	sigset_t set;

	if (argc == 3 && sp_streq(argv[1], "target"))
		return target_main(argv[2]);
	if (err) {
		printf("%s\n", err->message);
		sp_err_free(err);
		return 77;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); // the leak sanitizer of the target is a tracer itself

	check("plain", probe_me, SP_SITE_UPROBE, 3, 0 + 1 + 2);
	check("plain", probe_me, SP_SITE_URETPROBE, 3, 1000 + 1001 + 1002);
	check_recursion();
	check("threads", probe_me, SP_SITE_UPROBE, 200, 4 * 49 * 50 / 2);
	check("threads", probe_me, SP_SITE_URETPROBE, 200, 4 * 49 * 50 / 2 + 50 * (0 + 1 + 2 + 3));
	check("forks", probe_me, SP_SITE_UPROBE, 3, 3);
	check("forks", probe_me, SP_SITE_URETPROBE, 3, 3);
	check("vforks", probe_me, SP_SITE_UPROBE, 3, 3);
	check("vforks", probe_me, SP_SITE_URETPROBE, 3, 3);
	check("exec", probe_me, SP_SITE_UPROBE, 3, 3);
	check("trap", probe_me, SP_SITE_URETPROBE, 1, 2);
	check("longjmp", probe_me, SP_SITE_URETPROBE, 1, 11);
	check("longjmp", jumper, SP_SITE_URETPROBE, 0, 0);
	// Mapped by the dynamic linker after the program has started.
	EXPECT_NUM(run("libc", dlsym(RTLD_DEFAULT, "getppid"), SP_SITE_UPROBE, &seen), 0);
	EXPECT_NUM(seen.n, 3);
	EXPECT_NUM(run("libc", dlsym(RTLD_DEFAULT, "getppid"), SP_SITE_URETPROBE, &seen), 0);
	EXPECT_NUM(seen.last, getpid());
	EXPECT_NUM(run("signals", probe_me, SP_SITE_UPROBE, &seen), 0);
	EXPECT(seen.n >= 100);
	EXPECT(WIFSIGNALED(run("killed", main, SP_SITE_UPROBE, &seen)));
	check_process();
	return expect_status();
}
