// SPDX-License-Identifier: GPL-2.0-or-later
/** Hooks on programs, in the kernel: uprobes and uretprobes. The user engine is attach_ptrace.h. */
#ifndef SP_RUNTIME_ATTACH_USER_H
#define SP_RUNTIME_ATTACH_USER_H

#include "runtime/attach/attach.h"

/** SP_SITE_UPROBE, SP_SITE_URETPROBE. With attach->pid the probe fires in that process alone, not in its children: the
 *  kernel's filter is by address space. `cookie`: the site's index among its program's. */
struct sp_err *attach_user_uprobe(struct attach *attach, const struct sp_site *site, int program,
				  uint64_t cookie, int *fd_ret);

#endif
