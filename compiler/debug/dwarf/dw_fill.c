// SPDX-License-Identifier: GPL-2.0-or-later
// x86 alone. Instructions are put in another order up to a jump. What is written by way of another register is not seen, but for `rep movs`:
// compilers address the stack by rsp and rbp.
#include "compiler/debug/dwarf/dw_fill.h"

#include "compiler/debug/dwarf/dw_step.h"

#define RSP 4 // in ModRM and SIB
#define RBP 5

// The displacement of a memory operand; false: it is not rsp or rbp and a number.
static bool read_operand(const struct dw_step *step, unsigned *base_ret, int64_t *off_ret)
{
	const struct x86_insn *insn = &step->insn;
	const uint8_t *code = step->code;
	uint8_t modrm = code[insn->modrm], mod = modrm >> 6;
	unsigned at = insn->modrm + 1;
	int32_t displacement;

	if (!insn->modrm || mod == 3 || insn->rex & 3)
		return false;
	*base_ret = modrm & 7;
	if (*base_ret == RSP && code[at++] != 0x24) // SIB: rsp without an index
		return false;
	if (*base_ret != RSP && (*base_ret != RBP || !mod))
		return false;
	*off_ret = mod == 1 ? (int8_t)code[at] : 0;
	if (mod == 2) {
		memcpy(&displacement, code + at, sizeof(displacement));
		*off_ret = displacement;
	}
	return true;
}

// Does the instruction write to its memory operand? Moves from memory, arithmetic to a register, cmp, test and
// push read it.
static bool writes_memory(const struct dw_step *step)
{
	const struct x86_insn *insn = &step->insn;
	uint8_t opcode = dw_step_opcode(step);
	unsigned reg = dw_step_reg(step);

	if (insn->map == 0 && !insn->vex) {
		if (opcode < 0x40)
			return !(opcode & 2) && opcode < 0x38;
		if (opcode >= 0x80 && opcode <= 0x83)
			return reg != 7;
		if (opcode == 0xf6 || opcode == 0xf7)
			return reg == 2 || reg == 3;
		if (opcode == 0xfe || opcode == 0xff)
			return reg <= 1;
		if (opcode >= 0xd8 && opcode <= 0xdf) // x87
			return reg >= 1;
		return !(opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || opcode == 0x84 || opcode == 0x85 || opcode == 0x8a ||
			 opcode == 0x8b || opcode == 0x8d);
	}
	if (insn->map != 1)
		return insn->map != 2;
	switch (opcode) {
	case 0x11: case 0x13: case 0x17: case 0x29: case 0x2b: case 0x7e: case 0x7f: case 0xd6: case 0xe7: case 0xc3:
		return true;
	}
	return (opcode >= 0x90 && opcode <= 0x9f) || (opcode >= 0xa0 && opcode <= 0xb5 && opcode != 0xaf) || opcode == 0xba || opcode == 0xbb ||
	       (opcode >= 0xc0 && opcode <= 0xc7 && opcode != 0xc2 && opcode != 0xc4 && opcode != 0xc6);
}

static bool is_string_write(const struct dw_step *step)
{
	uint8_t opcode = dw_step_opcode(step);

	return step->insn.map == 0 && !step->insn.vex && (opcode == 0xa4 || opcode == 0xa5 || opcode == 0xaa || opcode == 0xab);
}

// At least so many bytes an instruction reads or writes.
static unsigned least_bytes(const struct dw_step *step)
{
	const struct x86_insn *insn = &step->insn;
	uint8_t opcode = dw_step_opcode(step);
	bool is_66 = dw_step_has_prefix(step, 0x66), is_f3 = dw_step_has_prefix(step, 0xf3), is_f2 = dw_step_has_prefix(step, 0xf2);

	if (insn->map == 0 && !insn->vex)
		return insn->rex & 8 ? 8 : is_66 ? 2 : opcode & 1 ? 4 : 1;
	if (insn->map != 1)
		return 4;
	switch (opcode) {
	case 0x28: case 0x29:
		return 16;
	case 0x6f: case 0x7f:
		return is_66 || is_f3 || insn->vex ? 16 : 8;
	case 0x10: case 0x11:
		return is_f3 || insn->vex ? 4 : is_f2 ? 8 : 16;
	case 0x13: case 0x17: case 0xd6:
		return 8;
	case 0x7e:
		return insn->rex & 8 ? 8 : 4;
	default:
		return insn->vex ? 4 : 1;
	}
}

// At most so many bytes one writes.
static unsigned bytes_written(const struct x86_insn *insn)
{
	return insn->vex ? 64 : insn->map ? 16 : insn->rex & 8 ? 8 : 10;
}

// The bytes of a slot of that size that are among `n` bytes at `off` in it; of a large slot each bit is several bytes, which all have to be
// there when `all` is true.
static uint64_t mask_of(uint64_t size, int64_t off, unsigned n, bool all)
{
	int64_t unit = (int64_t)(size + 63) / 64, end = off + n;
	uint64_t ret = 0;

	for (int64_t i = 0; i < 64 && i * unit < (int64_t)size; i++)
		if (all ? off <= i * unit && end >= (i + 1) * unit : off < (i + 1) * unit && end > i * unit)
			ret |= 1ull << i;
	return ret;
}

// The number of rsp or rbp in instructions; false: code of another architecture, or another register.
static bool is_of_stack(const struct abi *abi, int reg, unsigned *base_ret)
{
	*base_ret = reg == abi->sp_dwarf ? RSP : RBP;
	return abi->elf_machine != EM_AARCH64 && (reg == abi->sp_dwarf || reg == abi->fp_dwarf);
}

// An instruction that is understood.
static bool understands(const struct dw_file *file, uint64_t pc, struct dw_step *ret)
{
	return dw_step_at(file, pc, ret) && !is_string_write(ret);
}

static bool has_operand_at(const struct dw_step *step, unsigned base, int64_t *off_ret)
{
	bool is_lea = step->insn.map == 0 && !step->insn.vex && dw_step_opcode(step) == 0x8d;
	unsigned other;

	return read_operand(step, &other, off_ret) && other == base && !is_lea;
}

bool dw_fill_follows(const struct dw_file *file, uint64_t pc, int reg, int64_t off, uint64_t size)
{
	uint64_t read = 0; // what has its value: it is read before anything is written there
	struct dw_step step;
	unsigned base;
	int64_t at;

	if (!is_of_stack(file->abi, reg, &base))
		return true;
	for (;; pc = dw_step_next(&step)) {
		if (!understands(file, pc, &step))
			return true;
		if (dw_step_flow(&step) != DW_GOES_ON)
			return false;
		if (!has_operand_at(&step, base, &at))
			continue;
		if (!writes_memory(&step))
			read |= mask_of(size, at - off, least_bytes(&step), true);
		else if (mask_of(size, at - off, bytes_written(&step.insn), false) & ~read)
			return true;
	}
}

bool dw_fill_precedes(const struct dw_file *file, uint64_t low, uint64_t pc, int reg, int64_t off, uint64_t size)
{
	uint64_t all = mask_of(size, 0, (unsigned)size, false), written = 0;
	struct dw_step step;
	unsigned base;
	int64_t at;

	if (!is_of_stack(file->abi, reg, &base))
		return true;
	for (uint64_t next = low; next < pc; next = dw_step_next(&step)) {
		if (!understands(file, next, &step))
			return true;
		if (has_operand_at(&step, base, &at) && writes_memory(&step))
			written |= mask_of(size, at - off, least_bytes(&step), true);
	}
	return written == all || (written && !dw_fill_follows(file, pc, reg, off, size));
}
