// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers of system calls. The kernel has two tracepoints that every call passes, not one for each call, and a program of
 *  400 there would make all calls slow. So the handlers are in arrays of programs, by number, and one small program at each
 *  tracepoint goes on (bpf_tail_call) to the one that is in its array. When several handlers are for one number, there is a
 *  program in their place that calls one after the other, in the order of the script: the other calls have no part of it. */
#ifndef SP_RUNTIME_ATTACH_SYSCALL_H
#define SP_RUNTIME_ATTACH_SYSCALL_H

#include "runtime/attach/attach.h"

/** SP_SITE_SYSCALL. */
struct sp_err *attach_syscall(struct attach *attach, const struct sp_site *site, int program);
/** After all sites: from then on the second handler of a call, and those after it, run, too. */
struct sp_err *attach_syscalls_end(struct attach *attach);
void attach_syscalls_deinit(struct attach *attach);
/** measured.times, which stay when all is detached. */
void attach_times_deinit(struct attach *attach);

#endif
