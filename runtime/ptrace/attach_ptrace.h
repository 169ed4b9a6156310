// SPDX-License-Identifier: GPL-2.0-or-later
/** The user engine: process() probes of the target and its children through ptrace(2), without privileges. Handlers are
 *  called while the thread that hit a probe stands still.
 *
 *  All calls come from the thread that made the engine: the kernel ties a tracee to the thread that traces it. That
 *  thread learns of stops by SIGCHLD, which it must have blocked.
 *
 *  Limits: a return is a thread coming to where a call was to come back to, with the stack as it was before; a longjmp
 *  to exactly there looks the same. When this process is killed by SIGKILL, the command of -c dies with it; from a
 *  process that was there before (-x) the guard takes the breakpoints out (ptrace_guard.h says what can go wrong), which
 *  is why such sessions are run by a child of the process that one sees (supervise.h). */
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
/** Handles what has stopped since; does not wait. True: there is more to handle, but it was long enough. */
bool attach_ptrace_poll(struct attach_ptrace *engine);
/** Has the first process ended, and how (as of wait(2))? */
bool attach_ptrace_ended(const struct attach_ptrace *engine, int *status_ret);
/** Sites that no process had code for, so that their probes could not fire. */
unsigned attach_ptrace_unseen(const struct attach_ptrace *engine);

#endif
