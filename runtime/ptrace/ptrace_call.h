// SPDX-License-Identifier: GPL-2.0-or-later
/** System calls in a program that is traced. */
#ifndef SP_RUNTIME_PTRACE_CALL_H
#define SP_RUNTIME_PTRACE_CALL_H

#include "runtime/ptrace/ptrace_space.h"

/** Has a thread of the space that is stopped at a breakpoint make a system call. It is as before then, without the signal
 *  of that stop: its program counter is to be where it goes on when we are killed. False: it has made none, as under
 *  seccomp(2), where that may end it, or is being killed; *ret is -EAGAIN when it is frozen (cgroups(7)), and may make it later. */
bool ptrace_call(const struct ptrace_space *space, pid_t tid, long number, const uint64_t args[6], uint64_t *ret);

#endif
