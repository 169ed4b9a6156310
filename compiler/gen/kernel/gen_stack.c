// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_stack.h"

#include <stdlib.h>

#define R_BPF_64_64 1 // the address of data, or of a function
#define R_BPF_64_32 10 // a call
#define FRAME_ALIGN 32 // check_max_stack_depth() in kernel/bpf/verifier.c; at least so much for each frame

unsigned gen_stack_of(const struct bpf_insn *insns, size_t n)
{
	int lowest = 0;

	for (size_t i = 0; i < n; i++) {
		const struct bpf_insn *insn = &insns[i], *next = i + 1 < n ? insn + 1 : insn;
		unsigned class = BPF_CLASS(insn->code);

		if ((class == BPF_LDX && insn->src_reg == BPF_REG_10) ||
		    ((class == BPF_ST || class == BPF_STX) && insn->dst_reg == BPF_REG_10))
			lowest = SP_MIN(lowest, (int)insn->off);
		else if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn->src_reg == BPF_REG_10 &&
			 next->code == (BPF_ALU64 | BPF_ADD | BPF_K) && next->dst_reg == insn->dst_reg)
			lowest = SP_MIN(lowest, next->imm);
	}
	return (unsigned)-lowest;
}

// ---- the calls ----------------------------------------------------------------------------------

struct function {
	unsigned section;
	uint64_t start, size;
	struct gen_stack chain; // that begins here; zeros: not known yet
	bool is_open; // its chain is being looked at
};

struct graph {
	const struct object_elf *elf;
	SP_VEC(struct function) functions;
};

static void find_functions(struct graph *g)
{
	for (size_t i = 0; i < g->elf->n_symbols; i++) {
		const Elf64_Sym *s = &g->elf->symbols[i];

		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx < g->elf->sections.n &&
		    s->st_value <= g->elf->sections.v[s->st_shndx].size &&
		    s->st_size <= g->elf->sections.v[s->st_shndx].size - s->st_value)
			sp_vec_push(&g->functions, ((struct function){ s->st_shndx, s->st_value, s->st_size, { 0 }, false }));
	}
}

static struct function *function_at(struct graph *g, unsigned section, uint64_t offset)
{
	sp_vec_each(f, &g->functions)
		if (f->section == section && f->start == offset)
			return f;
	return NULL;
}

static int compare_offset(const void *key, const void *rel)
{
	uint64_t a = *(const uint64_t *)key, b = ((const Elf64_Rel *)rel)->r_offset;

	return (a > b) - (a < b);
}

// LLVM writes the relocations of a section in the order of their offsets.
static const Elf64_Rel *relocation_at(const struct object_elf *elf, unsigned section, uint64_t offset)
{
	const Elf64_Rel *found = NULL;

	sp_vec_each(s, &elf->sections)
		if (!found && s->head.sh_type == SHT_REL && s->head.sh_info == section)
			found = bsearch(&offset, s->data, s->size / sizeof(*found), sizeof(*found), compare_offset);
	return found;
}

// What the instruction calls, or hands to a helper that does; NULL: no function of the object.
static struct function *callee(struct graph *g, const struct function *f, uint64_t offset, const struct bpf_insn *insn)
{
	bool is_call = insn->code == (BPF_JMP | BPF_CALL), is_address = insn->code == (BPF_LD | BPF_IMM | BPF_DW);
	const Elf64_Rel *rel;
	const Elf64_Sym *symbol;
	uint64_t at;

	if (!is_address && !(is_call && insn->src_reg == BPF_PSEUDO_CALL))
		return NULL;
	rel = relocation_at(g->elf, f->section, offset);
	if (!rel)
		return is_call ? function_at(g, f->section, offset + (uint64_t)(((int64_t)insn->imm + 1) * 8)) : NULL;
	if (ELF64_R_SYM(rel->r_info) >= g->elf->n_symbols)
		return NULL;
	symbol = &g->elf->symbols[ELF64_R_SYM(rel->r_info)];
	at = symbol->st_value;
	if (ELF64_R_TYPE(rel->r_info) == R_BPF_64_32)
		at += (uint64_t)(((int64_t)insn->imm + 1) * 8);
	else if (ELF64_R_TYPE(rel->r_info) == R_BPF_64_64)
		at += (uint64_t)insn->imm;
	return function_at(g, symbol->st_shndx, at);
}

static struct gen_stack chain(struct graph *g, struct function *f)
{
	const struct bpf_insn *insns = (const void *)((const char *)g->elf->sections.v[f->section].data + f->start);
	size_t n = f->size / sizeof(*insns);
	struct gen_stack below = { 0 };

	if (f->chain.frames || f->is_open)
		return f->chain;
	f->is_open = true;
	for (size_t i = 0; i < n; i++) {
		struct function *called = callee(g, f, f->start + i * sizeof(*insns), &insns[i]);
		struct gen_stack its = called ? chain(g, called) : (struct gen_stack){ 0 };

		below.bytes = SP_MAX(below.bytes, its.bytes);
		below.frames = SP_MAX(below.frames, its.frames);
	}
	f->is_open = false;
	f->chain.bytes = SP_ALIGN_UP(SP_MAX(gen_stack_of(insns, n), 1U), FRAME_ALIGN) + below.bytes;
	f->chain.frames = 1 + below.frames;
	return f->chain;
}

struct gen_stack gen_stack_chain(const struct object_elf *elf, const char *name)
{
	struct graph g = { .elf = elf };
	struct gen_stack ret = { 0 };

	find_functions(&g);
	for (size_t i = 0; i < elf->n_symbols && !ret.frames; i++) {
		const Elf64_Sym *s = &elf->symbols[i];
		struct function *f = sp_streq(object_elf_symbol_name(elf, s), name)
					     ? function_at(&g, s->st_shndx, s->st_value)
					     : NULL;

		if (f)
			ret = chain(&g, f);
	}
	sp_vec_deinit(&g.functions);
	return ret;
}
