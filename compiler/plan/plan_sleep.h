// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers that wait for memory of the probed program.
 *
 *  The problem. A string that the program has not touched yet, such as a file name in its constants, is on no page of its own: the
 *  helpers that read it fail, although the program itself would read it a moment later.
 *
 *  The idea. Programs of uprobes may sleep (Linux 6.0). A read that failed touches its pages with bpf_copy_from_user, which brings
 *  them in, and is done once more; one that succeeds costs nothing more (gen_read.h).
 *
 *  The limits. Kernels since 6.13 have per-processor stacks for such programs, which sleepers would share: nobody sleeps there. Nobody
 *  waits where others would wait for him: handlers that take a lock (plan_lock.h) and the bodies of walks through arrays, which the
 *  kernel makes under RCU, read what is there. Programs at the kernel's functions and security hooks (fentry.s, lsm.s) could wait at some
 *  of them, but the kernel runs such a program for nobody else on that processor meanwhile: events would be missed. */
#ifndef SP_PLAN_SLEEP_H
#define SP_PLAN_SLEEP_H

#include "compiler/plan/plan.h"

/** Are all of its sites uprobes, at entries or returns? */
bool plan_sleep_at_uprobes(const struct ir_unit *unit, const struct ir_prog *prog);
/** Decides may_sleep of programs and is_walked of functions; the locks are known. */
void plan_sleep(struct plan *plan);

#endif
