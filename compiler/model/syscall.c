// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/syscall.h"

#include <elf.h>

enum row { ROW_X86_64, ROW_AARCH64 };

#define PARAMS(name, row, kind, params)
const struct syscall_info syscall_table[] = {
#define SYSCALL(name, x86_64, i386, aarch64, params) { #name, { { x86_64, i386 }, { aarch64, -1 } }, params },
#include "compiler/model/syscall.def"
#undef SYSCALL
};
#undef PARAMS

#define SYSCALL(name, x86_64, i386, aarch64, params)
static const struct other_params {
	const char *name;
	enum row row;
	enum syscall_abi kind;
	const char *params;
} other_params[] = {
#define PARAMS(name, row, kind, params) { #name, ROW_##row, SYSCALL_##kind, params },
#include "compiler/model/syscall.def"
#undef PARAMS
};
#undef SYSCALL

const unsigned syscall_table_size = SP_ARRAY_SIZE(syscall_table);

static enum row row_of(const struct abi *abi)
{
	return abi->elf_machine == EM_AARCH64 ? ROW_AARCH64 : ROW_X86_64;
}

int syscall_number(const struct syscall_info *info, const struct abi *abi, enum syscall_abi kind)
{
	return info->numbers[row_of(abi)][kind];
}

const struct syscall_info *syscall_find(const char *name)
{
	for (unsigned i = 0; i < syscall_table_size; i++)
		if (sp_streq(syscall_table[i].name, name))
			return &syscall_table[i];
	return NULL;
}

static const char *params_of(const struct syscall_info *info, enum row row, enum syscall_abi kind)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(other_params); i++) {
		const struct other_params *other = &other_params[i];

		if (other->row == row && other->kind == kind && sp_streq(other->name, info->name))
			return other->params;
	}
	return info->params;
}

bool syscall_param(const struct syscall_info *info, const struct abi *abi, enum syscall_abi kind, unsigned index, struct syscall_param *ret)
{
	const char *at = params_of(info, row_of(abi), kind);

	for (; *at && index > 0; index--)
		at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
	if (!*at)
		return false;
	ret->name = at;
	ret->len = (int)strcspn(at, ": ");
	ret->type = at[ret->len] == ':' ? at[ret->len + 1] : '\0';
	return true;
}
