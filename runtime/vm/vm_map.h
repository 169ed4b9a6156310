// SPDX-License-Identifier: GPL-2.0-or-later
/** Calls (abi/uservm.h) that work on arrays and aggregates: arguments in r[1..5], the result in r[0]. False: vm->fault
 *  says why. */
#ifndef SP_RUNTIME_VM_MAP_H
#define SP_RUNTIME_VM_MAP_H

#include "runtime/vm/vm_state.h"

bool vm_map_get(struct vm *vm, uint64_t *r);
bool vm_map_set(struct vm *vm, uint64_t *r);
bool vm_map_add(struct vm *vm, uint64_t *r);
bool vm_map_has(struct vm *vm, uint64_t *r);
bool vm_map_delete(struct vm *vm, uint64_t *r);
bool vm_map_clear(struct vm *vm, uint64_t *r);

bool vm_map_iter_open(struct vm *vm, uint64_t *r);
bool vm_map_iter_next(struct vm *vm, uint64_t *r);
bool vm_map_iter_close(struct vm *vm, uint64_t *r);

bool vm_map_stat_add(struct vm *vm, uint64_t *r);
bool vm_map_stat_get(struct vm *vm, uint64_t *r);
bool vm_map_stat_bucket(struct vm *vm, uint64_t *r);
bool vm_map_stat_print(struct vm *vm, uint64_t *r);
bool vm_map_stat_text(struct vm *vm, uint64_t *r);

#endif
