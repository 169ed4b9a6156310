// SPDX-License-Identifier: GPL-2.0-or-later
/** kprobe.multi (Linux 5.18), uprobe.multi (6.6): all entries, or all returns, that one program probes in the kernel or in
 *  one file, in one link. To attach and to detach
 *  a link the kernel waits for all CPUs, so a link a site takes many seconds where there are hundreds of sites. */
#ifndef SP_RUNTIME_ATTACH_MULTI_H
#define SP_RUNTIME_ATTACH_MULTI_H

#include "runtime/attach/attach.h"

/** Attaches what can be attached together of the hooks of which the last runs first, or of the others, and marks it in
 *  attach->hooks. What is left, also because this kernel has no such links or refuses the function, is for a link of its own:
 *  that one tells why it cannot be. */
void attach_multi(struct attach *attach, unsigned prog, bool last_runs_first);

#endif
