// SPDX-License-Identifier: GPL-2.0-or-later
// What happens to processes, as records of the tracepoints that the kernel's handlers are attached to.
#define _GNU_SOURCE // struct __ptrace_syscall_info

#include "runtime/ptrace/ptrace_engine.h"
#include "runtime/load/site.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

// In 32-bit programs
#define CLONE_32 120
#define MMAP2_32 192

// Of raw_syscalls:sys_enter; sys_exit has its result in the place of the first argument.
struct record {
	uint64_t common;
	int64_t id;
	uint64_t args[6];
};

static const char *const names[PTRACE_EVENT_COUNT] = {
	[PTRACE_ON_SYSCALL] = "raw_syscalls:sys_enter",
	[PTRACE_ON_SYSCALL_RETURN] = "raw_syscalls:sys_exit",
	[PTRACE_ON_EXEC] = "sched:sched_process_exec",
	[PTRACE_ON_END] = "sched:sched_process_exit",
};

void ptrace_event_init(struct attach_ptrace *engine)
{
	const struct bundle *bundle = engine->input.bundle;

	engine->events = sp_calloc(bundle->n_sites, sizeof(*engine->events));
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		for (unsigned k = 0; site->flags & SP_SITE_PROCESS && k < PTRACE_EVENT_COUNT; k++) {
			if (!names[k] || !sp_streq(bundle_text(bundle, site->symbol), names[k]))
				continue;
			engine->events[i] = k;
			engine->traces_syscalls |= (k == PTRACE_ON_SYSCALL || k == PTRACE_ON_SYSCALL_RETURN) && !site->args.event.only_new;
		}
	}
}

static void run(struct attach_ptrace *engine, struct ptrace_thread *thread, enum ptrace_event_kind kind, bool is_new,
		const struct record *record)
{
	const struct bundle *bundle = engine->input.bundle;
	struct vm_task task;
	bool described = false;

	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		if (engine->events[i] != kind || (site->args.event.only_new && !is_new) ||
		    (site->program != SP_NONE && site->program != thread->process->program))
			continue;
		if (!described)
			ptrace_hit_describe(thread, &task);
		described = true;
		engine->input.handler(engine->input.ctx, i, &task, record, sizeof(*record));
	}
}

void ptrace_event_run(struct attach_ptrace *engine, struct ptrace_thread *thread, enum ptrace_event_kind kind)
{
	const struct record record = { 0 };

	run(engine, thread, kind, false, &record);
}

void ptrace_event_new(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct record record = { .id = ptrace_call_number(thread->tid) };

	if (record.id < 0)
		record.id = thread->process->space->bits == 32 ? CLONE_32 : SYS_clone;
	run(engine, thread, PTRACE_ON_SYSCALL_RETURN, true, &record);
}

static bool maps_code(const struct ptrace_process *process, const struct record *call)
{
	return call->id == (process->space->bits == 32 ? MMAP2_32 : SYS_mmap) && call->args[2] & PROT_EXEC;
}

void ptrace_event_syscall(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct __ptrace_syscall_info info = { 0 };
	struct record record = { 0 };
	bool goes_on;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(info), &info) <= 0 ||
	    ptrace_call_is_ours(thread->process->space, info.instruction_pointer))
		return;
	ptrace_call_bound(thread->tid, info.op == PTRACE_SYSCALL_INFO_ENTRY, &thread->again);
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		goes_on = thread->is_met && thread->met_in == info.instruction_pointer; // it has begun before
		thread->is_met = false;
		if (!goes_on)
			thread->syscall = (int64_t)info.entry.nr;
		record.id = thread->syscall;
		memcpy(record.args, info.entry.args, sizeof(record.args));
		thread->maps_code = thread->process->starts && maps_code(thread->process, &record);
		if (!goes_on)
			run(engine, thread, PTRACE_ON_SYSCALL, false, &record);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread->syscall >= 0) {
		if (thread->left.n)
			ptrace_hit_sigreturn(thread);
		record.id = thread->syscall;
		record.args[0] = (uint64_t)info.exit.rval;
		thread->syscall = -1;
		if (thread->maps_code)
			ptrace_sites_insert(engine, thread->process);
		thread->maps_code = false;
		run(engine, thread, PTRACE_ON_SYSCALL_RETURN, false, &record);
	}
}
