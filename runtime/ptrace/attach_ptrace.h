// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of the user engine: process() probes of the target and its children through ptrace(2), without privileges.
 *
 *  The problem. The probed program must behave as without probes: its threads, signals, forks and execs, its reads of
 *  its own code, and its end, also when the tracer dies first.
 *
 *  The idea. A probe is a breakpoint in the program's memory. ptrace_sites.c finds where a site is mapped,
 *  ptrace_space.c keeps the breakpoints of each address space, ptrace_thread.c stops threads and lets them go on,
 *  ptrace_stop.c decides what a stop means, ptrace_hit.c runs the handlers of a breakpoint and then the instruction
 *  under it: imitated where ptrace_cpu.c can, else by a single step for which all other threads of the space stand
 *  still. ptrace_event.c makes the records of process events.
 *
 *  The invariant. Handlers run while the thread that hit the probe is stopped. A thread that we have stopped goes on
 *  exactly once, with the signal that it was to get. Every breakpoint is known to the guard before it is written.
 *
 *  All calls come from the thread that made the engine: the kernel ties a tracee to the thread that traces it. That
 *  thread learns of stops by SIGCHLD, which it must have blocked.
 *
 *  The limits. A return is seen when a thread arrives where a call was to return to, with the stack as it was before; a
 *  longjmp to exactly there looks the same. When this process is killed by SIGKILL, the command of -c dies with it; a
 *  process of -x is saved by the guard (ptrace_guard.h says when it is not), which is why such sessions run in a child
 *  of the process that the user sees (supervise.h). */
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
	void *ctx;
};

/** NULL, or why there is no user engine here. */
struct sp_err *attach_ptrace_check(void);

struct attach_ptrace *attach_ptrace_create(const struct attach_ptrace_input *input);
/** NULL is fine. Detaches before. */
void attach_ptrace_destroy(struct attach_ptrace *engine);
/** Takes the breakpoints out and lets everything go on. */
void attach_ptrace_detach(struct attach_ptrace *engine);

/** A child that has not yet had its exec: probed from there on. It dies with this process. */
struct sp_err *attach_ptrace_child(struct attach_ptrace *engine, pid_t pid);
/** A running process with all its threads: probed when this returns. */
struct sp_err *attach_ptrace_process(struct attach_ptrace *engine, pid_t pid);
/** Handles threads that have stopped, without waiting. True: there are more, but others have to be served in
 *  between. */
bool attach_ptrace_poll(struct attach_ptrace *engine);
/** Has the first process ended? *status_ret is as wait(2) has it. */
bool attach_ptrace_ended(const struct attach_ptrace *engine, int *status_ret);
/** Sites that no process had code for, so that their probes could not fire. */
unsigned attach_ptrace_unseen(const struct attach_ptrace *engine);

#endif
