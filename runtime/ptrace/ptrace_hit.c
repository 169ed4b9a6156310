// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf

#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

// ---- who hit it ------------------------------------------------------------------------------------------------------

static void read_ids(struct ptrace_process *process)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	struct stat st;
	char line[256];

	if (asprintf(&path, "/proc/%d", (int)process->pid) < 0 || stat(path, &st))
		return;
	if (process->ids_known && process->euid == st.st_uid && process->egid == st.st_gid)
		return;
	free(path);
	path = NULL;
	if (asprintf(&path, "/proc/%d/status", (int)process->pid) < 0 || !(file = fopen(path, "re")))
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Uid: %u %u", &process->uid, &process->euid) == 2)
			continue;
		if (sscanf(line, "Gid: %u %u", &process->gid, &process->egid) == 2)
			break;
	}
	process->ids_known = true;
}

// /proc/PID/task/TID/stat: "tid (comm) state ppid ..."; field 39 is the processor (proc(5)).
static void read_stat(const struct ptrace_thread *thread, struct vm_task *task)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_close int fd = -1;
	char text[1024], *open_at, *close_at, *field;
	ssize_t size;

	if (asprintf(&path, "/proc/%d/task/%d/stat", (int)thread->process->pid, (int)thread->tid) < 0)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (size <= 0)
		return;
	text[size] = '\0';
	open_at = strchr(text, '(');
	close_at = strrchr(text, ')');
	if (!open_at || !close_at || close_at <= open_at)
		return;
	memcpy(task->comm, open_at + 1, SP_MIN((size_t)(close_at - open_at - 1), sizeof(task->comm) - 1));
	field = close_at + 1;
	for (int number = 3; number <= 39 && *field; number++) {
		field += strspn(field, " ");
		if (number == 4)
			task->ppid = (uint32_t)strtoul(field, NULL, 10);
		else if (number == 39)
			task->cpu = (uint32_t)strtoul(field, NULL, 10);
		field += strcspn(field, " ");
	}
}

static int read_memory(void *ctx, uint64_t address, void *dst, size_t size)
{
	const struct ptrace_thread *thread = ctx;

	return ptrace_space_read(thread->process->space, thread->tid, address, dst, size);
}

static int write_memory(void *ctx, uint64_t address, const void *src, size_t size)
{
	const struct ptrace_thread *thread = ctx;

	return ptrace_space_write(thread->process->space, thread->tid, address, src, size);
}

void ptrace_hit_describe(struct ptrace_thread *thread, struct vm_task *ret)
{
	struct ptrace_process *process = thread->process;

	read_ids(process);
	*ret = (struct vm_task){ .pid = (uint32_t)process->pid, .tid = (uint32_t)thread->tid, .uid = process->uid,
				 .gid = process->gid, .euid = process->euid, .egid = process->egid,
				 .read = read_memory, .write = write_memory, .ctx = thread };
	read_stat(thread, ret);
}

// ---- calls and returns -----------------------------------------------------------------------------------------------

static void pop_frame(struct ptrace_thread *thread)
{
	struct ptrace_space *space = thread->process->space;
	struct ptrace_break *brk = ptrace_space_find(space, sp_vec_last(&thread->frames).ret);

	(void)sp_vec_pop(&thread->frames);
	if (brk && brk->n_returns)
		brk->n_returns--; // at 0 it is taken out when a thread comes by: here one may stand on it
}

void ptrace_hit_forget_frames(struct ptrace_thread *thread)
{
	while (thread->frames.n)
		pop_frame(thread);
	sp_vec_deinit(&thread->frames);
}

// Forgets calls that will not return. A call whose stack is gone was left by longjmp. A call with the same stack
// pointer has made a tail call, unless it is the same function again.
static void drop_dead_frames(struct ptrace_thread *thread, const struct ptrace_frame *call)
{
	while (thread->frames.n) {
		const struct ptrace_frame *last = &sp_vec_last(&thread->frames);

		if (last->sp > call->sp || (last->sp == call->sp && last->ret == call->ret && last->entry != call->entry))
			return;
		pop_frame(thread);
	}
}

static void push_frame(struct attach_ptrace *engine, struct ptrace_thread *thread, const struct ptrace_frame *frame)
{
	const struct bundle *bundle = engine->input.bundle;
	struct ptrace_break *brk = ptrace_space_add(thread->process->space, thread->tid, frame->ret);

	if (!brk) {
		sp_log(engine->input.log, SP_LOG_WARN, "1 event of %s was lost (no breakpoint can be set at its return)",
		       bundle_text(bundle, bundle->sites[frame->site].point));
		return;
	}
	brk->n_returns++;
	sp_vec_push(&thread->frames, *frame);
}

// At the first instruction of a function with return probes. The last frame is the first that returns.
static void push_frames(struct attach_ptrace *engine, struct ptrace_thread *thread, const struct ptrace_break *brk,
			const struct ptrace_cpu *cpu)
{
	struct ptrace_frame frame = { .entry = brk->address, .sp = ptrace_cpu_sp(cpu) };

	if (!ptrace_cpu_return_address(thread->tid, cpu, &frame.ret))
		return;
	drop_dead_frames(thread, &frame);
	for (size_t i = brk->sites.n; i-- > 0;) {
		frame.site = brk->sites.v[i];
		if (engine->input.bundle->sites[frame.site].kind == SP_SITE_URETPROBE)
			push_frame(engine, thread, &frame);
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

static void run_returns(struct attach_ptrace *engine, struct ptrace_thread *thread, uint64_t address,
			const struct vm_task *task, struct ptrace_cpu *cpu)
{
	uint64_t sp = ptrace_cpu_sp(cpu);

	while (thread->frames.n) {
		struct ptrace_frame frame = sp_vec_last(&thread->frames);

		if (ptrace_cpu_sp_after_return(frame.sp) > sp)
			return;
		pop_frame(thread);
		if (ptrace_cpu_sp_after_return(frame.sp) == sp && frame.ret == address)
			call_handler(engine, task, frame.site, cpu);
	}
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

static bool trap_is_step(pid_t tid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, 0, &info) == 0 && info.si_code != SI_KERNEL;
}

// A signal came before the instruction, or the instruction raised one: the thread will come to this breakpoint again.
static void note_interruption(struct ptrace_thread *thread, uint64_t address)
{
	struct ptrace_cpu cpu;

	if (ptrace_cpu_get(thread->tid, &cpu) && ptrace_cpu_pc(&cpu) == address) {
		thread->retry_pc = address;
		thread->retry_sp = ptrace_cpu_sp(&cpu);
	}
}

// The instruction runs where it is, without its breakpoint, so all other threads of the space have to stand still.
static void step_in_place(struct attach_ptrace *engine, struct ptrace_thread *thread, const struct ptrace_break *brk)
{
	int status = 0;

	ptrace_stop_others(engine, thread);
	ptrace_space_lift(thread->tid, brk);
	do {
		status = 0;
		if (ptrace(PTRACE_SINGLESTEP, thread->tid, 0, 0))
			break;
		while (waitpid(thread->tid, &status, __WALL) < 0 && errno == EINTR)
			;
		// Another thread's step may have interrupted this one just when it stopped here: that stop is reported
		// now.
	} while (WIFSTOPPED(status) && status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8));
	if (!status || WIFSTOPPED(status))
		ptrace_space_lower(thread->tid, brk);
	ptrace_resume_others(engine, thread);
	if (!status)
		return; // killed
	if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && !(status >> 16) && trap_is_step(thread->tid)) {
		ptrace_thread_resume(thread, 0);
		return;
	}
	if (WIFSTOPPED(status))
		note_interruption(thread, brk->address);
	ptrace_thread_save(engine, thread, status);
}

static void release(struct ptrace_thread *thread)
{
	if (thread->held)
		ptrace_guard_release(thread->tid, thread->held_mask);
	thread->held = false;
}

static void go_on(struct attach_ptrace *engine, struct ptrace_thread *thread, uint64_t address, struct ptrace_cpu *cpu)
{
	struct ptrace_space *space = thread->process->space;
	struct ptrace_break *brk = ptrace_space_find(space, address);
	uint8_t insn[PTRACE_CPU_INSN_MAX];
	size_t size;

	if (brk && !brk->n_returns && !brk->sites.n && !brk->linker) {
		ptrace_space_remove(space, thread->tid, brk);
		brk = NULL;
	}
	size = brk ? ptrace_space_read_some(space, thread->tid, address, insn, sizeof(insn)) : 0;
	if (!brk || ptrace_cpu_imitate(thread->tid, cpu, insn, size)) {
		ptrace_cpu_set(thread->tid, cpu);
		release(thread);
		ptrace_thread_resume(thread, 0);
		return;
	}
	ptrace_cpu_set(thread->tid, cpu);
	release(thread);
	if (!ptrace_cpu_is_syscall(insn, size)) {
		step_in_place(engine, thread, brk);
		return;
	}
	// The breakpoint stays lifted during the system call, so other threads are missed; otherwise the program might
	// hang.
	ptrace_space_lift(thread->tid, brk);
	thread->stepping = address;
	thread->running = ptrace(PTRACE_SINGLESTEP, thread->tid, 0, 0) == 0;
}

void ptrace_hit_end_step(struct ptrace_thread *thread)
{
	const struct ptrace_break *brk = ptrace_space_find(thread->process->space, thread->stepping);

	if (brk)
		ptrace_space_lower(thread->tid, brk);
	note_interruption(thread, thread->stepping);
	thread->stepping = 0;
}

static void hit(struct attach_ptrace *engine, struct ptrace_thread *thread, struct ptrace_break *brk,
		struct ptrace_cpu *cpu)
{
	uint64_t address = brk->address;
	bool again = thread->retry_pc == address && thread->retry_sp == ptrace_cpu_sp(cpu);
	struct vm_task task;

	thread->retry_pc = thread->retry_sp = 0;
	if (!again && (brk->n_returns || brk->sites.n))
		ptrace_hit_describe(thread, &task);
	if (!again && brk->n_returns)
		run_returns(engine, thread, address, &task, cpu);
	if (!again && brk->sites.n)
		run_entries(engine, thread, brk, &task, cpu);
	if (brk->linker)
		ptrace_sites_insert(engine, thread->process, thread->tid);
	go_on(engine, thread, address, cpu);
}

// The thread has run a breakpoint that another thread has taken away meanwhile.
static bool was_removed(const struct ptrace_thread *thread, uint64_t address)
{
	uint8_t byte = PTRACE_CPU_BREAK;

	return ptrace_space_read(thread->process->space, thread->tid, address, &byte, 1) == 0 && byte != PTRACE_CPU_BREAK;
}

void ptrace_hit_trap(struct attach_ptrace *engine, struct ptrace_thread *thread)
{
	struct ptrace_break *brk;
	bool was_stepping = thread->stepping != 0;
	struct ptrace_cpu cpu;
	uint64_t address;

	if (was_stepping)
		ptrace_hit_end_step(thread);
	if (trap_is_step(thread->tid)) {
		ptrace_thread_resume(thread, was_stepping ? 0 : SIGTRAP);
		return;
	}
	if (!ptrace_cpu_get(thread->tid, &cpu)) {
		ptrace_thread_resume(thread, SIGTRAP);
		return;
	}
	address = ptrace_cpu_pc(&cpu) - 1;
	brk = ptrace_space_find(thread->process->space, address);
	if (brk) {
		ptrace_cpu_set_pc(&cpu, address);
		if (engine->guard) {
			// We may be killed while the handlers run.
			ptrace_cpu_set(thread->tid, &cpu);
			thread->held = ptrace_guard_hold(thread->tid, &thread->held_mask);
		}
		hit(engine, thread, brk, &cpu);
	} else if (was_removed(thread, address)) {
		ptrace_cpu_set_pc(&cpu, address);
		ptrace_cpu_set(thread->tid, &cpu);
		ptrace_thread_resume(thread, 0);
	} else {
		ptrace_thread_resume(thread, SIGTRAP); // the program's own
	}
}

bool ptrace_hit_undo(struct ptrace_thread *thread)
{
	struct ptrace_cpu cpu;
	uint64_t address;

	if (trap_is_step(thread->tid))
		return thread->stepping != 0;
	if (!ptrace_cpu_get(thread->tid, &cpu))
		return false;
	address = ptrace_cpu_pc(&cpu) - 1;
	if (!ptrace_space_find(thread->process->space, address) && !was_removed(thread, address))
		return false;
	ptrace_cpu_set_pc(&cpu, address);
	ptrace_cpu_set(thread->tid, &cpu);
	return true;
}
