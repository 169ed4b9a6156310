// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers of system calls. The kernel has two tracepoints that every call passes, not one for each call, and a program of
 *  400 there would make all calls slow. So the handlers are in arrays of programs, by number, and one small program at each
 *  tracepoint goes on (bpf_tail_call) to the one that is in its array. When several handlers are for one number, each is in
 *  an array of its own, with such a program: these run in the order of the script. */
#ifndef SP_RUNTIME_ATTACH_SYSCALL_H
#define SP_RUNTIME_ATTACH_SYSCALL_H

#include "runtime/attach/attach.h"

/** SP_SITE_SYSCALL. */
struct sp_err *attach_syscall(struct attach *attach, const struct sp_site *site, int program);

#endif
