// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/vm_arg.h"

bool vm_arg_fault(struct vm *vm, const char *what)
{
	const struct bundle *b = vm->env.bundle;
	const char *handler = bundle_text(b, b->progs[vm->prog].name);

	vm->fault = sp_err_new(SP_ERR_BUG, "handler %s: a call got %s", handler, what);
	return false;
}

bool vm_arg_memory(struct vm *vm, uint64_t addr, uint64_t size, bool write, void *ret)
{
	void *at = vm_memory(vm, addr, size, write);

	if (!at)
		return vm_arg_fault(vm, write ? "an address that cannot be written"
				       : "an address that cannot be read");
	memcpy(ret, &at, sizeof(at));
	return true;
}

size_t vm_arg_room(const struct vm *vm, uint64_t addr)
{
	return vm_memory(vm, addr, 1, false)
		       ? vm->areas[(addr >> 32) - VM_MEMORY].size - (uint32_t)addr
		       : 0;
}

bool vm_arg_string(struct vm *vm, uint64_t addr, const char **ret, size_t *len_ret)
{
	const char *s = vm_memory(vm, addr, 1, false);
	size_t room = vm_arg_room(vm, addr), len;

	if (!s)
		return vm_arg_fault(vm, "a string's address that cannot be read");
	len = strnlen(s, room);
	if (len == room)
		return vm_arg_fault(vm, "a string without end");
	*ret = s;
	*len_ret = len;
	return true;
}

uint64_t vm_arg_put_text(char *dst, size_t capacity, const char *src, size_t len)
{
	if (!capacity)
		return 0;
	len = SP_MIN(len, capacity - 1);
	if (len)
		memmove(dst, src, len);
	memset(dst + len, 0, capacity - len);
	return len;
}
