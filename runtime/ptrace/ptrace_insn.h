// SPDX-License-Identifier: GPL-2.0-or-later
/** For an instruction of x86, code that does at another address what it does at its own. That code is
 *  the slot of a breakpoint: a thread runs it instead of the instruction, and goes on by itself. */
#ifndef SP_RUNTIME_PTRACE_INSN_H
#define SP_RUNTIME_PTRACE_INSN_H

#include "runtime/base/x86_insn.h"

#define PTRACE_SLOT_SIZE 32 // bytes of the longest slot

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
	uint8_t bits; // of an address: 64 or 32
	uint8_t code[PTRACE_SLOT_SIZE];
};

/** The slot at `to` for the instruction at `from`, of a program with addresses of so many bits. False: it has no such code, or `to` is too far away. */
bool ptrace_insn_relocate(const uint8_t *code, size_t size, uint64_t from, uint64_t to, unsigned bits,
			  struct ptrace_slot *ret);

#define PTRACE_CALL_MAX 6 // bytes of a call that has a distance

/** The address of the call that may be before `next`, and what it calls; 0: there is another one, or none. *is_word: it calls what the word there holds. */
uint64_t ptrace_insn_call(const uint8_t before[PTRACE_CALL_MAX], uint64_t next, unsigned bits, uint64_t *target_ret, bool *is_word);

#define PTRACE_PLT_MAX 11

/** The address of the word that an entry of a PLT goes to, which a library's function is called by; 0: it is other code. */
uint64_t ptrace_insn_plt(const uint8_t code[PTRACE_PLT_MAX], uint64_t address);

/** A thread has stopped in a slot, at *pc with *sp. Makes of that where it would be without: false: still before the
 *  instruction; true: behind it. */
bool ptrace_slot_leave(const struct ptrace_slot *slot, uint64_t from, uint64_t *pc, uint64_t *sp);

#endif
