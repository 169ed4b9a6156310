// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/abi.h"

#include "compiler/model/abi_tables.h"

static const struct abi *const abis[] = { &abi_x86_64, &abi_aarch64, &abi_i386 };

const struct abi *abi_find(const char *name)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(abis); i++)
		if (sp_streq(abis[i]->name, name))
			return abis[i];
	return NULL;
}

const struct abi *abi_find_elf(uint16_t elf_machine)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(abis); i++)
		if (abis[i]->elf_machine == elf_machine)
			return abis[i];
	return NULL;
}

const struct abi_reg *abi_reg_dwarf(const struct abi *abi, int64_t dwarf)
{
	for (unsigned i = 0; dwarf >= 0 && i < abi->n_regs; i++)
		if (abi->regs[i].dwarf == dwarf)
			return &abi->regs[i];
	return NULL;
}

const struct abi_reg *abi_reg_name(const struct abi *abi, const char *name)
{
	for (unsigned i = 0; i < abi->n_regs; i++)
		if (sp_streq(abi->regs[i].name, name))
			return &abi->regs[i];
	return NULL;
}

const struct abi_bank *abi_bank_dwarf(const struct abi *abi, int64_t dwarf)
{
	for (unsigned i = 0; i < abi->n_banks; i++)
		if (dwarf >= abi->banks[i].dwarf && dwarf - abi->banks[i].dwarf < abi->banks[i].n)
			return &abi->banks[i];
	return NULL;
}

const struct abi_part *abi_part_name(const struct abi *abi, const char *name)
{
	for (unsigned i = 0; i < abi->n_parts; i++)
		if (sp_streq(abi->parts[i].name, name))
			return &abi->parts[i];
	return NULL;
}

enum reg_access reg_readable(const struct abi *abi, enum sp_prog_kind kind, enum site_space space, int64_t dwarf)
{
	const struct abi_bank *bank = abi_bank_dwarf(abi, dwarf);

	if (kind != SP_PROG_REGS && kind != SP_PROG_PERF)
		return REG_NO_CONTEXT;
	if (abi_reg_dwarf(abi, dwarf))
		return REG_READABLE;
	return bank && bank->offset && space == SPACE_USER ? REG_BY_USER_ENGINE : REG_NOT_SAVED;
}
