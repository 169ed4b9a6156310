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
 *  seccomp(2), where that may end it, or is being killed; *ret is -EAGAIN when it is frozen (cgroups(7)), and may make it later. Under version 1
 *  of cgroups it is not stopped any more then: it goes on as when we are killed, and the space knows its code. */
bool ptrace_call(struct ptrace_space *space, pid_t tid, long number, const uint64_t args[6], uint64_t *ret);

/** Is the system call behind which `pc` is one that was left to its thread? The program makes none there. */
static inline bool ptrace_call_is_ours(const struct ptrace_space *space, uint64_t pc)
{
	return space->left_code && pc - space->left_code < 4096; // the rest of that page
}

/** Which system call a stopped thread is in; below 0: none. */
int64_t ptrace_call_number(pid_t tid);

/** Behind which instruction is the system call that a thread, stopped as by PTRACE_INTERRUPT, goes on with, and its number; 0: it is in none. */
uint64_t ptrace_call_interrupted(pid_t tid, int64_t *number_ret);

/** The system call of a thread that is being made again. */
struct ptrace_again {
	uint64_t pc; // behind its instruction; 0: there is none
	uint64_t since; // ns: when it was made again first
	uint64_t timeout; // as the program gave it, while the register has what is left
	bool is_due, is_short; // it is about to be made; `timeout` is in use
};

/** At a stop between two instructions, to be let go on from with `signal` (0: none): has a system call made again that the stop alone ended
 *  with EINTR, as those do in which a thread meets signals that its program ignores. The time that it waits begins anew, once: while there is
 *  such a call, ptrace_call_bound() is to be called at the thread's system calls. */
void ptrace_call_again(pid_t tid, int signal, struct ptrace_again *again);
/** Has that call, which begins or has ended, wait for what is left of its time. */
void ptrace_call_bound(pid_t tid, bool begins, struct ptrace_again *again);

#endif
