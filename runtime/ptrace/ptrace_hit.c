// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf

#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_engine.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <fcntl.h>
#include <linux/rseq.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- who hit it ------------------------------------------------------------------------------------------------------

static void read_ids(struct ptrace_process *process)
{
	struct vm_task task = { 0 };
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)process->pid);
	if (stat(path, &st))
		return;
	if (process->ids_known && process->euid == st.st_uid && process->egid == st.st_gid)
		return;
	if (!ptrace_proc_ids(process->pid, &task))
		return;
	process->uid = task.uid;
	process->euid = task.euid;
	process->gid = task.gid;
	process->egid = task.egid;
	process->ids_known = true;
}

static int read_memory(void *ctx, uint64_t address, void *dst, size_t size)
{
	const struct ptrace_thread *thread = ctx;

	return ptrace_space_read(thread->process->space, address, dst, size);
}

static int write_memory(void *ctx, uint64_t address, const void *src, size_t size)
{
	const struct ptrace_thread *thread = ctx;

	return ptrace_space_write(thread->process->space, address, src, size);
}

static void describe(void *ctx, struct vm_task *ret)
{
	const struct ptrace_thread *thread = ctx;
	struct ptrace_process *process = thread->process;

	read_ids(process);
	ret->uid = process->uid;
	ret->gid = process->gid;
	ret->euid = process->euid;
	ret->egid = process->egid;
	ptrace_proc_stat(thread->tid, ret);
}

void ptrace_hit_describe(struct ptrace_thread *thread, struct vm_task *ret)
{
	*ret = (struct vm_task){ .pid = (uint32_t)thread->process->pid, .tid = (uint32_t)thread->tid, .read = read_memory,
				 .write = write_memory, .describe = describe, .ctx = thread, .gets_registers = true };
}

// ---- calls and returns -----------------------------------------------------------------------------------------------

// At the first instruction of a function with return probes. The last frame is the first that returns.
static void push_frames(struct attach_ptrace *engine, struct ptrace_thread *thread, const struct ptrace_break *entry,
			const struct ptrace_cpu *cpu)
{
	struct ptrace_space *space = thread->process->space;
	struct ptrace_frame frame = { .entry = entry->address, .sp = ptrace_cpu_sp(cpu), .tid = thread->tid };
	bool is_known = ptrace_space_read(space, frame.sp, &frame.ret, ptrace_cpu_word(cpu)) == 0;
	struct ptrace_break *ret;

	ptrace_frames_begin(space, &frame);
	if (!is_known || ptrace_space_is_data(space, frame.ret) || ptrace_space_add(space, frame.ret, &ret) != PTRACE_ADDED) {
		engine->n_lost_returns++;
		return;
	}
	for (size_t i = entry->sites.n; i-- > 0;) {
		frame.site = entry->sites.v[i];
		if (engine->input.bundle->sites[frame.site].kind == SP_SITE_URETPROBE)
			ptrace_frames_add(space, &frame, ret);
	}
}

static void call_handler(struct attach_ptrace *engine, const struct vm_task *task, unsigned site, struct ptrace_cpu *cpu)
{
	const struct bundle *bundle = engine->input.bundle;
	const void *regs;
	size_t size;

	if ((bundle->progs[bundle->sites[site].prog].flags & SP_PROG_FLOATS) && !cpu->has_floats)
		ptrace_cpu_get_floats(task->tid, cpu);
	regs = ptrace_cpu_context(cpu, &size);
	engine->input.handler(engine->input.ctx, site, task, regs, size);
}

static void run_returns(struct attach_ptrace *engine, struct ptrace_thread *thread, struct ptrace_break *brk,
			struct vm_task *task, struct ptrace_cpu *cpu)
{
	struct ptrace_frame frame;

	while (ptrace_frames_take(thread->process->space, brk->address, ptrace_cpu_sp_of_call(cpu), &frame)) {
		brk->n_idle = 0;
		task->function = frame.entry;
		call_handler(engine, task, frame.site, cpu);
	}
	task->function = 0;
}

static void run_entries(struct attach_ptrace *engine, struct ptrace_thread *thread, const struct ptrace_break *brk,
			const struct vm_task *task, struct ptrace_cpu *cpu)
{
	const struct bundle *bundle = engine->input.bundle;
	bool has_returns = false;

	for (size_t i = 0; i < brk->sites.n; i++) {
		unsigned site = brk->sites.v[i];

		if (bundle->sites[site].kind == SP_SITE_URETPROBE)
			has_returns = true;
		else
			call_handler(engine, task, site, cpu);
	}
	if (has_returns)
		push_frames(engine, thread, brk, cpu);
}

// ---- going on --------------------------------------------------------------------------------------------------------

// Puts a thread that the SIGTRAP of a breakpoint has stopped at an instruction, where it goes on even if we are killed now: the
// program gets that signal then.
static void put_at(struct ptrace_thread *thread, struct ptrace_cpu *cpu, uint64_t address)
{
	siginfo_t info = { .si_signo = SIGTRAP, .si_code = PTRACE_AREA_MOVED, .si_addr = (void *)(uintptr_t)address };

	ptrace(PTRACE_SETSIGINFO, thread->tid, 0, &info);
	ptrace_cpu_set_pc(cpu, address);
	ptrace_cpu_set(thread->tid, cpu);
}

#define IDLE 16 // hits of a breakpoint at a return that nobody waits for; then it is taken out

#define MAX_LEFT 64 // interruptions that are kept, of a thread or a process

static void put_off(struct ptrace_process *process, uint64_t address, uint64_t sp)
{
	if (process->put_off.n < MAX_LEFT)
		sp_vec_push(&process->put_off, (struct ptrace_left){ address, sp });
}

static void take_out(struct attach_ptrace *engine, struct ptrace_thread *thread, struct ptrace_break *brk, const char *why)
{
	sp_log(engine->input.log, SP_LOG_WARN, "the breakpoint at %#llx in process %d was taken out: %s", (unsigned long long)brk->address,
	       (int)thread->process->pid, why);
	ptrace_space_remove(thread->process->space, brk);
}

// Linux 5.13. Who goes on elsewhere than in its sequence is no longer protected by the kernel, and who goes on there has to begin anew.
static bool is_in_sequence(struct ptrace_thread *thread, uint64_t address)
{
	struct {
		uint64_t area;
		uint32_t size, signature, flags, pad;
	} config; // struct ptrace_rseq_configuration, which older headers do not have
	struct rseq_cs sequence;
	uint64_t at;

	return ptrace((enum __ptrace_request)0x420f /* PTRACE_GET_RSEQ_CONFIGURATION */, thread->tid, sizeof(config), &config) > 0 && config.area &&
	       !read_memory(thread, config.area + offsetof(struct rseq, rseq_cs), &at, sizeof(at)) && at &&
	       !read_memory(thread, at, &sequence, sizeof(sequence)) && address - sequence.start_ip < sequence.post_commit_offset;
}

static bool is_needed(const struct ptrace_break *brk)
{
	return brk->n_returns || brk->sites.n || brk->linker || brk->is_start || brk->sigaction || brk->is_call;
}

// The instruction is run in the breakpoint's slot, from where the thread goes on by itself.
static void go_on(struct attach_ptrace *engine, struct ptrace_thread *thread, uint64_t address, struct ptrace_cpu *cpu)
{
	struct ptrace_space *space = thread->process->space;
	struct ptrace_break *brk = ptrace_space_find(space, address);
	bool is_other;

	if (brk && brk->original == PTRACE_CPU_BREAK) {
		ptrace_hit_signal(thread, SIGTRAP); // it is the program's own, too
		return;
	}
	if (brk && !is_needed(brk) && brk->n_idle++ == IDLE) {
		ptrace_space_remove(space, brk);
		brk = NULL;
	}
	is_other = ptrace_cpu_word(cpu) * 8 != space->bits;
	if (brk && (is_other || !ptrace_area_place(space, thread->tid, brk))) {
		take_out(engine, thread, brk, is_other ? "it is met in another word size" : "there is no place to run its instruction at");
		brk = NULL;
	}
	if (brk) {
		ptrace_cpu_set_pc(cpu, brk->slot.address);
		if (!ptrace_cpu_set(thread->tid, cpu)) // it was left to a call, behind which it is here again (ptrace_call.h)
			put_off(thread->process, address, ptrace_cpu_sp(cpu));
	} else {
		put_at(thread, cpu, address);
	}
	if (!brk || !brk->sigaction)
		ptrace_trap_restore(thread);
	ptrace_thread_resume(thread, 0);
}

// A handler's return to here would have been seen: the call that was interrupted here was left in another way.
static void forget_left(struct ptrace_thread *thread, uint64_t address, uint64_t sp)
{
	size_t n = 0;

	sp_vec_each(left, &thread->left)
		if (left->address != address || left->sp != sp)
			thread->left.v[n++] = *left;
	thread->left.n = n;
}

// Does a call that the handler of a signal has put in front of this instruction return to it? Handlers have seen the instruction then.
static bool comes_back(struct ptrace_process *process, uint64_t address, uint64_t sp)
{
	sp_vec_each(put_off, &process->put_off) {
		if (put_off->address != address || put_off->sp != sp)
			continue;
		*put_off = sp_vec_pop(&process->put_off);
		return true;
	}
	return false;
}

static void hit(struct attach_ptrace *engine, struct ptrace_thread *thread, struct ptrace_break *brk,
		struct ptrace_cpu *cpu)
{
	struct ptrace_space *space = thread->process->space;
	uint64_t address = brk->address;
	bool has_stopped = true;
	struct vm_task task;

	if (!brk->was_hit && brk->sites.n && is_in_sequence(thread, address)) {
		take_out(engine, thread, brk, "it is in a restartable sequence (rseq(2)), which a probe would break");
		put_at(thread, cpu, address); // from where the kernel lets it begin anew
		ptrace_thread_resume(thread, 0);
		return;
	}
	brk->was_hit = true;
	if (brk->original != PTRACE_CPU_BREAK && (!brk->is_placed || brk->sigaction))
		put_at(thread, cpu, address); // system calls may be made in it
	if (brk->original != PTRACE_CPU_BREAK && ptrace_area_begin(space, thread->tid, address)) {
		ptrace_trap_restore(thread);
		ptrace_area_fill(space, thread->tid);
		has_stopped = ptrace_cpu_set(thread->tid, cpu);
	}
	if (!has_stopped || (brk->original != PTRACE_CPU_BREAK && !space->areas.n && !space->no_calls)) {
		ptrace_thread_resume(thread, 0); // it is frozen, and comes here again
		return;
	}
	forget_left(thread, address, ptrace_cpu_sp(cpu));
	if (comes_back(thread->process, address, ptrace_cpu_sp(cpu))) {
		go_on(engine, thread, address, cpu);
		return;
	}
	if (brk->n_returns || brk->sites.n)
		ptrace_hit_describe(thread, &task);
	if (brk->n_returns)
		run_returns(engine, thread, brk, &task, cpu);
	if (brk->is_call)
		ptrace_frames_drop(space, ptrace_cpu_sp(cpu) - ptrace_cpu_word(cpu));
	if (brk->sites.n)
		run_entries(engine, thread, brk, &task, cpu);
	if (brk->is_start)
		thread->process->starts = false;
	if (brk->linker)
		ptrace_sites_insert(engine, thread->process);
	if (brk->sigaction)
		ptrace_trap_sigaction(thread, cpu);
	go_on(engine, thread, address, cpu);
}

// Code that the program has copied, or moved, with a breakpoint that is not known there.
static bool mend_copy(struct attach_ptrace *engine, const struct ptrace_thread *thread, uint64_t address)
{
	bool is_mended = ptrace_space_mend_copy(thread->process->space, address);

	engine->had_unseen |= is_mended;
	return is_mended;
}

static bool is_break_trap(pid_t tid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, 0, &info) == 0 && info.si_code == SI_KERNEL;
}

void ptrace_hit_trap(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct ptrace_break *brk;
	struct ptrace_cpu cpu;
	uint64_t address;

	if (!is_break_trap(thread->tid) || !ptrace_cpu_get(thread->tid, &cpu)) {
		ptrace_hit_signal(thread, SIGTRAP);
		return;
	}
	address = ptrace_cpu_pc(&cpu) - 1;
	brk = ptrace_space_find(thread->process->space, address);
	if (!brk && ptrace_space_is_moved(thread->process->space, address)) {
		ptrace_sites_insert(engine, thread->process);
		ptrace_space_add(thread->process->space, address, &brk);
	}
	if (brk) {
		ptrace_cpu_set_pc(&cpu, address);
		hit(engine, thread, brk, &cpu);
	} else if (ptrace_space_was_at(thread->process->space, address) || mend_copy(engine, thread, address)) {
		put_at(thread, &cpu, address);
		ptrace_thread_resume(thread, 0);
	} else {
		ptrace_hit_signal(thread, SIGTRAP); // the program's own
	}
}

// ---- other signals ---------------------------------------------------------------------------------------------------

static bool is_fault(const siginfo_t *info)
{
	return info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS || info->si_signo == SIGILL ||
				     info->si_signo == SIGFPE || info->si_signo == SIGTRAP);
}

// Of these faults, the kernel tells the instruction's address.
static void move_fault(pid_t tid, siginfo_t *info, uint64_t from, uint64_t to)
{
	if ((uint64_t)(uintptr_t)info->si_addr != from || (info->si_signo != SIGILL && info->si_signo != SIGFPE))
		return;
	info->si_addr = (void *)(uintptr_t)to;
	ptrace(PTRACE_SETSIGINFO, tid, 0, info);
}

// Puts a thread that is in a slot where it would be without. False: it is in none. *before_ret: still before the
// instruction.
static bool leave_slot(struct ptrace_thread *thread, struct ptrace_cpu *cpu, bool *before_ret)
{
	const struct ptrace_break *brk;
	uint64_t pc, sp;

	if (!ptrace_cpu_get(thread->tid, cpu))
		return false;
	pc = ptrace_cpu_pc(cpu);
	sp = ptrace_cpu_sp(cpu);
	brk = ptrace_area_find(thread->process->space, pc);
	if (!brk)
		return false;
	*before_ret = !ptrace_slot_leave(&brk->slot, brk->address, &pc, &sp);
	ptrace_cpu_set_pc(cpu, pc);
	ptrace_cpu_set_sp(cpu, sp);
	return true;
}

// Does the signal end the program, with a core dump?
static bool dumps_core(pid_t tid, int signal)
{
	const uint64_t dumping = PTRACE_SIGNAL(SIGQUIT) | PTRACE_SIGNAL(SIGILL) | PTRACE_SIGNAL(SIGTRAP) | PTRACE_SIGNAL(SIGABRT) |
				 PTRACE_SIGNAL(SIGBUS) | PTRACE_SIGNAL(SIGFPE) | PTRACE_SIGNAL(SIGSEGV) | PTRACE_SIGNAL(SIGSYS) |
				 PTRACE_SIGNAL(SIGXCPU) | PTRACE_SIGNAL(SIGXFSZ);

	return signal && PTRACE_SIGNAL(signal) & dumping & ~ptrace_proc_signals(tid, "SigCgt: %lx") & ~ptrace_proc_signals(tid, "SigIgn: %lx");
}

void ptrace_hit_signal(struct ptrace_thread *thread, int signal)
{
	struct ptrace_cpu cpu;
	siginfo_t info;
	uint64_t at;
	bool before, is_caught;

	if (signal == SIGTRAP && thread->process->trap.action.handler == (uint64_t)(uintptr_t)SIG_IGN)
		signal = 0; // the kernel may not know any more
	ptrace_call_again(thread->tid, signal, &thread->again);
	if (thread->process->space->refs == 1 && dumps_core(thread->tid, signal))
		ptrace_space_clear(thread->process->space); // whoever reads the dump finds the program's own code
	if (!leave_slot(thread, &cpu, &before) || ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info)) {
		ptrace_thread_resume(thread, signal);
		return;
	}
	if (before && signal == SIGTRAP && info.si_code == TRAP_TRACE)
		signal = 0; // it steps through itself, and what it has as one instruction is several here, of which another is to come
	is_caught = signal && ptrace_proc_signals(thread->tid, "SigCgt: %lx") & PTRACE_SIGNAL(signal);
	// A signal that does nothing must not bring it to the breakpoint again.
	if (is_caught || (signal && is_fault(&info))) {
		struct ptrace_cpu old;

		at = ptrace_cpu_pc(&cpu);
		if (ptrace_cpu_get(thread->tid, &old))
			move_fault(thread->tid, &info, ptrace_cpu_pc(&old), at);
		ptrace_cpu_set(thread->tid, &cpu);
		if (before && is_caught && thread->left.n < MAX_LEFT)
			sp_vec_push(&thread->left, (struct ptrace_left){ at, ptrace_cpu_sp(&cpu) });
	}
	ptrace_thread_resume(thread, signal);
}

static bool is_sigreturn(const struct ptrace_thread *thread)
{
	if (thread->process->space->bits == 32)
		return thread->syscall == 119 || thread->syscall == 173; // sigreturn, rt_sigreturn
	return thread->syscall == SYS_rt_sigreturn;
}

// Go interrupts a goroutine so: the handler makes it call a function that returns to where the signal came, then in whichever thread.
static bool put_off_by_call(struct ptrace_thread *thread, const struct ptrace_cpu *cpu)
{
	const unsigned word = thread->process->space->bits / 8;
	uint64_t ret = 0, sp = ptrace_cpu_sp(cpu) + word;

	if (ptrace_space_read(thread->process->space, sp - word, &ret, word) < 0)
		return false;
	sp_vec_each(left, &thread->left) {
		if (left->address != ret || left->sp != sp || ptrace_cpu_pc(cpu) == ret)
			continue;
		put_off(thread->process, ret, sp);
		forget_left(thread, ret, sp);
		return true;
	}
	return false;
}

void ptrace_hit_sigreturn(struct ptrace_thread *thread)
{
	const struct ptrace_break *brk;
	struct ptrace_cpu cpu;

	if (!is_sigreturn(thread) || !ptrace_cpu_get(thread->tid, &cpu))
		return;
	if (put_off_by_call(thread, &cpu))
		return;
	for (size_t i = thread->left.n; i-- > 0;) {
		if (thread->left.v[i].address != ptrace_cpu_pc(&cpu) || thread->left.v[i].sp != ptrace_cpu_sp(&cpu))
			continue;
		brk = ptrace_space_find(thread->process->space, thread->left.v[i].address);
		forget_left(thread, ptrace_cpu_pc(&cpu), ptrace_cpu_sp(&cpu));
		if (!brk || !brk->is_placed)
			return;
		ptrace_cpu_set_pc(&cpu, brk->slot.address);
		ptrace_cpu_set(thread->tid, &cpu);
		return;
	}
}

bool ptrace_hit_undo(struct ptrace_thread *thread, int signal)
{
	struct ptrace_cpu cpu;
	uint64_t address;
	bool before;

	if (leave_slot(thread, &cpu, &before)) {
		ptrace_cpu_set(thread->tid, &cpu);
		return false;
	}
	if (signal != SIGTRAP || !is_break_trap(thread->tid) || !ptrace_cpu_get(thread->tid, &cpu))
		return false;
	address = ptrace_cpu_pc(&cpu) - 1;
	if (!ptrace_space_find(thread->process->space, address) && !ptrace_space_was_at(thread->process->space, address))
		return false;
	put_at(thread, &cpu, address);
	return true;
}
