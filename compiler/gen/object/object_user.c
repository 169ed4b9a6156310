// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/object/object_user.h"

#include "runtime/abi/bundle.h"
#include "runtime/abi/uservm.h"

#include <linux/bpf.h>
#include <stdio.h>

#define R_BPF_64_64 1
#define R_BPF_64_32 10
#define MAP_PREFIX "spile_map_"

static struct sp_err *unexpected(const char *what, const char *name)
{
	return sp_err_new(SP_ERR_BUG, "internal error: user-side code has %s (%s)", what, name);
}

// ld_imm64 of a map or of an address in one of the areas.
static struct sp_err *resolve_load(const struct object_elf *elf, const Elf64_Sym *symbol,
				   struct bpf_insn *insn)
{
	const char *name = object_elf_symbol_name(elf, symbol);
	uint64_t offset = (uint32_t)insn[0].imm | (uint64_t)(uint32_t)insn[1].imm << 32;
	enum sp_vm_area area;

	if (symbol->st_shndx == SHN_UNDEF && sp_starts_with(name, MAP_PREFIX)) {
		insn[0].src_reg = SP_VM_LD_MAP;
		insn[0].imm = (int32_t)strtoul(name + strlen(MAP_PREFIX), NULL, 10);
		insn[1].imm = 0;
		return NULL;
	}
	if (symbol->st_shndx == SHN_UNDEF && sp_streq(name, SP_DATA_SYMBOL))
		area = SP_VM_AREA_DATA;
	else if (symbol->st_shndx == SHN_UNDEF && sp_streq(name, SP_SLOTS_SYMBOL))
		area = SP_VM_AREA_SLOTS;
	else if (symbol->st_shndx < elf->sections.n &&
		 sp_streq(elf->sections.v[symbol->st_shndx].name, ".rodata"))
		area = SP_VM_AREA_UDATA;
	else
		return unexpected("an unknown symbol", name);
	insn[0].src_reg = SP_VM_LD_AREA;
	insn[0].imm = area;
	insn[1].imm = (int32_t)(symbol->st_value + offset);
	return NULL;
}

static struct sp_err *resolve(const struct object_elf *elf, unsigned section, const Elf64_Rel *rel,
			      struct bpf_insn *code, size_t n)
{
	const Elf64_Sym *symbol = &elf->symbols[ELF64_R_SYM(rel->r_info)];
	size_t at = rel->r_offset / sizeof(*code);

	if (at + 1 >= n)
		return unexpected("a relocation outside of it", elf->sections.v[section].name);
	switch (ELF64_R_TYPE(rel->r_info)) {
	case R_BPF_64_64:
		return resolve_load(elf, symbol, &code[at]);
	case R_BPF_64_32: // a call: of instruction imm + 1 behind the symbol
		if (symbol->st_shndx != section)
			return unexpected("a call out of its program", elf->sections.v[section].name);
		code[at].imm = (int32_t)(symbol->st_value / sizeof(*code) +
					 (size_t)(code[at].imm + 1)) -
			       (int32_t)(at + 1);
		return NULL;
	}
	return unexpected("an unknown relocation", elf->sections.v[section].name);
}

static struct sp_err *read_prog(const struct object_elf *elf, unsigned section,
				struct object_user *user, struct object_user_prog *ret)
{
	const struct object_section *s = &elf->sections.v[section];
	struct bpf_insn *code;

	ret->first = (uint32_t)(user->code.len / sizeof(*code));
	ret->n = (uint32_t)(s->size / sizeof(*code));
	sp_buf_add(&user->code, s->data, s->size);
	code = (struct bpf_insn *)(void *)user->code.data + ret->first;
	sp_vec_each (r, &elf->sections) {
		const Elf64_Rel *rels = r->data;

		if (r->head.sh_type != SHT_REL || r->head.sh_info != section)
			continue;
		for (size_t i = 0; i < r->size / sizeof(*rels); i++)
			SP_TRY(resolve(elf, section, &rels[i], code, ret->n));
	}
	return NULL;
}

struct sp_err *object_user_read(const struct object_elf *elf, size_t n_progs, struct object_user *ret)
{
	const struct object_section *data = object_elf_find(elf, ".rodata");

	if (data) {
		ret->data = data->data;
		ret->data_size = data->size;
	}
	for (unsigned i = 1; i < elf->sections.n; i++) {
		const struct object_section *s = &elf->sections.v[i];
		unsigned prog;
		int end = 0;

		if (s->head.sh_type != SHT_PROGBITS || !(s->head.sh_flags & SHF_EXECINSTR) ||
		    s->size == 0)
			continue;
		if (sscanf(s->name, "p%u%n", &prog, &end) != 1 || s->name[end] || prog >= n_progs)
			return unexpected("an unknown section", s->name);
		SP_TRY(read_prog(elf, i, ret, &ret->progs[prog]));
	}
	return NULL;
}

void object_user_deinit(struct object_user *user)
{
	sp_buf_deinit(&user->code);
	free(user->progs);
}
