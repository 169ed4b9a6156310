// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf, syscall, __WALL

#include "runtime/ptrace/attach_ptrace.h"

#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define MAX_STOPS 256 // handled in a row: others want to be heard, too
#define PATIENCE_MS 2000 // for a process that waits for the child of its vfork

struct sp_err *attach_ptrace_check(void)
{
	return ptrace_cpu_is_known() ?
		       NULL :
		       sp_err_new(SP_ERR_PRIVILEGE, "the user engine does not know this processor (it knows x86_64)");
}

// ---- waiting ---------------------------------------------------------------------------------------------------------

// Is the task ours? This process may have other children, for which others wait.
static bool is_traced_by_us(pid_t tid)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	char line[256];
	int tracer = 0;

	if (asprintf(&path, "/proc/%d/status", (int)tid) < 0 || !(file = fopen(path, "re")))
		return false;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	return tracer == (int)syscall(SYS_gettid);
}

static struct ptrace_thread *next_saved(const struct attach_ptrace *engine)
{
	if (!engine->n_saved)
		return NULL;
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *thread = it->value;

		if (thread->has_status && (thread->process || !WIFSTOPPED(thread->status)))
			return thread;
	}
	return NULL;
}

// Asks for each thread, because a child that is not ours is the first that waitid(2) names.
static struct ptrace_thread *next_by_id(const struct attach_ptrace *engine, int *status_ret)
{
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *thread = it->value;

		if (waitpid(thread->tid, status_ret, __WALL | WNOHANG) == thread->tid)
			return thread;
	}
	return NULL;
}

static struct ptrace_thread *next_stopped(struct attach_ptrace *engine, int *status_ret)
{
	struct ptrace_thread *thread = next_saved(engine);
	siginfo_t info = { 0 };

	if (thread) {
		*status_ret = ptrace_thread_take(engine, thread);
		return thread;
	}
	if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) || !info.si_pid)
		return NULL;
	thread = ptrace_thread_find(engine, info.si_pid);
	if (!thread && !is_traced_by_us(info.si_pid))
		return next_by_id(engine, status_ret);
	if (waitpid(info.si_pid, status_ret, __WALL | WNOHANG) != info.si_pid)
		return NULL;
	return thread ? thread : ptrace_thread_add(engine, info.si_pid, NULL);
}

bool attach_ptrace_poll(struct attach_ptrace *engine)
{
	for (unsigned i = 0; i < MAX_STOPS; i++) {
		int status;
		struct ptrace_thread *thread = next_stopped(engine, &status);

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
			  PTRACE_O_TRACEEXEC;
	ptrace_sites_init(engine);
	ptrace_event_init(engine);
	return engine;
}

static struct sp_err *seize(struct attach_ptrace *engine, pid_t tid)
{
	sp_cleanup_fclose FILE *yama = NULL;
	int scope = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, engine->options) == 0)
		return NULL;
	if (errno != EPERM)
		return sp_err_errno(errno, "cannot trace process %d", (int)tid);
	if (is_traced_by_us(tid))
		return NULL;
	yama = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (yama && fscanf(yama, "%d", &scope) == 1 && scope > 0)
		return sp_err_new(SP_ERR_PRIVILEGE,
				  "cannot trace process %d: /proc/sys/kernel/yama/ptrace_scope is %d, which allows %s (or it is traced already)",
				  (int)tid, scope, scope == 1 ? "children only: use -c, or root" : "root only");
	return sp_err_new(SP_ERR_PRIVILEGE, "cannot trace process %d: it belongs to someone else, or it is traced already",
			  (int)tid);
}

struct sp_err *attach_ptrace_child(struct attach_ptrace *engine, pid_t pid)
{
	engine->options |= PTRACE_O_EXITKILL;
	SP_TRY(seize(engine, pid));
	engine->root = pid;
	ptrace_thread_add(engine, pid, ptrace_process_add(engine, pid, ptrace_space_create(NULL, pid)))->running = true;
	return NULL;
}

// All threads that are there; new ones of those that are traced already come by themselves. Sets *any_ret when there
// was one that was not yet traced.
static struct sp_err *seize_threads(struct attach_ptrace *engine, struct ptrace_process *process, bool *any_ret)
{
	sp_cleanup_free char *path = NULL;
	struct sp_err *err = NULL;
	struct dirent *entry;
	DIR *dir;

	*any_ret = false;
	if (asprintf(&path, "/proc/%d/task", (int)process->pid) < 0)
		return sp_err_bug("asprintf");
	dir = opendir(path);
	if (!dir)
		return sp_err_errno(errno, "cannot read %s", path);
	while (!err && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || ptrace_thread_find(engine, tid))
			continue;
		err = seize(engine, tid);
		if (err && err->errno_value == ESRCH && tid != process->pid) {
			sp_err_free(err); // it has just ended
			err = NULL;
			continue;
		}
		if (!err) {
			ptrace_thread_add(engine, tid, process)->running = true;
			*any_ret = true;
		}
	}
	closedir(dir);
	return err;
}

struct sp_err *attach_ptrace_process(struct attach_ptrace *engine, pid_t pid)
{
	struct ptrace_process *process;
	struct ptrace_thread *thread;
	bool any = true;
	int status;

	SP_TRY(ptrace_guard_create(&engine->guard));
	process = ptrace_process_add(engine, pid, ptrace_space_create(engine->guard, pid));
	engine->root = pid;
	process->n_threads++; // held here: there may be no thread yet
	while (any) {
		struct sp_err *err = seize_threads(engine, process, &any);

		if (err)
			return err;
	}
	process->n_threads--;
	thread = ptrace_thread_find(engine, pid);
	if (!thread)
		return sp_err_new(SP_ERR_NOT_FOUND, "process %d has ended", (int)pid);
	ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	if (ptrace_wait(pid, &status) != pid)
		return sp_err_errno(errno, "cannot stop process %d", (int)pid);
	thread->running = false;
	if (WIFSTOPPED(status) && ptrace_status_event(status) != PTRACE_EVENT_EXEC) // that one does the same
		ptrace_sites_begin(engine, process, pid);
	ptrace_thread_save(engine, thread, status);
	attach_ptrace_poll(engine);
	return NULL;
}

// Makes a stopped thread ready to be let go. Returns the signal that it is to get; -1: it has ended.
static int settle(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	thread->running = thread->listening = false;
	for (;;) {
		int event;

		if (!WIFSTOPPED(status)) {
			ptrace_stop_end(engine, thread, status);
			return -1;
		}
		event = ptrace_status_event(status);
		if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
			ptrace_stop_new_task(engine, thread, event);
		if (event == PTRACE_EVENT_EXEC && thread->process)
			ptrace_stop_exec(engine, thread);
		if (thread->process && thread->stepping && (event || WSTOPSIG(status) != SIGTRAP))
			ptrace_hit_end_step(thread);
		if (!event && WSTOPSIG(status) == SIGTRAP && thread->process && ptrace_hit_undo(thread))
			return 0;
		if (!event)
			return WSTOPSIG(status) == PTRACE_SYSCALL_STOP ? 0 : WSTOPSIG(status);
		// It has just met a breakpoint: the SIGTRAP of that would kill it when we are gone.
		if (event != PTRACE_EVENT_STOP || !ptrace_has_pending_trap(thread->tid))
			return 0;
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
		if (ptrace_wait(thread->tid, &status) != thread->tid)
			return 0;
	}
}

static bool can_be_stopped(const struct ptrace_thread *thread, const struct ptrace_thread *other)
{
	(void)thread;
	return (other->running || other->listening) && !other->in_vfork;
}

static bool waits_for_vfork(const struct ptrace_thread *thread, const struct ptrace_thread *other)
{
	(void)thread;
	return other->running && other->in_vfork;
}

// The same for all that have stopped; `status` becomes the signal. False: there were none.
static bool settle_all(struct attach_ptrace *engine)
{
	bool any = false;

	// By index: a new process may come with a status.
	for (size_t i = 0; i < engine->threads.n_entries; i++) {
		struct ptrace_thread *thread = engine->threads.entries[i].value;
		int signal;

		if (engine->threads.entries[i].deleted || !thread->has_status)
			continue;
		any = true;
		signal = settle(engine, thread, ptrace_thread_take(engine, thread));
		if (signal >= 0)
			thread->status = signal;
	}
	return any;
}

static void let_go(struct attach_ptrace *engine)
{
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *thread = it->value;

		if (!thread->running && thread->process)
			ptrace_space_remove_all(thread->process->space, thread->tid);
	}
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *thread = it->value;

		if (thread->running)
			continue;
		ptrace(PTRACE_DETACH, thread->tid, 0, (long)thread->status);
		if (thread->process)
			thread->frames.n = 0; // their breakpoints are gone
		ptrace_thread_remove(engine, thread);
	}
}

void attach_ptrace_detach(struct attach_ptrace *engine)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	bool progress;

	do {
		sp_hash_each(it, &engine->threads)
			if (can_be_stopped(NULL, it->value))
				ptrace(PTRACE_INTERRUPT, ((struct ptrace_thread *)it->value)->tid, 0, 0);
		ptrace_wait_for_stops(engine, NULL, can_be_stopped);
	} while (settle_all(engine));
	let_go(engine);
	// What is left waits for the child of its vfork, which has just been let go.
	for (int i = 0; i < PATIENCE_MS && engine->threads.n_live; i++) {
		nanosleep(&pause, NULL);
		ptrace_collect_stops(engine, NULL, waits_for_vfork, true, &progress);
		settle_all(engine);
		let_go(engine);
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
