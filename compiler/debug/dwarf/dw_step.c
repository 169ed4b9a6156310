// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_step.h"

#include <string.h>

bool dw_step_at(const struct dw_file *file, uint64_t pc, struct dw_step *ret)
{
	size_t size = X86_INSN_MAX;

	while (size && !(ret->code = dw_file_bytes(file, pc, size)))
		size--;
	ret->pc = pc;
	return size && x86_insn_decode(ret->code, size, file->abi->word_size * 8, &ret->insn);
}

static enum dw_flow flow_of_one_byte(const struct dw_step *step)
{
	uint8_t opcode = dw_step_opcode(step);

	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
		return DW_BRANCHES;
	switch (opcode) {
	case 0xe8: return DW_CALLS;
	case 0xe9: case 0xeb: return DW_JUMPS;
	case 0xc2: case 0xc3: return DW_RETURNS;
	case 0xcc: return DW_STOPS;
	case 0xff: break;
	default: return DW_GOES_ON;
	}
	switch (dw_step_reg(step)) {
	case 2: case 3: return DW_CALLS_ANYWHERE;
	case 4: case 5: return DW_JUMPS_ANYWHERE;
	default: return DW_GOES_ON;
	}
}

enum dw_flow dw_step_flow(const struct dw_step *step)
{
	if (step->insn.vex || step->insn.map > 1)
		return DW_GOES_ON;
	if (step->insn.map == 0)
		return flow_of_one_byte(step);
	return (dw_step_opcode(step) & 0xf0) == 0x80 ? DW_BRANCHES : dw_step_opcode(step) == 0x0b ? DW_STOPS : DW_GOES_ON;
}

uint64_t dw_step_target(const struct dw_step *step)
{
	const uint8_t *end = step->code + step->insn.length;
	uint8_t opcode = dw_step_opcode(step);
	int32_t displacement;

	if (step->insn.map == 0 && opcode != 0xe8 && opcode != 0xe9)
		return dw_step_next(step) + (uint64_t)(int64_t)(int8_t)end[-1];
	memcpy(&displacement, end - sizeof(displacement), sizeof(displacement));
	return dw_step_next(step) + (uint64_t)(int64_t)displacement;
}

bool dw_step_has_prefix(const struct dw_step *step, uint8_t prefix)
{
	return memchr(step->code, prefix, step->insn.opcode);
}
