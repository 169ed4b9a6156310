// SPDX-License-Identifier: GPL-2.0-or-later
/** Hooks on programs, in the kernel: uprobes and uretprobes. The user engine is attach_ptrace.h. */
#ifndef SP_RUNTIME_ATTACH_USER_H
#define SP_RUNTIME_ATTACH_USER_H

#include "runtime/attach/attach.h"

/** SP_SITE_UPROBE, SP_SITE_URETPROBE. With attach->pid the probe fires in that process alone, not in its children: the
 *  kernel's filter is by address space. `cookie`: the site's index among its program's. */
struct sp_err *attach_user_uprobe(struct attach *attach, const struct sp_site *site, int program,
				  uint64_t cookie, int *fd_ret);
/** Marks the sites as refused at which this kernel would damage the program, and as suspect those that it is likely to refuse. */
void attach_user_protect(struct attach *attach);
/** Why the kernel, or attach_user_protect(), has refused the site. */
struct sp_err *attach_user_explain(const struct bundle *bundle, const struct sp_site *site, int error);
/** Is that errno value about the place itself? */
bool attach_user_is_refusal(int error);
/** Probes are set in the file that is open, which is of the build that the bundle was made for. */
struct sp_err *attach_user_open(struct attach *attach, uint32_t object);
/** From now on the kernel refuses at once what it cannot probe in an open file, whether a program runs it or not. */
void attach_user_map(struct attach_file *file);
void attach_user_close(struct attach_file *file);

#endif
