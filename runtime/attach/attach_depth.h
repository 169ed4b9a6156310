// SPDX-License-Identifier: GPL-2.0-or-later
/** Returns that the kernel does not see. It keeps 64 calls of a thread whose returns are probed, in all functions together
 *  (MAX_URETPROBE_DEPTH), and leaves deeper ones out, with a line in its log at most. A small program at the entry of each function with a
 *  return probe counts them, by the number that the kernel itself looks at. */
#ifndef SP_RUNTIME_ATTACH_DEPTH_H
#define SP_RUNTIME_ATTACH_DEPTH_H

#include "runtime/attach/attach.h"

/** Loads the program that counts for a program at returns, for a link of its own or for one of many. False: the kernel does not take it,
 *  which is told once. */
bool attach_depth_load(struct attach *attach, unsigned prog, bool is_multi, int *fd_ret);
/** The returns that have been left out, by program; adds nothing where nobody counts. */
void attach_depth_take(const struct attach *attach, uint64_t *by_prog);
void attach_depth_deinit(struct attach *attach);

#endif
