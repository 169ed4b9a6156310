// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions as text: each kind once, in the words of the kernel's verifier, and what only damaged code has.
#include "runtime/load/insn_text.h"

#include "expect.h"

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

static const struct {
	struct bpf_insn insn;
	const char *text;
} rows[] = {
	{ INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0), "r6 = r1" },
	{ INSN(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, -7), "r6 = -7" },
	{ INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 32, 0), "r6 = (s32)r1" },
	{ INSN(BPF_ALU | BPF_ADD | BPF_K, 2, 0, 0, 5), "w2 += 5" },
	{ INSN(BPF_ALU64 | BPF_ARSH | BPF_X, 2, 3, 0, 0), "r2 s>>= r3" },
	{ INSN(BPF_ALU64 | BPF_DIV | BPF_X, 2, 3, 1, 0), "r2 s/= r3" },
	{ INSN(BPF_ALU64 | BPF_NEG, 4, 0, 0, 0), "r4 = -r4" },
	{ INSN(BPF_ALU | BPF_END | BPF_TO_BE, 4, 0, 0, 16), "r4 = be16 r4" },
	{ INSN(BPF_ALU64 | BPF_END, 4, 0, 0, 64), "r4 = bswap64 r4" },
	{ INSN(BPF_LDX | BPF_MEM | BPF_DW, 1, 6, 104, 0), "r1 = *(u64 *)(r6 +104)" },
	{ INSN(BPF_STX | BPF_MEM | BPF_B, 10, 1, -8, 0), "*(u8 *)(r10 -8) = r1" },
	{ INSN(BPF_ST | BPF_MEM | BPF_H, 10, 0, -8, 3), "*(u16 *)(r10 -8) = 3" },
	{ INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 1, 2, 0, BPF_ADD), "lock *(u64 *)(r1 +0) += r2" },
	{ INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 1, 2, 0, BPF_OR | BPF_FETCH), "r2 = fetch lock *(u64 *)(r1 +0) |= r2" },
	{ INSN(BPF_STX | BPF_ATOMIC | BPF_W, 1, 2, 8, BPF_XCHG), "r2 = atomic_xchg(*(u32 *)(r1 +8), r2)" },
	{ INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 1, 2, 8, BPF_CMPXCHG), "r0 = atomic_cmpxchg(*(u64 *)(r1 +8), r0, r2)" },
	{ INSN(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 2, 0), "if r1 == 0 goto 3" },
	{ INSN(BPF_JMP32 | BPF_JSLT | BPF_X, 1, 2, -1, 0), "if w1 s< w2 goto 0" },
	{ INSN(BPF_JMP | BPF_JA, 0, 0, 9, 0), "goto 10" },
	{ INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, 70000), "goto 70001" },
	{ INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns), "call ktime_get_ns" },
	{ INSN(BPF_JMP | BPF_CALL, 0, 0, 0, 1 << 30), "call helper 1073741824" },
	{ INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 4), "call function at +4" },
	{ INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0), "exit" },
	{ INSN(BPF_ALU64 | 0xf0, 1, 2, 0, 0), "r1 ?= 0" },
	{ INSN(BPF_JMP | 0xf0, 1, 0, 0, 0), "if r1 ? 0 goto 1" },
	{ INSN(BPF_LD | BPF_ABS, 0, 0, 0, 0), "instruction 0x20" },
};

static const struct bpf_insn wide[] = {
	INSN(BPF_LD | BPF_IMM | BPF_DW, 3, 0, 0, 2), INSN(0, 0, 0, 0, 1), // a number
	INSN(BPF_LD | BPF_IMM | BPF_DW, 1, 0, 0, 0), INSN(0, 0, 0, 0, 0), // a map
	INSN(BPF_LD | BPF_IMM | BPF_DW, 1, 0, 0, 0), INSN(0, 0, 0, 0, 0), // a place in an area
	INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0),
};

static void expect_insn(const struct code *code, uint32_t at, const char *text, unsigned slots)
{
	struct sp_buf got = { 0 };

	EXPECT_NUM(insn_text(code, &code->functions[0], at, &got), slots);
	EXPECT_STR(sp_buf_str(&got), text);
	sp_buf_deinit(&got);
}

// By itself, as the first of a function.
static void expect_row(const struct bpf_insn *insn, const char *text)
{
	const struct code_section section = { .insns = insn, .n_insns = 1 };
	const struct code_function function = { .name = "f", .n = 1 };
	const struct code code = { .sections = &section, .functions = &function, .n_sections = 1, .n_functions = 1 };

	expect_insn(&code, 0, text, 1);
}

int main(void)
{
	struct code_reference references[] = { { 2, CODE_MAP, 0, 0 }, { 4, CODE_AREA, 1, 24 }, { 6, CODE_FUNCTION, 0, 0 } };
	const struct code_section section = { .insns = wide, .n_insns = SP_ARRAY_SIZE(wide), .references = references, .n_references = 3 };
	const struct code_map maps[] = { { .name = "counts" }, { .name = ".data.spile" } };
	const struct code_function function = { .name = "f", .n = SP_ARRAY_SIZE(wide) };
	const struct code code = { .sections = &section, .maps = maps, .functions = &function, .n_sections = 1, .n_maps = 2, .n_functions = 1 };

	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++)
		expect_row(&rows[i].insn, rows[i].text);
	expect_insn(&code, 0, "r3 = 0x100000002", 2);
	expect_insn(&code, 2, "r1 = counts", 2);
	expect_insn(&code, 4, "r1 = .data.spile +24", 2);
	expect_insn(&code, 6, "call f", 1);
	return expect_status();
}
