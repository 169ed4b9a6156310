// SPDX-License-Identifier: GPL-2.0-or-later
/** Instructions of x86: how long one is, and where its parts are. */
#ifndef SP_BASE_X86_INSN_H
#define SP_BASE_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_INSN_MAX 15 // bytes of the longest instruction

struct x86_insn {
	unsigned length;
	unsigned opcode; // where its first byte behind prefixes and escapes is
	unsigned modrm; // where it is; 0: none
	uint8_t map; // 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A, others of EVEX
	uint8_t rex;
	bool vex; // VEX or EVEX
	bool rip_relative; // the 4 bytes behind ModRM are from the next instruction on
};

/** `bits`: those of an address in the program that it is of, 64 or 32. False: those bytes are no instruction that is known, or are
 *  cut. */
bool x86_insn_decode(const uint8_t *code, size_t size, unsigned bits, struct x86_insn *ret);

#endif
