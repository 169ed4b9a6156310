// SPDX-License-Identifier: GPL-2.0-or-later
/** System calls in a program that is traced. */
#ifndef SP_RUNTIME_PTRACE_CALL_H
#define SP_RUNTIME_PTRACE_CALL_H

#include "runtime/ptrace/ptrace_space.h"

/** Stops a thread of a 64-bit program if it sleeps in a system call that the kernel goes on with as if nothing had been. It can make calls
 *  then; before it is let go on, PTRACE_INTERRUPT has the kernel look for the call that is to go on. False: it does not. */
bool ptrace_call_stop(pid_t tid);

/** Has a thread of the space that is stopped at a breakpoint, or by ptrace_call_stop(), make a system call. It is as before then, without the signal
 *  of that stop: its program counter is to be where it goes on when we are killed. False: it has made none, as under
 *  seccomp(2), where that may end it, or is being killed; *ret is -EAGAIN when it is frozen (cgroups(7)), and may make it later. */
bool ptrace_call(const struct ptrace_space *space, pid_t tid, long number, const uint64_t args[6], uint64_t *ret);

/** At a stop between two instructions, to be let go on from with `signal` (0: none): has a system call made again that the stop alone ended
 *  with EINTR, as those do in which a thread meets signals that its program ignores. The time that it waits begins anew. */
void ptrace_call_again(pid_t tid, int signal);

#endif
