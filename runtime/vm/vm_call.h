// SPDX-License-Identifier: GPL-2.0-or-later
/** What user-side code calls: helpers of the kernel, and those of abi/uservm.h. */
#ifndef SP_RUNTIME_VM_CALL_H
#define SP_RUNTIME_VM_CALL_H

#include "runtime/vm/vm_state.h"

/** Runs call `id` with arguments r[1..5]; the result goes to r[0]. False: vm->fault says why. */
bool vm_call(struct vm *vm, int32_t id, uint64_t *r);

/** What a load finds that is not in the machine's own memory: behind `current` of embedded C the kernel's memory, where what is not there
 *  is 0, as for such loads in the kernel. NULL: no load may go there. */
const void *vm_call_follow(struct vm *vm, uint64_t addr, size_t size);

/** Ends what the handler left open. */
void vm_call_reset(struct vm *vm);

#endif
