// SPDX-License-Identifier: GPL-2.0-or-later
/** Instructions of x86-64: how long one is, and code that does at another address what it does at its own. That code is
 *  the slot of a breakpoint: a thread runs it instead of the instruction, and goes on by itself. */
#ifndef SP_RUNTIME_PTRACE_INSN_H
#define SP_RUNTIME_PTRACE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTRACE_INSN_MAX 15 // bytes of the longest instruction
#define PTRACE_SLOT_SIZE 32 // bytes of the longest slot

struct ptrace_insn {
	unsigned length;
	unsigned opcode; // where its first byte behind prefixes and escapes is
	unsigned modrm; // where it is; 0: none
	uint8_t map; // 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A, others of EVEX
	uint8_t rex;
	bool vex; // VEX or EVEX
	bool rip_relative; // the 4 bytes behind ModRM are from the next instruction on
};

/** False: those bytes are no instruction that is known, or are cut. */
bool ptrace_insn_decode(const uint8_t *code, size_t size, struct ptrace_insn *ret);

enum ptrace_slot_kind {
	PTRACE_SLOT_PLAIN, // the instruction, then a jump back
	PTRACE_SLOT_JUMP, // a jump to its target; with a condition, then a jump back
	PTRACE_SLOT_LOOP, // loop or jrcxz
	PTRACE_SLOT_CALL // the return address is pushed in two steps, then a jump
};

struct ptrace_slot {
	uint64_t address; // of the code; 0: none yet
	uint8_t length; // of the instruction
	uint8_t kind; // enum ptrace_slot_kind
	uint8_t size;
	uint8_t code[PTRACE_SLOT_SIZE];
};

/** The slot at `to` for the instruction at `from`. False: it has no such code, or `to` is too far away. */
bool ptrace_insn_relocate(const uint8_t *code, size_t size, uint64_t from, uint64_t to, struct ptrace_slot *ret);

/** A thread has stopped in a slot, at *pc with *sp. Makes of that where it would be without: false: still before the
 *  instruction; true: behind it. */
bool ptrace_slot_leave(const struct ptrace_slot *slot, uint64_t from, uint64_t *pc, uint64_t *sp);

#endif
