// SPDX-License-Identifier: GPL-2.0-or-later
/** Kretprobes that are for a certain number of calls at a time (.maxactive(N)). perf_event_open(2) has no place for that number, and
 *  neither have links of many functions: only tracefs takes it, with the definition of an event ("r20:spile_4711/active_1 vfs_read"),
 *  to which the handler is attached. Such an event stays when its process is killed, without a handler and disabled; the next
 *  process that makes one takes those away whose process is gone. */
#ifndef SP_RUNTIME_ATTACH_ACTIVE_H
#define SP_RUNTIME_ATTACH_ACTIVE_H

#include "runtime/attach/attach.h"

/** Attaches a site that has a max_active. */
struct sp_err *attach_active(struct attach *attach, const struct sp_site *site, int program, uint64_t cookie, int *fd_ret);
/** Removes the events of these sites, whose links are closed. */
void attach_active_remove(struct attach *attach, const struct attach_part *part);

#endif
