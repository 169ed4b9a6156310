// SPDX-License-Identifier: GPL-2.0-or-later
/** A tracer that is killed leaves its breakpoints in the process of -x, which then dies of the first one that it meets.
 *  So the tracer is a child of the process that the user sees and may kill: the kernel signals the child when its
 *  parent has died, of whatever cause, and the child lets the traced process go in order. If the child itself is killed
 *  by SIGKILL, the guard (ptrace_guard.h) does what can be done. */
#ifndef SP_RUNTIME_SUPERVISE_H
#define SP_RUNTIME_SUPERVISE_H

#include "runtime/base/err.h"

#include <signal.h>
#include <stdbool.h>

/** Forks. The child returns with *is_worker_ret true, has SIGTERM blocked, and gets one when its parent dies. The
 *  parent passes on what it gets of `signals`, which are blocked and hold SIGCHLD, waits for the child, and returns its
 *  exit status, 128 + N when signal N ended it. `reads_terminal`: the child is to be in the terminal's foreground, as others are stopped
 *  that read it. The caller has no other thread. */
struct sp_err *supervise(const sigset_t *signals, bool reads_terminal, bool *is_worker_ret, int *status_ret);

#endif
