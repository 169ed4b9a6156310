// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/ptrace/attach_ptrace.h"

#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_engine.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_STOPS 256 // handled in a row: others want to be heard, too
#define TRIES 4
#define PATIENCE_MS 2000 // for threads that do not stop: one waits in the kernel for the child of its vfork

struct sp_err *attach_ptrace_check(void)
{
	char self[16] = "";

	if (!ptrace_cpu_is_known())
		return sp_err_new(SP_ERR_PRIVILEGE, "the user engine does not know this processor (it knows x86_64)");
	if (readlinkat(AT_FDCWD, "/proc/self", self, sizeof(self) - 1) <= 0)
		return sp_err_new(SP_ERR_PRIVILEGE, "/proc is not mounted here: mount -t proc proc /proc");
	if (strtol(self, NULL, 10) != getpid()) // a pid of ours would be another process there
		return sp_err_new(SP_ERR_PRIVILEGE, "/proc is that of another PID namespace: mount -t proc proc /proc");
	return NULL;
}

bool attach_ptrace_poll(struct attach_ptrace *engine)
{
	for (unsigned i = 0; i < MAX_STOPS; i++) {
		int status;
		struct ptrace_thread *thread = ptrace_thread_next(engine, &status);

		if (!thread)
			return false;
		ptrace_stop_handle(engine, thread, status);
	}
	return true;
}

bool attach_ptrace_ended(const struct attach_ptrace *engine, int *status_ret)
{
	if (engine->root_ended)
		*status_ret = engine->root_status;
	return engine->root_ended;
}

bool attach_ptrace_has_failed(const struct attach_ptrace *engine)
{
	return engine->has_failed;
}

unsigned attach_ptrace_unseen(const struct attach_ptrace *engine)
{
	const struct bundle *bundle = engine->input.bundle;
	unsigned n = 0;

	for (unsigned i = 0; i < bundle->n_sites; i++)
		if ((bundle->sites[i].kind == SP_SITE_UPROBE || bundle->sites[i].kind == SP_SITE_URETPROBE) &&
		    !engine->inserted[i])
			n++;
	return n;
}

// ---- begin and end ---------------------------------------------------------------------------------------------------

struct attach_ptrace *attach_ptrace_create(const struct attach_ptrace_input *input)
{
	struct attach_ptrace *engine = sp_calloc(1, sizeof(*engine));

	engine->input = *input;
	engine->options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE |
			  PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD;
	ptrace_sites_init(engine);
	ptrace_event_init(engine);
	return engine;
}

// Whose tracer, 0: nobody.
static int tracer_of(pid_t tid)
{
	int tracer = 0;

	ptrace_proc_status(tid, "TracerPid: %d", &tracer);
	return tracer;
}

static struct sp_err *seize(struct attach_ptrace *engine, pid_t tid)
{
	sp_cleanup_fclose FILE *yama = NULL;
	int scope = 0, tracer, size;
	bool is_seized = false;

	// Again: a thread may have taken the number over, by execve(2), from one that had ended.
	for (unsigned i = 0; i < TRIES && !is_seized && (!i || errno == EPERM); i++)
		is_seized = ptrace_seize(engine, tid);
	if (is_seized)
		return NULL;
	if (errno != EPERM)
		return sp_err_errno(errno, "cannot trace process %d", (int)tid);
	tracer = tracer_of(tid);
	if (tracer == (int)syscall(SYS_gettid))
		return NULL;
	if (tracer)
		return sp_err_new(SP_ERR_PRIVILEGE, "cannot trace process %d: process %d traces it already", (int)tid, tracer);
	yama = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (yama && fscanf(yama, "%d", &scope) == 1 && scope > 0)
		return sp_err_new(SP_ERR_PRIVILEGE,
				  "cannot trace process %d: /proc/sys/kernel/yama/ptrace_scope is %d, which allows %s",
				  (int)tid, scope, scope == 1 ? "children only: use -c, or root" : "root only");
	if (!ptrace_proc_status(tid, "VmSize: %d", &size))
		return sp_err_new(SP_ERR_USAGE, "cannot trace process %d: it has no program, as threads of the kernel", (int)tid);
	return sp_err_new(SP_ERR_PRIVILEGE, "cannot trace process %d: it is another user's, or has, or had, more privileges than its user, or is "
			  "undumpable (prctl(2))", (int)tid);
}

struct sp_err *attach_ptrace_child(struct attach_ptrace *engine, pid_t pid)
{
	engine->options |= PTRACE_O_EXITKILL;
	SP_TRY(seize(engine, pid));
	engine->root = pid;
	ptrace_thread_add(engine, pid, ptrace_process_add(engine, pid, ptrace_space_create(NULL, pid)))->running = true;
	return NULL;
}

static struct sp_err *has_ended(pid_t pid)
{
	return sp_err_new(SP_ERR_NOT_FOUND, "process %d has ended", (int)pid);
}

static struct sp_err *is_hidden(pid_t pid)
{
	return sp_err_new(SP_ERR_PRIVILEGE, "process %d is another user's, which /proc does not show (hidepid)", (int)pid);
}

// All threads that are there, which have no process yet; new ones of those that are traced already come by themselves. Sets *any_ret when
// there was one that was not yet traced.
// Another thread that was not yet traced has taken the first one's number over, by execve(2).
static bool is_stale(const struct ptrace_thread *thread, pid_t pid)
{
	siginfo_t info;

	return thread->tid == pid && waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) && errno == ECHILD;
}

static struct sp_err *seize_threads(struct attach_ptrace *engine, pid_t pid, bool *any_ret)
{
	struct sp_err *err = NULL;
	struct dirent *entry;
	char path[32], state;
	DIR *dir;

	*any_ret = false;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir && errno != ENOENT)
		return sp_err_errno(errno, "cannot read %s", path);
	if (!dir)
		return kill(pid, 0) && errno == EPERM ? is_hidden(pid) : has_ended(pid);
	while (!err && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		struct ptrace_thread *thread = tid > 0 ? ptrace_thread_find(engine, tid) : NULL;

		if (thread && is_stale(thread, pid)) {
			ptrace_thread_remove(engine, thread);
			thread = NULL;
		}
		if (tid <= 0 || thread)
			continue;
		err = seize(engine, tid);
		state = err ? ptrace_proc_state(tid) : 0;
		// It has just ended, or is the first thread, which ends before the others and stays.
		if (err && (state == 'Z' || (tid != pid && (state == 'X' || err->errno_value == ESRCH)))) {
			*any_ret |= state != 'Z'; // by an execve(2), then all are others
			sp_err_free(err);
			err = NULL;
			continue;
		}
		if (!err) {
			ptrace_thread_add(engine, tid, NULL)->running = true;
			*any_ret = true;
		}
	}
	closedir(dir);
	return err;
}

// Threads tell their system calls from their next stop on.
static void trace_syscalls(struct attach_ptrace *engine)
{
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *thread = it->value;

		thread->is_met = true;
		ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	}
}

// Nobody is stopped for this without need: a system call that is interrupted may fail with EINTR.
struct sp_err *attach_ptrace_process(struct attach_ptrace *engine, pid_t pid)
{
	struct ptrace_process *process;
	struct ptrace_thread *thread;
	struct ptrace_seizing seizing;
	struct sp_err *err = NULL;
	bool any = true;

	SP_TRY(ptrace_guard_create(&engine->guard));
	engine->root = pid;
	ptrace_seize_begin(&seizing);
	while (any && !err)
		err = seize_threads(engine, pid, &any);
	ptrace_seize_end(&seizing);
	if (err)
		return err;
	thread = ptrace_thread_find(engine, pid);
	sp_hash_each(it, &engine->threads)
		thread = thread ? thread : it->value;
	if (!thread)
		return has_ended(pid);
	process = ptrace_process_add(engine, pid, ptrace_space_create(engine->guard, thread->tid));
	sp_hash_each(it, &engine->threads) {
		((struct ptrace_thread *)it->value)->process = process;
		process->n_threads++;
	}
	ptrace_trap_learn(process);
	ptrace_sites_begin(engine, process);
	if (engine->traces_syscalls)
		trace_syscalls(engine);
	return NULL;
}

// ---- detach ----------------------------------------------------------------------------------------------------------

static void remove_breaks(struct attach_ptrace *engine)
{
	engine->ending = true;
	sp_hash_each(it, &engine->processes) {
		struct ptrace_process *process = it->value;
		struct ptrace_space *space = process->space;

		ptrace_space_uncount(space);
		ptrace_stop_look(engine, process);
		ptrace_space_clear(space);
	}
	if (engine->n_taken)
		sp_log(engine->input.log, SP_LOG_WARN, "%u breakpoint%s had been taken out by another tracer or the program: events there were lost",
		       engine->n_taken, engine->n_taken == 1 ? "" : "s");
	if (engine->had_late)
		sp_log(engine->input.log, SP_LOG_WARN, "memory that a program serves itself (userfaultfd(2), FUSE) did not come within a second, and was not "
		       "read");
	if (engine->had_uprobes)
		sp_log(engine->input.log, SP_LOG_WARN, "uprobes of another tracer came: they have taken the events of places that both probe");
	if (engine->had_unseen)
		sp_log(engine->input.log, SP_LOG_WARN, "code was not probed that a program has mapped by itself: only the dynamic linker says when it does");
	if (engine->n_lost_returns)
		sp_log(engine->input.log, SP_LOG_WARN, "%llu returns were lost: no breakpoint could be set where they go",
		       (unsigned long long)engine->n_lost_returns);
}

// A thread that has just met a breakpoint, and was stopped before it got the SIGTRAP of that.
static bool has_pending_trap(pid_t tid)
{
	struct __ptrace_peeksiginfo_args args = { .nr = 16 };
	siginfo_t infos[16];
	long n = ptrace(PTRACE_PEEKSIGINFO, tid, &args, infos);

	for (long i = 0; i < n; i++)
		if (infos[i].si_signo == SIGTRAP && infos[i].si_code == SI_KERNEL)
			return true;
	return false;
}

// A thread that has stopped or ended leaves the engine, or goes on to its next stop.
static void settle(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	int event, signal;

	thread->running = false;
	if (!WIFSTOPPED(status)) {
		ptrace_stop_end(engine, thread, status);
		return;
	}
	event = ptrace_status_event(status);
	signal = event || WSTOPSIG(status) == PTRACE_SYSCALL_STOP ? 0 : WSTOPSIG(status);
	if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
		ptrace_stop_new_task(engine, thread, event);
	if (event == PTRACE_EVENT_STOP && has_pending_trap(thread->tid)) {
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
		thread->running = true;
		return;
	}
	if (thread->process && thread->process->unrepaired)
		ptrace_space_repair(thread->process->space);
	if (thread->process && ptrace_hit_undo(thread, signal))
		signal = 0;
	ptrace_call_bound(thread->tid, false, &thread->again);
	ptrace_call_again(thread->tid, signal, &thread->again);
	ptrace(PTRACE_DETACH, thread->tid, 0, (long)signal);
	ptrace_thread_remove(engine, thread);
}

// Has it to be stopped? One that sleeps is not at a breakpoint, and would find its sleep interrupted.
static bool is_to_stop(const struct attach_ptrace *engine, const struct ptrace_thread *thread)
{
	char state = ptrace_proc_state(thread->tid);

	if (state == 'X' || state == 'Z' || thread->in_vfork)
		return false;
	return thread->again.is_short || !engine->input.thread_ends || engine->options & PTRACE_O_EXITKILL || state == 'R' || state == 't';
}

// How many have yet to stop.
static unsigned settle_some(struct attach_ptrace *engine, unsigned *n_settled_ret)
{
	unsigned n_left = 0;

	*n_settled_ret = 0;
	// By index: a new process may come with a stop.
	for (size_t i = 0; i < engine->threads.n_entries; i++) {
		struct ptrace_thread *thread = engine->threads.entries[i].value;
		int status;

		if (engine->threads.entries[i].deleted)
			continue;
		if (ptrace_thread_look(thread->tid, &status)) {
			settle(engine, thread, status);
			++*n_settled_ret;
		} else if (is_to_stop(engine, thread)) {
			if (!thread->interrupted)
				ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
			thread->interrupted = true;
			n_left++;
		} else if (thread->in_vfork && engine->options & PTRACE_O_EXITKILL) {
			n_left++;
		}
	}
	return n_left;
}

void attach_ptrace_detach(struct attach_ptrace *engine)
{
	unsigned n_settled, pause_us = 20, waited_us = 0;

	remove_breaks(engine);
	while (settle_some(engine, &n_settled) && waited_us < PATIENCE_MS * 1000u) {
		if (n_settled)
			continue;
		usleep(pause_us);
		waited_us += pause_us;
		pause_us = SP_MIN(pause_us * 2, 1000u);
	}
}

void attach_ptrace_destroy(struct attach_ptrace *engine)
{
	if (!engine)
		return;
	if (engine->threads.n_live)
		attach_ptrace_detach(engine);
	sp_hash_each(it, &engine->threads)
		ptrace_thread_remove(engine, it->value);
	sp_hash_each(it, &engine->processes) {
		struct ptrace_process *process = it->value;

		ptrace_space_put(process->space);
		free(process);
	}
	sp_hash_deinit(&engine->threads);
	sp_hash_deinit(&engine->processes);
	ptrace_sites_deinit(engine);
	ptrace_guard_destroy(engine->guard);
	free(engine);
}
