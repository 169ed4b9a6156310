// SPDX-License-Identifier: GPL-2.0-or-later
/** Hooks on the kernel: kprobes, trampolines, tracepoints, perf events. */
#ifndef SP_RUNTIME_ATTACH_KERNEL_H
#define SP_RUNTIME_ATTACH_KERNEL_H

#include "runtime/attach/attach.h"

/** Where a site of the kernel or of a loaded module is in memory. False: that is not known. */
bool attach_kernel_address(struct attach *attach, const struct sp_site *site, uint64_t *ret);
/** SP_SITE_KPROBE, SP_SITE_KRETPROBE. `cookie`: the site's index among its program's. */
struct sp_err *attach_kernel_kprobe(struct attach *attach, const struct sp_site *site, int program,
				    uint64_t cookie, int *fd_ret);
/** Why the kernel has not set a kprobe, by its errno value; without a symbol `offset` is the address. */
struct sp_err *attach_kernel_explain_kprobe(const char *symbol, uint64_t offset, int error);
/** SP_SITE_FENTRY, SP_SITE_FEXIT. */
struct sp_err *attach_kernel_trampoline(struct attach *attach, const struct sp_site *site, int program,
					int *fd_ret);
struct sp_err *attach_kernel_raw_tp(struct attach *attach, const struct sp_site *site, int program,
				    int *fd_ret);
struct sp_err *attach_kernel_tp(struct attach *attach, const struct sp_site *site, int program,
				uint64_t cookie, int *fd_ret);

/** SP_SITE_PERF, and SP_SITE_WATCH of kernel memory: an event on each processor; the links are pushed to `attach`. `cpu` not -1: on one
 *  that has come online, where an event that it had before it went off does not go on. */
struct sp_err *attach_kernel_event(struct attach *attach, unsigned site, int program, uint64_t cookie, int cpu);
/** SP_SITE_NETFILTER. */
struct sp_err *attach_kernel_netfilter(struct attach *attach, const struct sp_site *site, int program, int *fd_ret);
/** SP_SITE_LSM. */
struct sp_err *attach_kernel_lsm(struct attach *attach, const struct sp_site *site, int program, int *fd_ret);
/** SP_SITE_ITER. Its handler runs when the link's iterators are read. */
struct sp_err *attach_kernel_iter(struct attach *attach, const struct sp_site *site, int program, int *fd_ret);

#endif
