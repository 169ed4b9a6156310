// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // waitid, __WALL
#include "runtime/ptrace/ptrace_engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define LOOK_NS 3000 // for each thread: it costs a tenth of that to ask one

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

	if (process && process->space)
		ptrace_frames_forget(process->space, thread->tid);
	sp_hash_remove(&engine->threads, &thread->tid, sizeof(thread->tid));
	sp_vec_deinit(&thread->left);
	if (process && thread->exits)
		process->n_exits--;
	free(thread);
	if (!process || --process->n_threads)
		return;
	sp_hash_remove(&engine->processes, &process->pid, sizeof(process->pid));
	// The first thread's end tells the status, if that was not over before.
	engine->root_ended |= process->pid == engine->root && !engine->ending;
	ptrace_space_put(process->space);
	sp_vec_deinit(&process->put_off);
	free(process);
}

// ---- going on --------------------------------------------------------------------------------------------------------

void ptrace_thread_resume(struct ptrace_thread *thread, int signal)
{
	bool traces = thread->traces_syscalls || thread->left.n || thread->again.pc || thread->process->starts;

	// ESRCH: it was killed while it stood still; its end is reported by wait(2).
	ptrace(traces ? PTRACE_SYSCALL : PTRACE_CONT, thread->tid, 0, (long)signal);
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
		ptrace_call_again(thread->tid, 0, &thread->again);
		ptrace_thread_resume(thread, 0);
		return;
	}
	ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
	thread->listening = true;
}

// ---- waiting ---------------------------------------------------------------------------------------------------------

static bool look(idtype_t type, pid_t tid, siginfo_t *ret)
{
	int got;

	do {
		ret->si_pid = 0;
		got = waitid(type, (id_t)tid, ret, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD);
	} while (got && errno == EINTR);
	return !got && ret->si_pid;
}

// As wait(2) has it.
static bool take_status(const siginfo_t *info, int *status_ret)
{
	*status_ret = info->si_status << 8 | 0x7f;
	// A thread that has its process's number by execve(2) is not to be let go on before that was taken.
	if ((info->si_code == CLD_TRAPPED || info->si_code == CLD_STOPPED) && info->si_status >> 8 != PTRACE_EVENT_EXEC)
		return true;
	return waitpid(info->si_pid, status_ret, __WALL | __WNOTHREAD | WNOHANG) == info->si_pid;
}

bool ptrace_thread_look(pid_t tid, int *status_ret)
{
	siginfo_t info;

	return look(P_PID, tid, &info) && take_status(&info, status_ret);
}

// A stop of a thread whose creator's event has not been seen is left for later.
static bool can_be_served(const struct ptrace_thread *thread, const siginfo_t *info)
{
	return thread->process || (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED) ||
	       info->si_status >> 8 == PTRACE_EVENT_EXEC;
}

// Goes on with asking each thread in turn. NULL: all have been asked.
static struct ptrace_thread *next_in_turn(struct attach_ptrace *engine, int *status_ret)
{
	siginfo_t info;

	engine->in_turn = true;
	while (engine->turn < engine->threads.n_entries) {
		const struct sp_hash_entry *entry = &engine->threads.entries[engine->turn++];
		struct ptrace_thread *thread = entry->value;

		if (!entry->deleted && look(P_PID, thread->tid, &info) && can_be_served(thread, &info) &&
		    take_status(&info, status_ret))
			return thread;
	}
	engine->in_turn = false;
	engine->turn = 0;
	engine->asked_at = sp_now_ns();
	return NULL;
}

// wait(2) always gives the first one of its list that has stopped: one that stops again and again would be the only one.
// So all are asked in turn as soon as that costs little beside what has been done since.
struct ptrace_thread *ptrace_thread_next(struct attach_ptrace *engine, int *status_ret)
{
	struct ptrace_thread *thread = NULL;
	siginfo_t info;

	if (engine->in_turn || sp_now_ns() - engine->asked_at >= LOOK_NS * engine->threads.n_live)
		thread = next_in_turn(engine, status_ret);
	if (thread)
		return thread;
	if (!look(P_ALL, 0, &info))
		return NULL;
	thread = ptrace_thread_find(engine, info.si_pid);
	if (!thread)
		thread = ptrace_thread_add(engine, info.si_pid, NULL);
	if (can_be_served(thread, &info) && take_status(&info, status_ret))
		return thread;
	return next_in_turn(engine, status_ret);
}
