// SPDX-License-Identifier: GPL-2.0-or-later
/** A process of -x that ptrace probes dies of a breakpoint that nobody handles. So that its tracer can be killed and still
 *  let it go in order, the tracer is a child of the process that everybody sees: the kernel tells it when its parent has
 *  died, of whatever. Only a SIGKILL of the child itself is left to the guard (ptrace_guard.h). */
#ifndef SP_RUNTIME_SUPERVISE_H
#define SP_RUNTIME_SUPERVISE_H

#include "runtime/base/err.h"

#include <signal.h>
#include <stdbool.h>

/** Forks. The child returns with *is_worker_ret true, has SIGTERM blocked, and gets one when its parent dies. The parent
 *  passes on what it gets of `signals`, which are blocked and hold SIGCHLD, waits for the child, and returns its exit
 *  status, 128 + N when signal N ended it. The caller has no other thread. */
struct sp_err *supervise(const sigset_t *signals, bool *is_worker_ret, int *status_ret);

#endif
