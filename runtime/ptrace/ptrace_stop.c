// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall
#include "runtime/ptrace/ptrace_engine.h"

#include "runtime/ptrace/ptrace_late.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <limits.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static pid_t thread_group(pid_t tid)
{
	int group;

	return ptrace_proc_status(tid, "Tgid: %d", &group) ? group : tid;
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
	process = ptrace_process_add(engine, tid, shared ? from->space : ptrace_space_copy(from->space, tid));
	process->program = from->program;
	process->trap = from->trap;
	process->unrepaired = !shared;
	return process;
}

void ptrace_stop_new_task(struct attach_ptrace *engine, struct ptrace_thread *parent, int event)
{
	struct ptrace_thread *thread;
	unsigned long tid = 0;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &tid) || !tid)
		return;
	thread = ptrace_thread_find(engine, (pid_t)tid);
	if (!thread) {
		thread = ptrace_thread_add(engine, (pid_t)tid, NULL);
		thread->running = true; // until its first stop, which is on its way
	}
	if (!thread->process) {
		thread->process = process_of_new(engine, parent, event, (pid_t)tid);
		thread->process->n_threads++;
	}
	thread->is_new = true;
	parent->in_vfork = event == PTRACE_EVENT_VFORK;
}

static void tell_lost_privileges(struct attach_ptrace *engine, pid_t pid)
{
	char program[PATH_MAX];

	if (engine->told_privileges || !ptrace_proc_lost_privileges(pid, program, sizeof(program)))
		return;
	engine->told_privileges = true;
	sp_log(engine->input.log, SP_LOG_WARN, "%s runs without the privileges that its file gives (set-user-ID, set-group-ID, capabilities): the "
	       "kernel gives none to what an ordinary user traces; trace it as root", program);
}

void ptrace_stop_exec(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct ptrace_process *process = thread->process;

	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *other = it->value;

		if (other->process == process && other != thread)
			ptrace_thread_remove(engine, other);
	}
	// Its memory is gone; but one that was met in between has its breakpoints in the new one.
	if (process->space->refs == 1 && process->space->mem_fd >= 0) {
		ptrace_space_uncount(process->space);
		ptrace_space_clear(process->space);
	}
	ptrace_space_put(process->space);
	process->space = ptrace_space_create(engine->guard, process->pid);
	process->unrepaired = process->ids_known = false;
	process->n_exits = 0;
	thread->exits = thread->in_vfork = false;
	thread->left.n = 0;
	if (process->trap.action.handler != (uint64_t)(uintptr_t)SIG_IGN)
		process->trap = (struct ptrace_trap){ .checked_at = 0 };
	if (engine->input.starts)
		engine->input.starts(engine->input.ctx);
	process->starts = true;
	tell_lost_privileges(engine, process->pid);
	ptrace_sites_begin(engine, process);
	ptrace_event_run(engine, thread, PTRACE_ON_EXEC);
}

void ptrace_stop_end(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	if (thread->tid == engine->root) {
		engine->root_ended = true;
		engine->root_status = status;
	}
	ptrace_thread_remove(engine, thread);
}

void ptrace_stop_look(struct attach_ptrace *engine, struct ptrace_process *process)
{
	const struct ptrace_space *space = process->space;

	ptrace_sites_look(engine, process);
	engine->n_taken += ptrace_space_taken(space);
	engine->had_late |= ptrace_late_has_failed(space->late);
	engine->had_uprobes |= ptrace_space_has_uprobes(space);
}

// The memory of a process is there until its last thread ends.
static void about_to_end(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct ptrace_process *process = thread->process;

	thread->exits = true;
	if (++process->n_exits == process->n_threads && process->space->refs == 1)
		ptrace_stop_look(engine, process);
}

static void handle_stop(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	int event = ptrace_status_event(status);

	if (thread->process->unrepaired) {
		ptrace_area_repair(thread->process->space);
		ptrace_space_repair(thread->process->space);
	}
	thread->process->unrepaired = false;
	if (thread->is_new)
		ptrace_event_new(engine, thread);
	thread->is_new = false;
	switch (event) {
	case 0:
		if (WSTOPSIG(status) == SIGTRAP)
			ptrace_hit_trap(engine, thread);
		else if (WSTOPSIG(status) == PTRACE_SYSCALL_STOP)
			break;
		else
			ptrace_hit_signal(thread, WSTOPSIG(status));
		return;
	case PTRACE_EVENT_STOP:
		if (thread->is_met)
			thread->met_in = ptrace_call_interrupted(thread->tid, &thread->syscall);
		ptrace_thread_resume_event(thread, status);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		ptrace_stop_new_task(engine, thread, event);
		break;
	case PTRACE_EVENT_VFORK_DONE:
		thread->in_vfork = false;
		break;
	case PTRACE_EVENT_EXEC:
		ptrace_stop_exec(engine, thread);
		break;
	case PTRACE_EVENT_EXIT:
		about_to_end(engine, thread);
		ptrace_event_run(engine, thread, PTRACE_ON_END);
		break;
	}
	if (!event)
		ptrace_event_syscall(engine, thread);
	ptrace_thread_resume(thread, 0);
}

void ptrace_stop_handle(struct attach_ptrace *engine, struct ptrace_thread *thread, int status)
{
	thread->running = false;
	if (!WIFSTOPPED(status)) {
		ptrace_stop_end(engine, thread, status);
		return;
	}
	if (!thread->process)
		thread->process = ptrace_process_find(engine, thread->tid); // it runs a program, and its leader had ended
	if (!thread->process)
		return;
	thread->process->space->stopped = thread->tid;
	handle_stop(engine, thread, status);
	thread->process->space->stopped = 0; // of another space, when it has run a program
}
