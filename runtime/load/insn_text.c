// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/insn_text.h"

#include <inttypes.h>
#include <stdlib.h>

#define TWO_SLOTS (BPF_LD | BPF_IMM | BPF_DW) // a number of 64 bits, or an address

static const char *const helpers[] = {
#define NAME(name) [BPF_FUNC_##name] = #name
	__BPF_FUNC_MAPPER(NAME)
#undef NAME
};

static const char *const sizes[] = { [BPF_W >> 3] = "u32", [BPF_H >> 3] = "u16", [BPF_B >> 3] = "u8", [BPF_DW >> 3] = "u64" };

static const char *const operators[] = {
	[BPF_ADD >> 4] = "+=", [BPF_SUB >> 4] = "-=", [BPF_MUL >> 4] = "*=", [BPF_DIV >> 4] = "/=", [BPF_OR >> 4] = "|=",
	[BPF_AND >> 4] = "&=", [BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=", [BPF_MOD >> 4] = "%=", [BPF_XOR >> 4] = "^=",
	[BPF_MOV >> 4] = "=", [BPF_ARSH >> 4] = "s>>=",
};

static const char *const comparisons[] = {
	[BPF_JEQ >> 4] = "==", [BPF_JGT >> 4] = ">", [BPF_JGE >> 4] = ">=", [BPF_JSET >> 4] = "&", [BPF_JNE >> 4] = "!=",
	[BPF_JSGT >> 4] = "s>", [BPF_JSGE >> 4] = "s>=", [BPF_JLT >> 4] = "<", [BPF_JLE >> 4] = "<=", [BPF_JSLT >> 4] = "s<",
	[BPF_JSLE >> 4] = "s<=",
};

const char *insn_helper_name(int32_t helper)
{
	return helper >= 0 && (size_t)helper < SP_ARRAY_SIZE(helpers) ? helpers[helper] : NULL;
}

// What the instruction refers to; NULL: nothing but its own numbers.
static const struct code_reference *reference_at(const struct code_section *section, uint32_t insn)
{
	for (uint32_t i = 0; i < section->n_references; i++)
		if (section->references[i].insn == insn)
			return &section->references[i];
	return NULL;
}

static void put_address(const struct code *code, const struct code_reference *to, struct sp_buf *out)
{
	if (to->target == CODE_FUNCTION)
		sp_buf_puts(out, code->functions[to->index].name);
	else if (to->target == CODE_AREA && to->offset)
		sp_buf_printf(out, "%s +%u", code->maps[to->index].name, to->offset);
	else
		sp_buf_puts(out, code->maps[to->index].name);
}

// ---- kinds of instructions -------------------------------------------------------------------------------------------

static void put_operand(const struct bpf_insn *i, char letter, struct sp_buf *out)
{
	if (BPF_SRC(i->code) == BPF_X)
		sp_buf_printf(out, "%c%u", letter, i->src_reg);
	else
		sp_buf_printf(out, "%d", i->imm);
}

static void put_alu(const struct bpf_insn *i, struct sp_buf *out)
{
	char letter = BPF_CLASS(i->code) == BPF_ALU ? 'w' : 'r';
	unsigned op = BPF_OP(i->code) >> 4;

	if (BPF_OP(i->code) == BPF_NEG) {
		sp_buf_printf(out, "%c%u = -%c%u", letter, i->dst_reg, letter, i->dst_reg);
	} else if (BPF_OP(i->code) == BPF_END) {
		sp_buf_printf(out, "r%u = %s%d r%u", i->dst_reg, letter == 'r' ? "bswap" : BPF_SRC(i->code) == BPF_TO_BE ? "be" : "le", i->imm,
			      i->dst_reg);
	} else {
		sp_buf_printf(out, "%c%u %s%s ", letter, i->dst_reg, BPF_OP(i->code) != BPF_MOV && i->off == 1 ? "s" : "",
			      op < SP_ARRAY_SIZE(operators) && operators[op] ? operators[op] : "?=");
		if (BPF_OP(i->code) == BPF_MOV && i->off)
			sp_buf_printf(out, "(s%d)", i->off);
		put_operand(i, letter, out);
	}
}

static void put_place(unsigned reg, int offset, unsigned code, struct sp_buf *out)
{
	sp_buf_printf(out, "*(%s *)(r%u %c%d)", sizes[BPF_SIZE(code) >> 3], reg, offset < 0 ? '-' : '+', abs(offset));
}

static void put_atomic(const struct bpf_insn *i, struct sp_buf *out)
{
	unsigned op = BPF_OP((unsigned)i->imm) >> 4;

	if (i->imm == BPF_XCHG || i->imm == BPF_CMPXCHG) {
		sp_buf_printf(out, "r%u = atomic_%s(", i->imm == BPF_XCHG ? i->src_reg : 0, i->imm == BPF_XCHG ? "xchg" : "cmpxchg");
		put_place(i->dst_reg, i->off, i->code, out);
		sp_buf_printf(out, i->imm == BPF_XCHG ? ", r%u)" : ", r0, r%u)", i->src_reg);
		return;
	}
	if (i->imm & BPF_FETCH)
		sp_buf_printf(out, "r%u = fetch ", i->src_reg);
	sp_buf_puts(out, "lock ");
	put_place(i->dst_reg, i->off, i->code, out);
	sp_buf_printf(out, " %s r%u", op < SP_ARRAY_SIZE(operators) && operators[op] ? operators[op] : "?=", i->src_reg);
}

static void put_store(const struct bpf_insn *i, struct sp_buf *out)
{
	if (BPF_CLASS(i->code) == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC) {
		put_atomic(i, out);
		return;
	}
	put_place(i->dst_reg, i->off, i->code, out);
	if (BPF_CLASS(i->code) == BPF_STX)
		sp_buf_printf(out, " = r%u", i->src_reg);
	else
		sp_buf_printf(out, " = %d", i->imm);
}

static void put_call(const struct code *code, const struct bpf_insn *i, const struct code_reference *to, struct sp_buf *out)
{
	const char *name = insn_helper_name(i->imm);

	sp_buf_puts(out, "call ");
	if (to)
		put_address(code, to, out);
	else if (i->src_reg)
		sp_buf_printf(out, "function at %+d", i->imm);
	else if (name)
		sp_buf_puts(out, name);
	else
		sp_buf_printf(out, "helper %d", i->imm);
}

static void put_jump(const struct code *code, const struct bpf_insn *i, const struct code_reference *to, uint32_t at, struct sp_buf *out)
{
	char letter = BPF_CLASS(i->code) == BPF_JMP32 ? 'w' : 'r';
	unsigned op = BPF_OP(i->code) >> 4;

	if (BPF_OP(i->code) == BPF_EXIT) {
		sp_buf_puts(out, "exit");
	} else if (BPF_OP(i->code) == BPF_CALL) {
		put_call(code, i, to, out);
	} else if (BPF_OP(i->code) == BPF_JA) {
		sp_buf_printf(out, "goto %" PRIu32, at + 1 + (uint32_t)(letter == 'w' ? i->imm : i->off));
	} else {
		sp_buf_printf(out, "if %c%u %s ", letter, i->dst_reg, op < SP_ARRAY_SIZE(comparisons) && comparisons[op] ? comparisons[op] : "?");
		put_operand(i, letter, out);
		sp_buf_printf(out, " goto %" PRIu32, at + 1 + (uint32_t)i->off);
	}
}

unsigned insn_text(const struct code *code, const struct code_function *function, uint32_t insn, struct sp_buf *out)
{
	const struct code_section *section = &code->sections[function->section];
	const struct bpf_insn *i = &section->insns[function->first + insn];
	const struct code_reference *to = reference_at(section, function->first + insn);

	if (i->code == TWO_SLOTS && insn + 1 < function->n) {
		sp_buf_printf(out, "r%u = ", i->dst_reg);
		if (to)
			put_address(code, to, out);
		else
			sp_buf_printf(out, "0x%" PRIx64, (uint64_t)(uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32);
		return 2;
	}
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: put_alu(i, out); break;
	case BPF_LDX:
		sp_buf_printf(out, "r%u = ", i->dst_reg);
		put_place(i->src_reg, i->off, i->code, out);
		break;
	case BPF_ST:
	case BPF_STX: put_store(i, out); break;
	case BPF_JMP:
	case BPF_JMP32: put_jump(code, i, to, insn, out); break;
	default: sp_buf_printf(out, "instruction 0x%02x", i->code);
	}
	return 1;
}
