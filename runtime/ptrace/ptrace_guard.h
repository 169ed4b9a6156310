// SPDX-License-Identifier: GPL-2.0-or-later
/** The guard takes the breakpoints out of a process when its tracer is killed by SIGKILL (the user kills another
 *  process as a rule: supervise.h). It is a process of its own that waits for the tracer's death, and knows from a
 *  shared table where breakpoints are and what was under them.
 *
 *  It is woken early in the tracer's death, by a robust lock: before the kernel lets the traced processes go. A window
 *  stays, from the kill to the guard's write (up to milliseconds on a busy machine): a thread that comes to a
 *  breakpoint in it has a SIGTRAP that nobody but its tracer can take back, and its process dies. A single step is such
 *  a window, too. A program that hits probes thousands of times a second died in 18 of 25 trials; one with ten hits a
 *  second lives. */
#ifndef SP_RUNTIME_PTRACE_GUARD_H
#define SP_RUNTIME_PTRACE_GUARD_H

#include "runtime/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PTRACE_GUARD_MAX 16384 // breakpoints, in all processes

struct ptrace_guard;

/** To be called, as all of these, by the thread that traces. */
struct sp_err *ptrace_guard_create(struct ptrace_guard **ret);
/** NULL is fine. Ends the guard and waits for it. */
void ptrace_guard_destroy(struct ptrace_guard *guard);

/** To be called before a breakpoint is written. Returns its index in the table; -1: the table is full. */
int ptrace_guard_enter(struct ptrace_guard *guard, pid_t pid, uint64_t address, uint8_t original);
/** The byte under the breakpoint has changed. */
void ptrace_guard_change(struct ptrace_guard *guard, int entry, uint8_t original);
/** To be called when the breakpoint has been taken out, or its memory is gone. -1 is fine. */
void ptrace_guard_leave(struct ptrace_guard *guard, int entry);

bool ptrace_guard_is_full(const struct ptrace_guard *guard);

/** A thread stands at a breakpoint by SIGTRAP, and the program counter has been set back: without the tracer it is to
 *  go on, not to die. False: it cannot be. The guard undoes it, as does release, which must come before the thread
 *  runs. */
bool ptrace_guard_hold(pid_t tid, uint64_t *mask_ret);
void ptrace_guard_release(pid_t tid, uint64_t mask);

#endif
