// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf, __WALL
#include "runtime/ptrace/ptrace_engine.h"

#include "runtime/base/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

struct ptrace_thread *ptrace_thread_find(const struct attach_ptrace *engine, pid_t tid)
{
	void **value = sp_hash_find(&engine->threads, &tid, sizeof(tid));

	return value ? *value : NULL;
}

struct ptrace_thread *ptrace_thread_add(struct attach_ptrace *engine, pid_t tid, struct ptrace_process *process)
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

struct ptrace_process *ptrace_process_find(const struct attach_ptrace *engine, pid_t pid)
{
	void **value = sp_hash_find(&engine->processes, &pid, sizeof(pid));

	return value ? *value : NULL;
}

struct ptrace_process *ptrace_process_add(struct attach_ptrace *engine, pid_t pid, struct ptrace_space *space)
{
	struct ptrace_process *process = sp_calloc(1, sizeof(*process));

	process->pid = pid;
	process->space = space;
	*sp_hash_insert(&engine->processes, &pid, sizeof(pid)) = process;
	return process;
}

void ptrace_thread_remove(struct attach_ptrace *engine, struct ptrace_thread *thread)
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

int ptrace_thread_take(struct attach_ptrace *engine, struct ptrace_thread *thread)
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

// Is the thread stopped by job control, and has to stay so?
static bool is_group_stop(int status)
{
	int signal = WSTOPSIG(status);

	return ptrace_status_event(status) == PTRACE_EVENT_STOP &&
	       (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
}

void ptrace_thread_resume_event(struct ptrace_thread *thread, int status)
{
	if (!is_group_stop(status)) {
		ptrace_thread_resume(thread, 0);
		return;
	}
	ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
	thread->listening = true;
}

int ptrace_wait(pid_t tid, int *status)
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

unsigned ptrace_collect_stops(struct attach_ptrace *engine, const struct ptrace_thread *thread, ptrace_wanted *wants,
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

void ptrace_wait_for_stops(struct attach_ptrace *engine, const struct ptrace_thread *thread, ptrace_wanted *wants)
{
	struct timespec pause = { .tv_nsec = 10000 };
	bool progress = false;

	while (ptrace_collect_stops(engine, thread, wants, pause.tv_nsec > 100000, &progress)) {
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
	ptrace_wait_for_stops(engine, thread, runs_beside);
}

void ptrace_resume_others(struct attach_ptrace *engine, const struct ptrace_thread *thread)
{
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *other = it->value;

		// Any other status is handled later, in attach_ptrace_poll().
		if (other != thread && other->process && other->process->space == thread->process->space &&
		    other->has_status && WIFSTOPPED(other->status) &&
		    ptrace_status_event(other->status) == PTRACE_EVENT_STOP && !other->process->unrepaired)
			ptrace_thread_resume_event(other, ptrace_thread_take(engine, other));
	}
}
