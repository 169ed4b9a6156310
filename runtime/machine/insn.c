// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/machine/insn.h"

void insn_fill(struct bpf_insn *insns, size_t n, const int *values)
{
	for (struct bpf_insn *insn = insns; insn < insns + n; insn++) {
		bool is_map = insn->code == (BPF_LD | BPF_DW | BPF_IMM);

		if (!insn->src_reg || (!is_map && (BPF_CLASS(insn->code) != BPF_ALU64 || BPF_SRC(insn->code) != BPF_K)))
			continue;
		insn->imm = values[insn->imm];
		if (!is_map)
			insn->src_reg = 0;
	}
}
