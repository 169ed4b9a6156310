// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // sched_getcpu

#include "runtime/vm/vm_lock.h"

#include "runtime/vm/vm_arg.h"

#include <sched.h>

// ---- not to be preempted ----------------------------------------------------------------------------------------------

// Without the privilege there are no handlers in the kernel either.
static void raise_thread(struct vm *vm)
{
	const struct sched_param param = { .sched_priority = 1 };

	vm->is_raised = sched_getparam(0, &vm->ordinary_param) == 0 && (vm->ordinary_policy = sched_getscheduler(0)) >= 0 &&
			sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

static void lower_thread(struct vm *vm)
{
	if (vm->is_raised)
		sched_setscheduler(0, vm->ordinary_policy, &vm->ordinary_param);
	vm->is_raised = false;
}

// ---- the calls --------------------------------------------------------------------------------------------------------

static bool holder_of(struct vm *vm, uint64_t lock, uint64_t **ret)
{
	const struct sp_bundle_head *head = vm->env.bundle->head;
	struct sp_lock *locks = (void *)((char *)vm->env.data + head->locks_offset);

	if (!head->locks_offset || lock >= (head->data_size - head->locks_offset) / sizeof(*locks))
		return vm_arg_fault(vm, "what is not a lock");
	*ret = &locks[lock].holder;
	return true;
}

static bool try(uint64_t *holder)
{
	uint64_t free = 0, me = SP_LOCK_USER | (uint64_t)(sched_getcpu() + 1);

	return __atomic_compare_exchange_n(holder, &free, me, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// One that this handler holds already was left by a failure that was caught.
bool vm_lock_take(struct vm *vm, uint64_t *r)
{
	uint64_t *holder = NULL, tries = r[2];

	if (!holder_of(vm, r[1], &holder))
		return false;
	r[0] = vm->lock == holder || !vm->env.is_shared;
	if (r[0])
		return true;
	while (tries--) {
		raise_thread(vm);
		r[0] = try(holder);
		if (r[0]) {
			vm->lock = holder;
			return true;
		}
		lower_thread(vm);
		sched_yield();
	}
	return true;
}

void vm_lock_reset(struct vm *vm)
{
	if (!vm->lock)
		return;
	__atomic_store_n(vm->lock, 0, __ATOMIC_SEQ_CST);
	vm->lock = NULL;
	lower_thread(vm);
}

bool vm_lock_release(struct vm *vm, uint64_t *r)
{
	vm_lock_reset(vm);
	r[0] = 0;
	return true;
}
