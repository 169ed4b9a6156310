// SPDX-License-Identifier: GPL-2.0-or-later
/** kprobe.multi (Linux 5.18) and uprobe.multi (6.6): one link for all entries, or all returns, that one program probes
 *  in the kernel or in one file. The kernel waits for all CPUs when it attaches or detaches a link, so with a link for
 *  each of hundreds of sites that would take many seconds. */
#ifndef SP_RUNTIME_ATTACH_MULTI_H
#define SP_RUNTIME_ATTACH_MULTI_H

#include "runtime/attach/attach.h"

/** Attaches together what can be, and marks those sites in attach->hooks. It does so for one sort of hooks: for those
 *  of which the kernel runs the one first that was attached last, or for the others. Sites that are left (this kernel
 *  has no such links, or refuses the function) are for attach_site(), which tells why they cannot be attached. */
void attach_multi(struct attach *attach, unsigned prog, bool last_runs_first);
/** Attaches what many programs probe in the kernel together, if there are so many (load_shares_link()): the link has a program that
 *  goes on (bpf_tail_call) to the one that the upper half of the attach cookie numbers. To be called before attach_multi() and
 *  attach_site(), which attach the others. */
void attach_multi_shared(struct attach *attach, bool last_runs_first);

#endif
