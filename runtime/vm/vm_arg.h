// SPDX-License-Identifier: GPL-2.0-or-later
/** Arguments of calls: numbers in registers, of which nothing is known before they are looked at here. */
#ifndef SP_RUNTIME_VM_ARG_H
#define SP_RUNTIME_VM_ARG_H

#include "runtime/vm/vm_state.h"

/** A call got `what`: the handler is wrong, and ends. Gives false. */
bool vm_arg_fault(struct vm *vm, const char *what);
/** Sets the pointer that `ret` points to; false: there is no such memory, and vm->fault says so. */
bool vm_arg_memory(struct vm *vm, uint64_t addr, uint64_t size, bool write, void *ret);
/** A NUL-terminated string. */
bool vm_arg_string(struct vm *vm, uint64_t addr, const char **ret, size_t *len_ret);
/** Bytes from `addr` to the end of its area; 0 when it is in none. */
size_t vm_arg_room(const struct vm *vm, uint64_t addr);
/** Puts `len` bytes of text there, cut to the capacity with its NUL, and clears the rest, so that strings in keys
 *  compare as bytes. Returns the length. `src` may overlap `dst`. */
uint64_t vm_arg_put_text(char *dst, size_t capacity, const char *src, size_t len);

#endif
