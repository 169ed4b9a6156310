// SPDX-License-Identifier: GPL-2.0-or-later
/** Watchpoints in processes: the processor's debug registers, which are set thread by thread. */
#ifndef SP_RUNTIME_ATTACH_WATCH_H
#define SP_RUNTIME_ATTACH_WATCH_H

#include "runtime/attach/attach.h"

/** SP_SITE_WATCH in a program: in the target; without one, in all processes that have the program now. Threads and processes that
 *  these make have it, too. While the target has not started, that is left for attach_watch_start(). */
struct sp_err *attach_watch(struct attach *attach, unsigned index, int program, uint64_t cookie);
/** Are there sites that wait for the target's start? */
bool attach_watch_waits(const struct attach *attach);
/** The target has its program now, and stands still. */
struct sp_err *attach_watch_start(struct attach *attach);

#endif
