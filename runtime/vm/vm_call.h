// SPDX-License-Identifier: GPL-2.0-or-later
/** What user-side code calls: helpers of the kernel, and those of abi/uservm.h. */
#ifndef SP_RUNTIME_VM_CALL_H
#define SP_RUNTIME_VM_CALL_H

#include "runtime/vm/vm_state.h"

/** Runs call `id` with arguments r[1..5]; the result goes to r[0]. False: vm->fault says why. */
bool vm_call(struct vm *vm, int32_t id, uint64_t *r);

/** Ends what the handler left open. */
void vm_call_reset(struct vm *vm);

#endif
