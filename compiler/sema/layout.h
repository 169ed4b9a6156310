// SPDX-License-Identifier: GPL-2.0-or-later
/** What is found in debug information for code that runs later: where the kernel has what handlers read of the current task,
 *  and what has to be as it is here on the machine that loads a script for several kernels. After sema nobody asks debug
 *  information any more. */
#ifndef SP_SEMA_LAYOUT_H
#define SP_SEMA_LAYOUT_H

#include "compiler/sema/sema.h"

/** Finds program->kernel.thread_pointer. False: the kernel's types are not at hand. */
bool layout_find_thread_pointer(const struct sema_opts *opts, struct program *program);
/** Finds what ppid(), euid() and egid() need, if a handler in the kernel calls one. */
void layout_find_numbers(const struct sema_opts *opts, struct program *program);

/** Portable scripts: says of each value of a kernel probe what it depends on (site_value.prototype, .field, .is_bound). */
void layout_find_bindings(const struct sema_opts *opts, struct program *program);

#endif
