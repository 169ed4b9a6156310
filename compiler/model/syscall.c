// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/syscall.h"

#include <elf.h>

enum { ROW_X86_64, ROW_AARCH64 };

const struct syscall_info syscall_table[] = {
#define SYSCALL(name, x86_64, i386, aarch64, params) { #name, { { x86_64, i386 }, { aarch64, -1 } }, params },
#include "compiler/model/syscall.def"
#undef SYSCALL
};

const unsigned syscall_table_size = SP_ARRAY_SIZE(syscall_table);

int syscall_number(const struct syscall_info *info, const struct abi *abi, enum syscall_abi kind)
{
	return info->numbers[abi->elf_machine == EM_AARCH64 ? ROW_AARCH64 : ROW_X86_64][kind];
}

const struct syscall_info *syscall_find(const char *name)
{
	for (unsigned i = 0; i < syscall_table_size; i++)
		if (sp_streq(syscall_table[i].name, name))
			return &syscall_table[i];
	return NULL;
}

bool syscall_param(const struct syscall_info *info, unsigned index, struct syscall_param *ret)
{
	const char *at = info->params;

	for (; *at && index > 0; index--)
		at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
	if (!*at)
		return false;
	ret->name = at;
	ret->len = (int)strcspn(at, ": ");
	ret->type = at[ret->len] == ':' ? at[ret->len + 1] : '\0';
	return true;
}
