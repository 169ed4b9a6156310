// SPDX-License-Identifier: GPL-2.0-or-later
/** Calls (abi/uservm.h) for the locks of globals that handlers in the kernel touch, too (struct sp_lock).
 *
 *  The problem. While a handler here holds a lock, those in the kernel wait for it, with their processor. Were this thread preempted
 *  meanwhile, they would wait in vain, and be skipped, until it runs again.
 *  The idea. It holds a lock only as a real-time thread, which ordinary ones do not preempt. */
#ifndef SP_RUNTIME_VM_LOCK_H
#define SP_RUNTIME_VM_LOCK_H

#include "runtime/vm/vm_state.h"

bool vm_lock_take(struct vm *vm, uint64_t *r);
bool vm_lock_release(struct vm *vm, uint64_t *r);
/** The handler is over, maybe in its middle. */
void vm_lock_reset(struct vm *vm);

#endif
