// SPDX-License-Identifier: GPL-2.0-or-later
/** Parts of one work, each in a thread of its own. */
#ifndef SP_BASE_PARALLEL_H
#define SP_BASE_PARALLEL_H

#include "runtime/base/util.h"

#define SP_PARALLEL_MAX 4

/** Threads that are worth having: the processors that we may use, 1 to SP_PARALLEL_MAX. */
unsigned sp_parallel_threads(void);
/** Calls fn(ctx, 0) to fn(ctx, n - 1) at the same time, the first in this thread, and returns when all have returned.
 *  A thread that cannot be had is done without: its part runs here. n: at most SP_PARALLEL_MAX. */
void sp_parallel(unsigned n, void (*fn)(void *ctx, unsigned part), void *ctx);

#endif
