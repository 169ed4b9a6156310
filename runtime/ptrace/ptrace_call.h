// SPDX-License-Identifier: GPL-2.0-or-later
/** System calls in a program that is traced. */
#ifndef SP_RUNTIME_PTRACE_CALL_H
#define SP_RUNTIME_PTRACE_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Has a thread that is stopped at a breakpoint make a system call. It is as before then. False: it has none, or is
 *  being killed. */
bool ptrace_call(pid_t tid, long number, const uint64_t args[6], uint64_t *ret);

#endif
