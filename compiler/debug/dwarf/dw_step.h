// SPDX-License-Identifier: GPL-2.0-or-later
/** One instruction of x86 in a file's code, and where it leads. */
#ifndef SP_DEBUG_DW_STEP_H
#define SP_DEBUG_DW_STEP_H

#include "compiler/debug/dwarf/dw_file.h"

#include "runtime/base/x86_insn.h"

struct dw_step {
	const uint8_t *code;
	struct x86_insn insn;
	uint64_t pc;
};

enum dw_flow {
	DW_GOES_ON,
	DW_BRANCHES, // to its target, or it goes on
	DW_JUMPS,
	DW_JUMPS_ANYWHERE, // through a register or memory
	DW_CALLS,
	DW_CALLS_ANYWHERE,
	DW_RETURNS,
	DW_STOPS, // int3, ud2
};

/** False: the file has no code there, or no instruction that is known. */
bool dw_step_at(const struct dw_file *file, uint64_t pc, struct dw_step *ret);

enum dw_flow dw_step_flow(const struct dw_step *step);

/** Of a branch, a jump or a call to an address that the instruction has. */
uint64_t dw_step_target(const struct dw_step *step);

static inline uint64_t dw_step_next(const struct dw_step *step)
{
	return step->pc + step->insn.length;
}

static inline uint8_t dw_step_opcode(const struct dw_step *step)
{
	return step->code[step->insn.opcode];
}

bool dw_step_has_prefix(const struct dw_step *step, uint8_t prefix);

/** Bits 3 to 5 of ModRM: a register, or a part of the opcode. 0: there is no ModRM. */
static inline unsigned dw_step_reg(const struct dw_step *step)
{
	return step->insn.modrm ? step->code[step->insn.modrm] >> 3 & 7 : 0;
}

#endif
