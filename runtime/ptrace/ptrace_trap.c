// SPDX-License-Identifier: GPL-2.0-or-later
// A breakpoint raises SIGTRAP, and the kernel resets the action of a signal that it must raise and that is ignored or
// blocked. So what the program wants of SIGTRAP is looked at when it calls rt_sigaction, and set again.
#define _GNU_SOURCE // memmem

#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_engine.h"
#include "runtime/ptrace/ptrace_call.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHECK_NS 10000000 // how often the handler for breakpoints that nobody traces is looked at

// ---- where rt_sigaction is called ------------------------------------------------------------------------------------

#define STEP 16384

// A file that is mapped and becomes shorter would end us by SIGBUS.
static void search(struct ptrace_libc *libc, int fd)
{
	static const uint8_t call[] = { 0xb8, 13, 0, 0, 0, 0x0f, 0x05 }; // mov $13, %eax; syscall
	uint8_t bytes[STEP + sizeof(call) - 1], *at;
	ssize_t n;

	for (off_t offset = 0; (n = pread(fd, bytes, sizeof(bytes), offset)) > 0; offset += STEP)
		for (at = bytes; (at = memmem(at, (size_t)(bytes + n - at), call, sizeof(call))); at++)
			sp_vec_push(&libc->offsets, (uint64_t)(offset + (at - bytes)));
}

static struct ptrace_libc *find_libc(struct attach_ptrace *engine, pid_t pid, const struct image_mapping *mapping)
{
	sp_cleanup_close int fd = -1;
	struct ptrace_libc libc = { .dev = mapping->dev, .inode = mapping->inode };

	sp_vec_each(it, &engine->libcs)
		if (it->dev == mapping->dev && it->inode == mapping->inode)
			return it;
	fd = ptrace_proc_open_file(pid, mapping->path);
	if (fd >= 0)
		search(&libc, fd);
	sp_vec_push(&engine->libcs, libc);
	return &sp_vec_last(&engine->libcs);
}

// The C library; a program that has none, or has it linked in, is its own.
static bool may_call(const struct ptrace_process *process, const struct image_mapping *mapping)
{
	const char *name = strrchr(mapping->path, '/');

	if (!name)
		return false;
	name++;
	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0 || strncmp(name, "ld-musl", 7) == 0 ||
	       !process->has_linker;
}

bool ptrace_trap_insert(void *ctx, const struct image_mapping *mapping)
{
	const struct ptrace_insertion *insertion = ctx;
	struct ptrace_process *process = insertion->process;
	const struct ptrace_libc *libc;
	struct ptrace_break *brk;

	if (!mapping->executable || mapping->path[0] != '/' || process->space->bits == 32 || !may_call(process, mapping))
		return true;
	libc = find_libc(insertion->engine, process->space->pid, mapping);
	sp_vec_each(offset, &libc->offsets)
		if (*offset >= mapping->offset && *offset - mapping->offset < mapping->end - mapping->start &&
		    ptrace_space_add(process->space, mapping->start + (*offset - mapping->offset), &brk) == PTRACE_ADDED)
			brk->sigaction = true;
	return true;
}

void ptrace_trap_deinit(struct attach_ptrace *engine)
{
	sp_vec_each(libc, &engine->libcs)
		sp_vec_deinit(&libc->offsets);
	sp_vec_deinit(&engine->libcs);
}

// ---- the action ------------------------------------------------------------------------------------------------------

static bool is_set(const struct ptrace_trap *trap)
{
	return trap->action.handler != (uint64_t)(uintptr_t)SIG_DFL;
}

// As it asks for the old action, too, ours must not be there.
void ptrace_trap_sigaction(struct ptrace_thread *thread, const struct ptrace_cpu *cpu)
{
	struct ptrace_process *process = thread->process;
	uint64_t address = ptrace_cpu_call_arg(cpu, 1);
	struct ptrace_action action = { .handler = 0 };

	if (ptrace_cpu_call_arg(cpu, 0) != SIGTRAP)
		return;
	ptrace_trap_restore(thread);
	if (process->trap.has_handler)
		ptrace_area_set_action(process->space, thread->tid, &action);
	process->trap.has_handler = false;
	process->trap.checked_at = sp_now_ns();
	if (address && ptrace_space_read(process->space, address, &action, sizeof(action)) == 0)
		process->trap.action = action;
}

void ptrace_trap_learn(struct ptrace_process *process)
{
	if (ptrace_proc_signals(process->space->pid, "SigIgn: %lx") & PTRACE_SIGNAL(SIGTRAP))
		process->trap.action.handler = (uint64_t)(uintptr_t)SIG_IGN;
	process->trap.is_unknown = ptrace_proc_signals(process->space->pid, "SigCgt: %lx") & PTRACE_SIGNAL(SIGTRAP);
}

#define BELOW_STACK 4096 // bytes below the stack pointer, where nothing is kept

// It had a handler when it was met.
static void ask(struct ptrace_thread *thread)
{
	struct ptrace_space *space = thread->process->space;
	struct ptrace_trap *trap = &thread->process->trap;
	uint64_t args[6] = { SIGTRAP, 0, 0, 8 }, result;
	struct ptrace_cpu cpu;

	if (!ptrace_cpu_get(thread->tid, &cpu))
		return;
	args[2] = (ptrace_cpu_sp(&cpu) - BELOW_STACK) & ~UINT64_C(15);
	if (!ptrace_call(space, thread->tid, SYS_rt_sigaction, args, &result) || result ||
	    ptrace_space_read(space, args[2], &trap->action, sizeof(trap->action)) < 0)
		return;
	trap->is_unknown = false;
	if (!ptrace_area_is_handler(space, trap->action.handler))
		return;
	trap->action = (struct ptrace_action){ .handler = 0 };
	trap->has_handler = ptrace_area_set_action(space, thread->tid, NULL);
}

void ptrace_trap_restore(struct ptrace_thread *thread)
{
	struct ptrace_trap *trap = &thread->process->trap;
	struct ptrace_space *space = thread->process->space;
	uint64_t now = sp_now_ns();
	const char *set;

	if (!space->areas.n || space->bits == 32)
		return; // no system calls may be made in it
	if (trap->is_unknown)
		ask(thread);
	if (trap->is_unknown || (!is_set(trap) && now - trap->checked_at < CHECK_NS))
		return;
	trap->checked_at = now;
	set = trap->action.handler == (uint64_t)(uintptr_t)SIG_IGN ? "SigIgn: %lx" : "SigCgt: %lx";
	if (ptrace_proc_signals(thread->tid, set) & PTRACE_SIGNAL(SIGTRAP))
		return;
	if (is_set(trap))
		ptrace_area_set_action(space, thread->tid, &trap->action);
	else
		trap->has_handler = ptrace_area_set_action(space, thread->tid, NULL);
}
