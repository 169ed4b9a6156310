// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of the user engine: process() probes of the target and its children through ptrace(2), without privileges.
 *
 *  The problem. The probed program must behave as without probes: its threads, signals, forks and execs, its reads of
 *  its own code, and its end, also when the tracer dies first.
 *
 *  The idea. A probe is a breakpoint in the program's memory, which stays there. The instruction under it is run
 *  elsewhere: in the breakpoint's slot (ptrace_insn.c), a few bytes in the program's own memory (ptrace_area.c) that end
 *  with a jump back, so that a thread goes on by itself and nobody steps it, stops others or takes a breakpoint away.
 *  ptrace_sites.c finds where a site is mapped, ptrace_space.c keeps the breakpoints of each address space,
 *  ptrace_frames.c the calls that have not come back, ptrace_thread.c serves stopped threads in turn, ptrace_stop.c decides
 *  what a stop means, ptrace_hit.c runs the handlers of a breakpoint, ptrace_event.c makes the records of process events.
 *
 *  The invariant. Handlers run while the thread that hit the probe is stopped; no other thread waits for them. The program
 *  never sees an address of a slot: a signal finds a thread before or behind the instruction. No system call is
 *  interrupted that would not be without us. Every breakpoint is known to the guard before it is written.
 *
 *  All calls come from the thread that made the engine: the kernel ties a tracee to the thread that traces it. That
 *  thread learns of stops by SIGCHLD, which it must have blocked.
 *
 *  The limits. A return is seen when a thread arrives where a call was to return to, with the stack as it was before; a
 *  longjmp to exactly there looks the same. A thread that has SIGTRAP blocked gets it unblocked at a breakpoint. When this
 *  process is killed by SIGKILL, the command of -c dies with it. The process of -x goes on: a stop that was not handled
 *  becomes a SIGTRAP, for which the program was given a handler (ptrace_area.c) that knows the slots, until the guard has
 *  taken the breakpoints out (ptrace_guard.h). That handler is there from the first hit on, and not where the program has
 *  its own or has the signal blocked; so such sessions run in a child of the process that the user sees (supervise.h). */
#ifndef SP_RUNTIME_ATTACH_PTRACE_H
#define SP_RUNTIME_ATTACH_PTRACE_H

#include "runtime/base/log.h"
#include "runtime/load/bundle.h"
#include "runtime/vm/vm.h"

#include <sys/types.h>

struct attach_ptrace;

/** `regs`: struct pt_regs as the kernel's programs see it, `size` bytes. */
typedef void attach_ptrace_handler(void *ctx, unsigned site, const struct vm_task *task, const void *regs, size_t size);

struct attach_ptrace_input {
	const struct bundle *bundle; // its sites of kind SP_SITE_UPROBE and SP_SITE_URETPROBE are attached
	const struct sp_log *log;
	attach_ptrace_handler *handler;
	void (*maps)(void *ctx, pid_t pid); // a process may have mapped other code; NULL: nobody wants to know
	void (*starts)(void *ctx); // a process has started a program, which is not yet looked at; NULL: nobody wants to know
	void *ctx;
	bool thread_ends; // the thread that traces ends behind the detach, by which the kernel lets go of threads that sleep
};

/** NULL, or why there is no user engine here. */
struct sp_err *attach_ptrace_check(void);

struct attach_ptrace *attach_ptrace_create(const struct attach_ptrace_input *input);
/** NULL is fine. Detaches before. */
void attach_ptrace_destroy(struct attach_ptrace *engine);
/** Takes the breakpoints out and lets everything go on, of the process of -x what sleeps at the end of this thread. */
void attach_ptrace_detach(struct attach_ptrace *engine);

/** A child that has not yet had its exec: probed from there on. It dies with this process. */
struct sp_err *attach_ptrace_child(struct attach_ptrace *engine, pid_t pid);
/** A running process with all its threads: probed when this returns. None is stopped. */
struct sp_err *attach_ptrace_process(struct attach_ptrace *engine, pid_t pid);
/** The path of an object of the bundle names another file of the same build now: its probes are in that, too. */
void attach_ptrace_replaced(struct attach_ptrace *engine, unsigned object);
/** The files of an object are not those any more that they were: programs that start in them are not probed. */
void attach_ptrace_forget(struct attach_ptrace *engine, unsigned object);
/** Handles threads that have stopped, without waiting. True: there are more, but others have to be served in
 *  between. */
bool attach_ptrace_poll(struct attach_ptrace *engine);
/** Has the first process ended? *status_ret is as wait(2) has it. */
bool attach_ptrace_ended(const struct attach_ptrace *engine, int *status_ret);
/** Could something not be probed that others are? It was told. */
bool attach_ptrace_has_failed(const struct attach_ptrace *engine);
/** Sites that no process had code for, so that their probes could not fire. */
unsigned attach_ptrace_unseen(const struct attach_ptrace *engine);

#endif
