// SPDX-License-Identifier: GPL-2.0-or-later
/** The stack of a stopped thread. */
#ifndef SP_RUNTIME_STACK_H
#define SP_RUNTIME_STACK_H

#include "runtime/unwind/unwind_walk.h"
#include "runtime/vm/vm.h"

/** The program counter, then the return addresses, at most `max`: by unwind tables where the files have them, else by frame
 *  pointers. `regs` is a struct pt_regs. Returns how many; 0 on a processor that is not known. */
size_t stack_walk(struct unwind_walker *walker, const struct vm_task *task, const void *regs, size_t regs_size, uint64_t *ret, size_t max);

#endif
