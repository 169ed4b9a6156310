// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_effect.h"

#include <stddef.h>

// ---- rax -------------------------------------------------------------------------------------------------------------------

// By the opcode's one byte, and by the byte behind 0F:
//	.	nothing, but for an address in memory
//	G	reads, perhaps changes, both operands
//	e	reads, perhaps changes, the operand of ModRM.rm
//	f	the same; some multiply or divide rax
//	m	copies ModRM.reg to ModRM.rm
//	l	computes ModRM.reg of ModRM.rm
//	i	sets ModRM.rm
//	L, R	sets ModRM.reg of, reads ModRM.rm for, a vector register
//	W	copies a vector register to ModRM.rm
//	c	copies ModRM.rm to ModRM.reg on a condition
//	a	reads rax
//	w, p	sets, reads the register that the opcode has, here rax
// and of other instructions, and those with VEX:
//	?	perhaps reads both operands
// A part of rax that is set counts as all of it: who wants the result does not set a part of it first.
static const char one_byte[] =
	"GGGGaa..GGGGaa.." "GGGGaa..GGGGaa.." // 00
	"GGGGaa..GGGGaa.." "GGGGaa..GGGGaa.." // 20
	"p.......p......." "p.......w......." // 40
	"...l.....l.l...." "................" // 60
	"eeeeGGGGmmllilei" ".aaaaaaaaa....aa" // 80
	"wwaa....aaaawwaa" "w.......w......." // A0
	"ee....ii........" "eeee...a........" // C0
	"....wwaa....wwaa" "......ff......ee"; // E0
static const char two_bytes[] =
	"eall.a.a........" "................" // 00
	"iiee......R.LL.." "awww............" // 20
	"cccccccccccccccc" "L..............." // 40
	"..............R." "..............W." // 60
	"................" "iiiiiiiiiiiiiiii" // 80
	"..aGGG.....GGG.G" "aalGlllll.eGllll" // A0
	"GG.GRL.ap......." ".......L........" // C0
	"................" "................"; // E0

_Static_assert(sizeof(one_byte) == 257 && sizeof(two_bytes) == 257, "a class for each opcode");

// The bits of REX; VEX and EVEX have them inverted, in the byte behind the first.
static uint8_t rex_of(const struct dw_step *step)
{
	const uint8_t *code = step->code;
	unsigned at = 0;

	if (!step->insn.vex)
		return step->insn.rex;
	while (code[at] != 0xc4 && code[at] != 0xc5 && code[at] != 0x62)
		at++;
	return (uint8_t)~(code[at + 1] >> 5) & (code[at] == 0xc5 ? 4 : 7);
}

struct operands {
	bool reg, rm, address; // that is register 0, rm one in memory if `address` or `memory`; address: it is part of the address
	bool memory;
};

static struct operands operands_of(const struct dw_step *step)
{
	uint8_t rex = rex_of(step), modrm, sib;
	struct operands ret = { 0 };

	if (!step->insn.modrm)
		return ret;
	modrm = step->code[step->insn.modrm];
	ret.reg = (modrm & 0x38) == 0 && !(rex & 4);
	ret.memory = modrm >> 6 != 3;
	if (!ret.memory) {
		ret.rm = (modrm & 7) == 0 && !(rex & 1);
		return ret;
	}
	if ((modrm & 7) != 4) {
		ret.address = (modrm & 7) == 0 && !(rex & 1);
		return ret;
	}
	sib = step->code[step->insn.modrm + 1];
	ret.address = ((sib & 7) == 0 && !(rex & 1)) || ((sib & 0x38) == 0 && !(rex & 2));
	return ret;
}

static char class_of(const struct dw_step *step)
{
	const struct x86_insn *insn = &step->insn;
	char class = insn->map == 0 ? one_byte[dw_step_opcode(step)] : insn->map == 1 ? two_bytes[dw_step_opcode(step)] : '?';

	if (insn->vex && class != '.' && class != 'L' && class != 'R' && class != 'W')
		class = '?';
	if (class == 'W' && dw_step_has_prefix(step, 0xf3)) // movq between vector registers
		class = '.';
	if (class == 'f')
		class = (step->code[insn->modrm] >> 3 & 7) >= 4 ? 'a' : 'e';
	if ((class == 'w' || class == 'p') && step->insn.rex & 1)
		class = '.';
	return class;
}

static enum dw_effect on_rax(const struct dw_step *step)
{
	struct operands on = operands_of(step);
	uint8_t opcode = dw_step_opcode(step);
	bool is_same = on.reg && on.rm;

	if (on.address)
		return DW_READS;
	switch (class_of(step)) {
	case 'G':
		if (is_same && step->insn.map == 0 && (opcode == 0x29 || opcode == 0x2b || opcode == 0x31 || opcode == 0x33))
			return DW_SETS; // to 0
		return on.reg || on.rm ? DW_READS : DW_LEAVES;
	case '?': return on.reg || on.rm ? DW_PERHAPS_READS : DW_LEAVES;
	case 'e': case 'R': case 'c': return on.rm ? DW_READS : DW_LEAVES;
	case 'm': return on.reg ? DW_READS : on.rm ? DW_SETS : DW_LEAVES;
	case 'l': return on.rm ? DW_READS : on.reg ? DW_SETS : DW_LEAVES;
	case 'L': return on.reg ? DW_SETS : DW_LEAVES;
	case 'i': case 'W': return on.rm ? DW_SETS : DW_LEAVES;
	case 'a': case 'p': return DW_READS;
	case 'w': return DW_SETS;
	default: return DW_LEAVES;
	}
}

// ---- xmm0 ------------------------------------------------------------------------------------------------------------------

static bool is_of_vectors(const struct dw_step *step)
{
	uint8_t opcode = dw_step_opcode(step);

	if (step->insn.map != 1)
		return step->insn.map > 1 || step->insn.vex;
	return step->insn.vex || (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) || (opcode >= 0x50 && opcode <= 0x7f) ||
	       opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6) || opcode >= 0xd0;
}

// A part of xmm0 that is set counts as all of it, as for rax.
static enum dw_effect on_xmm0(const struct dw_step *step)
{
	struct operands on = operands_of(step);
	bool is_map1 = step->insn.map == 1, reads_rm = on.rm && !on.memory;

	if (!is_of_vectors(step))
		return DW_LEAVES;
	switch (is_map1 ? dw_step_opcode(step) : 0) {
	case 0x2a: case 0x6e: // from a general register
		return on.reg ? DW_SETS : DW_LEAVES;
	case 0x7e:
		if (!dw_step_has_prefix(step, 0xf3)) // to a general register
			return on.reg ? DW_READS : DW_LEAVES;
		return reads_rm ? DW_READS : on.reg ? DW_SETS : DW_LEAVES;
	case 0x10: case 0x12: case 0x28: case 0x51: case 0x5a: case 0x5b: case 0x6f: case 0xe6:
		return reads_rm ? DW_READS : on.reg ? DW_SETS : DW_LEAVES;
	case 0x11: case 0x29: case 0x7f:
		return on.reg ? DW_READS : reads_rm ? DW_SETS : DW_LEAVES;
	case 0x2c: case 0x2d: case 0x50: case 0xd7: // to a general register
		return reads_rm ? DW_READS : DW_LEAVES;
	case 0x57: case 0xef: // xor with itself
		if (on.reg && reads_rm && !step->insn.vex)
			return DW_SETS;
		break;
	}
	// VEX may name a third register, which is not looked at.
	if (step->insn.vex || step->insn.map != 1)
		return DW_PERHAPS_READS;
	return on.reg || reads_rm ? DW_READS : DW_LEAVES;
}

enum dw_effect dw_effect_of(const struct dw_step *step, bool is_float)
{
	return is_float ? on_xmm0(step) : on_rax(step);
}
