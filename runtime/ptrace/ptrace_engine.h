// SPDX-License-Identifier: GPL-2.0-or-later
/** The inside of the user engine, shared by its files. Not for others. */
#ifndef SP_RUNTIME_PTRACE_ENGINE_H
#define SP_RUNTIME_PTRACE_ENGINE_H

#include "runtime/ptrace/attach_ptrace.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/ptrace/ptrace_space.h"

#include <signal.h>

/** A call of a function with a return probe that has not come back. */
struct ptrace_frame {
	uint64_t entry, sp; // the function's first instruction, and the stack pointer there
	uint64_t ret;
	unsigned site;
};

struct ptrace_process {
	pid_t pid;
	struct ptrace_space *space;
	uint32_t program; // what it runs: index into the bundle's objects; SP_NONE: none of those
	unsigned n_threads;
	bool unrepaired; // forked; breakpoints that were lifted at that moment are to be put back
	uid_t uid, gid, euid, egid; // as /proc said when the owner of its folder was `euid` and `egid`
	bool ids_known;
};

struct ptrace_thread {
	pid_t tid;
	struct ptrace_process *process; // NULL: its creator's event has not been seen
	bool running; // false: stopped, and to be resumed by us
	bool listening; // stopped by job control
	bool in_vfork; // waits in the kernel for the child's exec or end; cannot be stopped
	bool has_status; // `status` is not handled
	int status;
	uint64_t stepping; // the breakpoint that is lifted while it is in a system call; 0: none
	bool is_new; // has not stopped since it was made
	bool traces_syscalls;
	int64_t syscall; // that it is in; -1: not known
	bool held; // for the guard, until it goes on
	uint64_t held_mask;
	uint64_t retry_pc, retry_sp; // interrupted at a breakpoint after its handlers ran; 0: not
	SP_VEC(struct ptrace_frame) frames; // the innermost last
};

struct attach_ptrace {
	struct attach_ptrace_input input;
	struct sp_hash threads, processes; // by id
	struct ptrace_guard *guard; // NULL: what is traced dies with us
	unsigned n_saved; // threads with a status
	pid_t root;
	bool root_ended;
	int root_status;
	long options; // of PTRACE_SEIZE
	struct ptrace_object { // for each of the bundle's objects
		dev_t dev;
		ino_t inode;
		bool is_there;
	} *objects;
	uint8_t *events; // by site: enum ptrace_event_kind
	bool traces_syscalls;
	bool *inserted; // by site: some process has code for it
};

// ---- ptrace_thread.c: the threads and processes that are traced, and how they are stopped and go on

struct ptrace_thread *ptrace_thread_find(const struct attach_ptrace *engine, pid_t tid);
struct ptrace_thread *ptrace_thread_add(struct attach_ptrace *engine, pid_t tid, struct ptrace_process *process);
/** The last thread of a process takes it along. */
void ptrace_thread_remove(struct attach_ptrace *engine, struct ptrace_thread *thread);
struct ptrace_process *ptrace_process_find(const struct attach_ptrace *engine, pid_t pid);
/** Takes the reference to the space over. */
struct ptrace_process *ptrace_process_add(struct attach_ptrace *engine, pid_t pid, struct ptrace_space *space);

/** The event of a stop as wait(2) reports it: PTRACE_EVENT_STOP and its like; 0: a signal. */
static inline int ptrace_status_event(int status)
{
	return status >> 16;
}
#define PTRACE_SYSCALL_STOP (SIGTRAP | 0x80) // the signal of a stop at a system call: PTRACE_O_TRACESYSGOOD

/** Keeps what wait(2) said of a stopped or ended thread; attach_ptrace_poll handles it. */
void ptrace_thread_save(struct attach_ptrace *engine, struct ptrace_thread *thread, int status);
/** Gives what was kept, once. */
int ptrace_thread_take(struct attach_ptrace *engine, struct ptrace_thread *thread);
/** Lets a stopped thread go on, with a signal or 0. */
void ptrace_thread_resume(struct ptrace_thread *thread, int signal);
/** The same after PTRACE_EVENT_STOP: a thread that job control has stopped stays so. */
void ptrace_thread_resume_event(struct ptrace_thread *thread, int status);
/** waitpid(2), however often it is interrupted. */
int ptrace_wait(pid_t tid, int *status);

/** Is `other` to be waited for, on behalf of `thread`? */
typedef bool ptrace_wanted(const struct ptrace_thread *thread, const struct ptrace_thread *other);
/** Saves the statuses of those that are wanted and have stopped or ended. How many are left; *progress_ret is set when
 *  that is fewer than before. */
unsigned ptrace_collect_stops(struct attach_ptrace *engine, const struct ptrace_thread *thread, ptrace_wanted *wants,
			      bool ask_if_alive, bool *progress_ret);
/** Waits until all that are wanted have stopped or ended, in whatever order: one may only end when another has been
 *  waited for. */
void ptrace_wait_for_stops(struct attach_ptrace *engine, const struct ptrace_thread *thread, ptrace_wanted *wants);
/** Stops all others that run in the same address space; what else they had to say is kept for later. */
void ptrace_stop_others(struct attach_ptrace *engine, const struct ptrace_thread *thread);
void ptrace_resume_others(struct attach_ptrace *engine, const struct ptrace_thread *thread);

// ---- ptrace_stop.c: what a stop means

/** Handles what wait(2) said of a thread, and lets it go on. */
void ptrace_stop_handle(struct attach_ptrace *engine, struct ptrace_thread *thread, int status);
/** `parent` has made a thread or process, by `event`. */
void ptrace_stop_new_task(struct attach_ptrace *engine, struct ptrace_thread *parent, int event);
/** The thread has called execve(2): of its process's threads it alone is left, and it has the process's number. */
void ptrace_stop_exec(struct attach_ptrace *engine, struct ptrace_thread *thread);
void ptrace_stop_end(struct attach_ptrace *engine, struct ptrace_thread *thread, int status);

// ---- ptrace_event.c

enum ptrace_event_kind {
	PTRACE_ON_NOTHING,
	PTRACE_ON_SYSCALL,
	PTRACE_ON_SYSCALL_RETURN,
	PTRACE_ON_EXEC,
	PTRACE_ON_END,
	PTRACE_EVENT_COUNT
};

/** Which events the sites are for, and what ptrace(2) is to tell for them. */
void ptrace_event_init(struct attach_ptrace *engine);
/** Runs the handlers of an event that has no values. */
void ptrace_event_run(struct attach_ptrace *engine, struct ptrace_thread *thread, enum ptrace_event_kind kind);
/** The first stop of a task that another one has made: that system call returns in it. */
void ptrace_event_new(struct attach_ptrace *engine, struct ptrace_thread *thread);
/** A stop at the begin or the end of a system call. */
void ptrace_event_syscall(struct attach_ptrace *engine, struct ptrace_thread *thread);

// ---- ptrace_sites.c

/** Which files the sites are in. */
void ptrace_sites_init(struct attach_ptrace *engine);
void ptrace_sites_deinit(struct attach_ptrace *engine);
/** Looks at what is mapped: puts breakpoints in what is new, and drops those of what is gone. `tid`: a stopped thread.
 *  False: an object with sites is not mapped (yet). */
bool ptrace_sites_insert(struct attach_ptrace *engine, struct ptrace_process *process, pid_t tid);
/** The same for a program that starts or that is met running; has the dynamic linker tell when it maps libraries. */
void ptrace_sites_begin(struct attach_ptrace *engine, struct ptrace_process *process, pid_t tid);

// ---- ptrace_hit.c

/** What handlers learn of the current task. */
void ptrace_hit_describe(struct ptrace_thread *thread, struct vm_task *ret);

/** A thread stopped by SIGTRAP: runs handlers when it is at a breakpoint of ours, and lets it go on. */
void ptrace_hit_trap(struct attach_ptrace *engine, struct ptrace_thread *thread);
/** The same without handlers, when everything is about to be let go: is the trap ours, so that its signal is not the
 *  program's? Sets the program counter back to the breakpoint. */
bool ptrace_hit_undo(struct ptrace_thread *thread);
/** Puts the breakpoint back that was lifted for a system call. */
void ptrace_hit_end_step(struct ptrace_thread *thread);
/** Forgets calls that have not come back. */
void ptrace_hit_forget_frames(struct ptrace_thread *thread);

#endif
