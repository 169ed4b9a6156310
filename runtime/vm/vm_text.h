// SPDX-License-Identifier: GPL-2.0-or-later
/** Calls (abi/uservm.h) that send records and make texts: arguments in r[1..5], the result in r[0]. False: vm->fault
 *  says why. */
#ifndef SP_RUNTIME_VM_TEXT_H
#define SP_RUNTIME_VM_TEXT_H

#include "runtime/vm/vm_state.h"

bool vm_text_emit(struct vm *vm, uint64_t *r);
bool vm_text_format(struct vm *vm, uint64_t *r);
bool vm_text_symbols(struct vm *vm, uint64_t *r);
bool vm_text_snprintf(struct vm *vm, uint64_t *r, const char *(*string)(void *vm, uint64_t addr));
bool vm_text_scratch(struct vm *vm, uint64_t *r);
bool vm_text_site(struct vm *vm, uint64_t *r);
/** SP_VM_STRLEN and its like. */
bool vm_text_string(struct vm *vm, int32_t id, uint64_t *r);

#endif
