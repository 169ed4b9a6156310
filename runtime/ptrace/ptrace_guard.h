// SPDX-License-Identifier: GPL-2.0-or-later
/** The guard takes the breakpoints out of a process when its tracer is killed by SIGKILL (the user kills another
 *  process as a rule: supervise.h), and lowers the numbers of marks again. It is a process of its own, under a name that
 *  nobody kills with spile, that waits for the tracer's death, and knows from a shared table where breakpoints are and
 *  what was under them.
 *
 *  Until the guard has written, a thread may come to a breakpoint: the handler of ptrace_area.c lets it go on. */
#ifndef SP_RUNTIME_PTRACE_GUARD_H
#define SP_RUNTIME_PTRACE_GUARD_H

#include "runtime/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PTRACE_GUARD_MAX 16384 // breakpoints, in all processes
#define PTRACE_GUARD_COUNTER 0x100 // in the place of an original byte: it is the number of a mark

struct ptrace_guard;

/** To be called, as the other calls, by the process that traces. */
struct sp_err *ptrace_guard_create(struct ptrace_guard **ret);
/** NULL is fine. Ends the guard and waits for it. */
void ptrace_guard_destroy(struct ptrace_guard *guard);

/** To be called before a breakpoint is written. Returns its index in the table; -1: the table is full, or `guard` is NULL. */
int ptrace_guard_enter(struct ptrace_guard *guard, pid_t pid, uint64_t address, uint16_t original);
/** The byte under the breakpoint has changed. -1 is fine. */
void ptrace_guard_change(struct ptrace_guard *guard, int entry, uint8_t original);
/** To be called when the breakpoint has been taken out, or its memory is gone. -1 is fine. */
void ptrace_guard_leave(struct ptrace_guard *guard, int entry);

#endif
