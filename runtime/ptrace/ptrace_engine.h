// SPDX-License-Identifier: GPL-2.0-or-later
/** The inside of the user engine, shared by its files. Not for others. */
#ifndef SP_RUNTIME_PTRACE_ENGINE_H
#define SP_RUNTIME_PTRACE_ENGINE_H

#include "runtime/ptrace/attach_ptrace.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/machine/image.h"
#include "runtime/ptrace/ptrace_call.h"
#include "runtime/ptrace/ptrace_space.h"

#include <signal.h>
#include <time.h>

/** A signal came when the handlers of a breakpoint had run, and its instruction had not: when the program's own handler
 *  returns there, the instruction alone is left to be done. */
struct ptrace_left {
	uint64_t address, sp;
};

struct ptrace_process {
	pid_t pid;
	SP_VEC(struct ptrace_left) put_off; // instructions that come when a call returns which a signal's handler, or we, have put in front of them
	struct ptrace_space *space;
	uint32_t program; // what it runs: index into the bundle's objects; SP_NONE: none of those
	unsigned n_threads;
	unsigned n_exits; // those of them that are about to end
	bool unrepaired; // forked; its breakpoints are to be made those of the list before it runs
	uid_t uid, gid, euid, egid; // as /proc said when the owner of its folder was `euid` and `egid`
	bool ids_known;
	bool has_linker; // it is not static
	uint64_t linker_entry; // of a linker that was started as a program and has not mapped the one that it is for; 0: none
	bool starts; // its linker maps libraries, and calls functions of theirs before it tells; until the program's entry is reached
	struct ptrace_trap {
		struct ptrace_action action; // the program's own for SIGTRAP
		bool is_unknown; // it has one, which has not been asked for
		bool has_handler; // ours was set when it had none
		uint64_t checked_at; // ns
	} trap;
};

struct ptrace_thread {
	pid_t tid;
	struct ptrace_process *process; // NULL: its creator's event has not been seen
	bool running; // false: stopped, and to be resumed by us
	bool listening; // stopped by job control
	bool in_vfork; // waits in the kernel for the child's exec or end; cannot be stopped
	bool is_new; // has not stopped since it was made
	bool interrupted; // asked to stop, at the end
	bool traces_syscalls;
	struct ptrace_again again;
	int64_t syscall; // that it is in; -1: not known
	bool is_met; // it ran when we came, and has begun no system call since
	uint64_t met_in; // behind the instruction of the call that it was in then; 0: none
	bool maps_code; // that call is mmap(2) of code
	bool exits;
	SP_VEC(struct ptrace_left) left;
};

/** Where in a file rt_sigaction is called. */
struct ptrace_libc {
	dev_t dev;
	ino_t inode;
	SP_VEC(uint64_t) offsets;
};

struct attach_ptrace {
	struct attach_ptrace_input input;
	struct sp_hash threads, processes; // by id
	struct ptrace_guard *guard; // NULL: what is traced dies with us
	bool in_turn; // threads are being asked in turn whether they have stopped
	size_t turn; // the next of them: index of the hash table's entries
	uint64_t asked_at; // ns: when all had been asked
	unsigned n_taken; // breakpoints that others have taken out
	bool had_uprobes; // others have come with uprobes
	bool had_late; // memory has not come in time
	bool had_unseen; // a program has mapped code by itself
	uint64_t n_lost_returns; // calls for whose return no breakpoint could be set
	pid_t root;
	bool root_ended;
	int root_status;
	long options; // of PTRACE_SEIZE
	bool has_failed; // some process is not probed, for want of descriptors
	bool ending; // nothing is probed any more
	bool told_privileges; // that some program runs without those of its file
	struct ptrace_object { // for each of the bundle's objects
		SP_VEC(struct ptrace_file {
			int fd; // open, so that no other file gets its number
			dev_t dev;
			ino_t inode;
		}) files; // it, and those that have taken its place
		char *path; // without symbolic links, as it is in maps; NULL: it is not there
	} *objects;
	SP_VEC(struct ptrace_libc) libcs; // files that were looked through
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

/** Lets a stopped thread go on, with a signal or 0. */
void ptrace_thread_resume(struct ptrace_thread *thread, int signal);
/** The same after PTRACE_EVENT_STOP: a thread that job control has stopped stays so. */
void ptrace_thread_resume_event(struct ptrace_thread *thread, int status);
/** Has the thread stopped or ended? A stop is only looked at: its signal would be the thread's own if we were killed now.
 *  An end is taken. */
bool ptrace_thread_look(pid_t tid, int *status_ret);
/** The thread that is to be served next, of all that have stopped or ended, each in its turn; NULL: there is none. */
struct ptrace_thread *ptrace_thread_next(struct attach_ptrace *engine, int *status_ret);

// ---- ptrace_seize.c: PTRACE_SEIZE waits for an execve(2) of the process. That waits until the process's other threads have ended,
// of which those that are traced wait for us.

struct ptrace_seizing {
	timer_t timer;
	bool ticks;
	struct sigaction old; // of the signal that interrupts what waits
};

/** Around calls of ptrace_seize() for threads of a process that runs. Meanwhile other requests of ptrace(2) may fail with EINTR. */
void ptrace_seize_begin(struct ptrace_seizing *seizing);
void ptrace_seize_end(struct ptrace_seizing *seizing);
/** False with errno. */
bool ptrace_seize(struct attach_ptrace *engine, pid_t tid);

// ---- ptrace_stop.c: what a stop means

/** Handles what wait(2) said of a thread, and lets it go on. */
void ptrace_stop_handle(struct attach_ptrace *engine, struct ptrace_thread *thread, int status);
/** `parent` has made a thread or process, by `event`. */
void ptrace_stop_new_task(struct attach_ptrace *engine, struct ptrace_thread *parent, int event);
/** The thread has called execve(2): of its process's threads it alone is left, and it has the process's number. */
void ptrace_stop_exec(struct attach_ptrace *engine, struct ptrace_thread *thread);
/** What other tracers have done there, and what code was not seen, as far as can be seen: before its memory goes, and at the end. */
void ptrace_stop_look(struct attach_ptrace *engine, struct ptrace_process *process);
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

struct ptrace_insertion {
	struct attach_ptrace *engine;
	struct ptrace_process *process;
	bool looks; // for code without a breakpoint, and sets none
};

/** Which files the sites are in. */
void ptrace_sites_init(struct attach_ptrace *engine);
void ptrace_sites_deinit(struct attach_ptrace *engine);
/** Is code mapped that has none of the breakpoints that it should? Not if another tracer has one there. */
void ptrace_sites_look(struct attach_ptrace *engine, struct ptrace_process *process);
/** Looks at what is mapped: puts breakpoints in what is new, and drops those of what is gone. */
void ptrace_sites_insert(struct attach_ptrace *engine, struct ptrace_process *process);
/** The same for a program that starts or that is met running; has the dynamic linker tell when it maps libraries. */
void ptrace_sites_begin(struct attach_ptrace *engine, struct ptrace_process *process);

// ---- ptrace_trap.c: SIGTRAP is the program's, too

/** Has the program tell when it sets what signals do: breakpoints in what is mapped. For image_each_mapping(); `ctx` is a struct
 *  ptrace_insertion. */
bool ptrace_trap_insert(void *ctx, const struct image_mapping *mapping);
/** A process is met running. */
void ptrace_trap_learn(struct ptrace_process *process);
/** Such a breakpoint was hit. */
void ptrace_trap_sigaction(struct ptrace_thread *thread, const struct ptrace_cpu *cpu);
/** At a breakpoint: the kernel resets the action when SIGTRAP is ignored or blocked, and is told it again. */
void ptrace_trap_restore(struct ptrace_thread *thread);
void ptrace_trap_deinit(struct attach_ptrace *engine);

// ---- ptrace_hit.c

/** What handlers learn of the current task. */
void ptrace_hit_describe(struct ptrace_thread *thread, struct vm_task *ret);

/** A thread stopped by SIGTRAP: runs handlers when it is at a breakpoint of ours, and lets it go on. */
void ptrace_hit_trap(struct attach_ptrace *engine, struct ptrace_thread *thread);
/** A thread that is stopped by another signal gets it, where it would be without breakpoints. */
void ptrace_hit_signal(struct ptrace_thread *thread, int signal);
/** A system call of a thread has ended: was it the return from a signal's handler to a breakpoint whose handlers have
 *  run, then only its instruction is run. */
void ptrace_hit_sigreturn(struct ptrace_thread *thread);
/** When everything is about to be let go: puts a stopped thread where it would be without breakpoints. Is its trap ours,
 *  so that the signal is not the program's? */
bool ptrace_hit_undo(struct ptrace_thread *thread, int signal);

#endif
