// SPDX-License-Identifier: GPL-2.0-or-later
/** What has to be done to the end when spile is killed, and is done in a process of its own.
 *
 *  The problem. The kernel puts the instruction under a uprobe back in the name of the thread that closes its link, or that makes one and
 *  cannot. When that thread is being killed, it fails to ("failed to unregister, leaking uprobe" in the kernel's log, of Linux 6.12
 *  and later; those before say nothing). The breakpoint then stays in the programs that run: they meet it for nothing, and
 *  --engine=user finds another tracer there. A process that is killed when it does neither closes its links as it ends, without harm.
 *
 *  The idea. Links of uprobes are made and closed by a process in another session that blocks all signals. Who kills
 *  spile meanwhile, such as by a second Ctrl-C, does not kill that; it then ends by itself, and nothing is attached any more.
 *
 *  The limits. A process that cannot be started is done without. What kills all of a group of processes, kills this one, too. */
#ifndef SP_RUNTIME_ATTACH_APART_H
#define SP_RUNTIME_ATTACH_APART_H

#include <stdbool.h>
#include <stddef.h>

/** Returns when all are closed. The kernel waits for all processors each time a link is closed; threads that do so at the same time
 *  share one wait. `wait` (may be NULL) is called each second, and told how many are left. */
void attach_apart_close(const int *fds, size_t n, bool has_uprobes, void (*wait)(void *ctx, size_t n_left), void *ctx);

/** Gives what `make` does, which has this process's memory and files, and its errno; `if_killed` and EINTR when its process is killed. */
int attach_apart_make(int (*make)(void *ctx), void *ctx, int if_killed);

#endif
