// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf, syscall, __WALL

#include "runtime/ptrace/attach_ptrace.h"

#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define MAX_STOPS 256 // handled in a row: others want to be heard, too
#define SYSCALL_STOP (SIGTRAP | 0x80) // PTRACE_O_TRACESYSGOOD
#define PATIENCE_MS 2000 // for a process that waits for the child of its vfork

struct sp_err *attach_ptrace_check(void)
{
	return ptrace_cpu_is_known() ?
		       NULL :
		       sp_err_new(SP_ERR_PRIVILEGE, "the user engine does not know this processor (it knows x86_64)");
}

// ---- threads and processes -------------------------------------------------------------------------------------------

struct ptrace_thread *ptrace_thread_find(const struct attach_ptrace *engine, pid_t tid)
{
	void **value = sp_hash_find(&engine->threads, &tid, sizeof(tid));

	return value ? *value : NULL;
}

static struct ptrace_thread *add_thread(struct attach_ptrace *engine, pid_t tid, struct ptrace_process *process)
{
	struct ptrace_thread *thread = sp_calloc(1, sizeof(*thread));

	thread->tid = tid;
	thread->process = process;
	thread->traces_syscalls = engine->traces_syscalls;
	thread->syscall = -1;
	if (process)
		process->n_threads++;
	*sp_hash_insert(&engine->threads, &tid, sizeof(tid)) = thread;
	return thread;
}

static struct ptrace_process *find_process(const struct attach_ptrace *engine, pid_t pid)
{
	void **value = sp_hash_find(&engine->processes, &pid, sizeof(pid));

	return value ? *value : NULL;
}

// Takes the reference to the space over.
static struct ptrace_process *add_process(struct attach_ptrace *engine, pid_t pid, struct ptrace_space *space)
{
	struct ptrace_process *process = sp_calloc(1, sizeof(*process));

	process->pid = pid;
	process->space = space;
	*sp_hash_insert(&engine->processes, &pid, sizeof(pid)) = process;
	return process;
}

static void remove_thread(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct ptrace_process *process = thread->process;

	if (process)
		ptrace_hit_forget_frames(thread);
	if (thread->has_status)
		engine->n_saved--;
	sp_hash_remove(&engine->threads, &thread->tid, sizeof(thread->tid));
	free(thread);
	if (!process || --process->n_threads)
		return;
	sp_hash_remove(&engine->processes, &process->pid, sizeof(process->pid));
	ptrace_space_put(process->space);
	free(process);
}

void ptrace_thread_save(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	if (!thread->has_status)
		engine->n_saved++;
	thread->has_status = true;
	thread->status = status;
}

static int take_status(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	thread->has_status = false;
	engine->n_saved--;
	return thread->status;
}

void ptrace_thread_resume(struct ptrace_thread *thread, int signal)
{
	// ESRCH: it was killed while it stood still; its end is reported by wait(2).
	ptrace(thread->traces_syscalls ? PTRACE_SYSCALL : PTRACE_CONT, thread->tid, 0, (long)signal);
	thread->running = true;
	thread->listening = false;
}

static int status_event(int status)
{
	return status >> 16;
}

// Stopped by job control, and to stay so.
static bool is_group_stop(int status)
{
	int signal = WSTOPSIG(status);

	return status_event(status) == PTRACE_EVENT_STOP &&
	       (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
}

static void resume_from_event_stop(struct ptrace_thread *thread, int status)
{
	if (!is_group_stop(status)) {
		ptrace_thread_resume(thread, 0);
		return;
	}
	ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
	thread->listening = true;
}

static int wait_for(pid_t tid, int *status)
{
	int got;

	do
		got = waitpid(tid, status, __WALL);
	while (got < 0 && errno == EINTR);
	return got;
}

// The leader of a process whose other threads live on: it runs nothing and stops for nobody, and its end is reported
// after theirs.
static bool has_exited(const struct ptrace_thread *thread)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	char state = 'Z';

	if (asprintf(&path, "/proc/%d/stat", (int)thread->tid) < 0 || !(file = fopen(path, "re")))
		return true;
	// A name may hold a parenthesis; then the thread is taken for alive, and asked again.
	return fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && (state == 'Z' || state == 'X');
}

typedef bool wanted(const struct ptrace_thread *thread, const struct ptrace_thread *other);

// Saves the statuses of those that are wanted and have stopped or ended. How many are left; *progress_ret is set when
// that is fewer than before.
static unsigned collect_stops(struct attach_ptrace *engine, const struct ptrace_thread *thread, wanted *wants,
			      bool ask_if_alive, bool *progress_ret)
{
	unsigned n_left = 0;

	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *other = it->value;
		int status, got;

		if (!wants(thread, other))
			continue;
		got = waitpid(other->tid, &status, __WALL | WNOHANG);
		if (got == other->tid)
			ptrace_thread_save(engine, other, status);
		if (got || (ask_if_alive && has_exited(other))) {
			other->running = other->listening = false;
			*progress_ret = true;
		} else {
			n_left++;
		}
	}
	return n_left;
}

// Waits until all that are wanted have stopped or ended, in whatever order: one may only end when another has been
// waited for.
static void wait_for_stops(struct attach_ptrace *engine, const struct ptrace_thread *thread, wanted *wants)
{
	struct timespec pause = { .tv_nsec = 10000 };
	bool progress = false;

	while (collect_stops(engine, thread, wants, pause.tv_nsec > 100000, &progress)) {
		if (!progress) {
			nanosleep(&pause, NULL);
			pause.tv_nsec = SP_MIN(pause.tv_nsec * 2, 1000000);
		}
		progress = false;
	}
}

static bool runs_beside(const struct ptrace_thread *thread, const struct ptrace_thread *other)
{
	return other != thread && other->running && !other->in_vfork && other->process &&
	       other->process->space == thread->process->space;
}

void ptrace_stop_others(struct attach_ptrace *engine, const struct ptrace_thread *thread)
{
	sp_hash_each(it, &engine->threads)
		if (runs_beside(thread, it->value))
			ptrace(PTRACE_INTERRUPT, ((struct ptrace_thread *)it->value)->tid, 0, 0);
	wait_for_stops(engine, thread, runs_beside);
}

void ptrace_resume_others(struct attach_ptrace *engine, const struct ptrace_thread *thread)
{
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *other = it->value;

		// What is more than a plain stop has its turn later.
		if (other != thread && other->process && other->process->space == thread->process->space &&
		    other->has_status && WIFSTOPPED(other->status) &&
		    status_event(other->status) == PTRACE_EVENT_STOP && !other->process->unrepaired)
			resume_from_event_stop(other, take_status(engine, other));
	}
}

// ---- events ----------------------------------------------------------------------------------------------------------

static pid_t thread_group(pid_t tid)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	char line[256];
	int group = tid;

	if (asprintf(&path, "/proc/%d/status", (int)tid) < 0 || !(file = fopen(path, "re")))
		return tid;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &group) == 1)
			break;
	return group;
}

static bool share_memory(pid_t a, pid_t b, bool unknown)
{
	long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);

	return order < 0 ? unknown : order == 0;
}

static struct ptrace_process *process_of_new(struct attach_ptrace *engine, const struct ptrace_thread *parent, int event,
					     pid_t tid)
{
	struct ptrace_process *from = parent->process, *process;
	bool shared;

	if (event == PTRACE_EVENT_CLONE && thread_group(tid) == from->pid)
		return from;
	shared = share_memory(from->pid, tid, event != PTRACE_EVENT_FORK);
	if (shared)
		from->space->refs++;
	process = add_process(engine, tid, shared ? from->space : ptrace_space_copy(from->space, tid));
	process->program = from->program;
	process->unrepaired = !shared;
	return process;
}

static void handle_stop(struct attach_ptrace *engine, struct ptrace_thread *thread, int status);

static void on_new_task(struct attach_ptrace *engine, struct ptrace_thread *parent, int event)
{
	struct ptrace_thread *thread;
	unsigned long tid = 0;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &tid) || !tid)
		return;
	thread = ptrace_thread_find(engine, (pid_t)tid);
	if (!thread) {
		thread = add_thread(engine, (pid_t)tid, NULL);
		thread->running = true; // until its first stop, which is on its way
	}
	thread->process = process_of_new(engine, parent, event, (pid_t)tid);
	thread->process->n_threads++;
	thread->is_new = true;
	parent->in_vfork = event == PTRACE_EVENT_VFORK;
	// The calls that the parent is in will return in the child, too.
	if (thread->process != parent->process) {
		sp_vec_each(frame, &parent->frames) {
			struct ptrace_break *brk = ptrace_space_find(thread->process->space, frame->ret);

			if (brk)
				brk->n_returns++;
			sp_vec_push(&thread->frames, *frame);
		}
	}
	if (thread->has_status)
		handle_stop(engine, thread, take_status(engine, thread));
}

// Of the threads of a process only the one that called exec is left, and it has the process's number.
static void on_exec(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct ptrace_process *process = thread->process;

	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *other = it->value;

		if (other->process == process && other != thread)
			remove_thread(engine, other);
	}
	ptrace_hit_forget_frames(thread);
	ptrace_space_put(process->space);
	process->space = ptrace_space_create(engine->guard, process->pid);
	process->unrepaired = process->ids_known = false;
	thread->in_vfork = false;
	thread->stepping = thread->retry_pc = 0;
	ptrace_sites_begin(engine, process, thread->tid);
	ptrace_event_run(engine, thread, PTRACE_ON_EXEC);
}

static void on_end(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	if (thread->tid == engine->root) {
		engine->root_ended = true;
		engine->root_status = status;
	}
	remove_thread(engine, thread);
}

static void handle_stop(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	int event = status_event(status);

	if (thread->process->unrepaired) {
		ptrace_space_repair(thread->process->space, thread->tid);
		thread->process->unrepaired = false;
	}
	if (thread->stepping && (event || WSTOPSIG(status) != SIGTRAP))
		ptrace_hit_end_step(thread);
	if (thread->is_new)
		ptrace_event_new(engine, thread);
	thread->is_new = false;
	switch (event) {
	case 0:
		if (WSTOPSIG(status) == SIGTRAP)
			ptrace_hit_trap(engine, thread);
		else if (WSTOPSIG(status) == SYSCALL_STOP)
			break;
		else
			ptrace_thread_resume(thread, WSTOPSIG(status));
		return;
	case PTRACE_EVENT_STOP:
		resume_from_event_stop(thread, status);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		on_new_task(engine, thread, event);
		break;
	case PTRACE_EVENT_VFORK_DONE:
		thread->in_vfork = false;
		break;
	case PTRACE_EVENT_EXEC:
		on_exec(engine, thread);
		break;
	case PTRACE_EVENT_EXIT:
		ptrace_event_run(engine, thread, PTRACE_ON_END);
		break;
	}
	if (!event)
		ptrace_event_syscall(engine, thread);
	ptrace_thread_resume(thread, 0);
}

static void handle_status(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	thread->running = false;
	if (!WIFSTOPPED(status)) {
		on_end(engine, thread, status);
		return;
	}
	if (!thread->process && status_event(status) == PTRACE_EVENT_EXEC)
		thread->process = find_process(engine, thread->tid); // its leader had ended before
	if (!thread->process) {
		thread->status = status; // its creator's event will come, and take this one
		ptrace_thread_save(engine, thread, status);
		return;
	}
	handle_stop(engine, thread, status);
}

// ---- waiting ---------------------------------------------------------------------------------------------------------

// Children of this process that are not the engine's are not to be waited for.
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

// One by one, when a child that is not ours stands in front of them.
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
		*status_ret = take_status(engine, thread);
		return thread;
	}
	if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) || !info.si_pid)
		return NULL;
	thread = ptrace_thread_find(engine, info.si_pid);
	if (!thread && !is_traced_by_us(info.si_pid))
		return next_by_id(engine, status_ret);
	if (waitpid(info.si_pid, status_ret, __WALL | WNOHANG) != info.si_pid)
		return NULL;
	return thread ? thread : add_thread(engine, info.si_pid, NULL);
}

bool attach_ptrace_poll(struct attach_ptrace *engine)
{
	for (unsigned i = 0; i < MAX_STOPS; i++) {
		int status;
		struct ptrace_thread *thread = next_stopped(engine, &status);

		if (!thread)
			return false;
		handle_status(engine, thread, status);
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
		    !engine->placed[i])
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
	add_thread(engine, pid, add_process(engine, pid, ptrace_space_create(NULL, pid)))->running = true;
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
			add_thread(engine, tid, process)->running = true;
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
	process = add_process(engine, pid, ptrace_space_create(engine->guard, pid));
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
	if (wait_for(pid, &status) != pid)
		return sp_err_errno(errno, "cannot stop process %d", (int)pid);
	thread->running = false;
	if (WIFSTOPPED(status) && status_event(status) != PTRACE_EVENT_EXEC) // that one does the same
		ptrace_sites_begin(engine, process, pid);
	ptrace_thread_save(engine, thread, status);
	attach_ptrace_poll(engine);
	return NULL;
}

// A thread that has stopped while everything is being let go. The signal that it is to get; -1: it is not stopped any
// more.
static int settle(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	thread->running = thread->listening = false;
	for (;;) {
		int event;

		if (!WIFSTOPPED(status)) {
			on_end(engine, thread, status);
			return -1;
		}
		event = status_event(status);
		if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
			on_new_task(engine, thread, event);
		if (event == PTRACE_EVENT_EXEC && thread->process)
			on_exec(engine, thread);
		if (thread->process && thread->stepping && (event || WSTOPSIG(status) != SIGTRAP))
			ptrace_hit_end_step(thread);
		if (!event && WSTOPSIG(status) == SIGTRAP && thread->process && ptrace_hit_undo(thread))
			return 0;
		if (!event)
			return WSTOPSIG(status) == SYSCALL_STOP ? 0 : WSTOPSIG(status);
		// A breakpoint that it has just met would end it when we are gone.
		if (event != PTRACE_EVENT_STOP || !ptrace_has_pending_trap(thread->tid))
			return 0;
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
		if (wait_for(thread->tid, &status) != thread->tid)
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

// Makes those that have stopped ready to be let go, with the signal that they are to get in `status`. False: there were
// none.
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
		signal = settle(engine, thread, take_status(engine, thread));
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
		remove_thread(engine, thread);
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
		wait_for_stops(engine, NULL, can_be_stopped);
	} while (settle_all(engine));
	let_go(engine);
	// What is left waits for the child of its vfork, which has just been let go.
	for (int i = 0; i < PATIENCE_MS && engine->threads.n_live; i++) {
		nanosleep(&pause, NULL);
		collect_stops(engine, NULL, waits_for_vfork, true, &progress);
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
		remove_thread(engine, it->value);
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
