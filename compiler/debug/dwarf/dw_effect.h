// SPDX-License-Identifier: GPL-2.0-or-later
/** What instructions of x86 do with the registers of a result. */
#ifndef SP_DEBUG_DW_EFFECT_H
#define SP_DEBUG_DW_EFFECT_H

#include "runtime/base/x86_insn.h"

enum dw_effect { DW_LEAVES, DW_READS, DW_SETS, DW_PERHAPS_READS };

struct dw_step {
	const uint8_t *code;
	struct x86_insn insn;
	uint64_t pc;
};

static inline uint8_t dw_step_opcode(const struct dw_step *step)
{
	return step->code[step->insn.opcode];
}

/** On rax, or with `is_float` on xmm0. Calls and returns leave them. */
enum dw_effect dw_effect_of(const struct dw_step *step, bool is_float);

#endif
