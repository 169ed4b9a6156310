// SPDX-License-Identifier: GPL-2.0-or-later
// Intel's Software Developer's Manual, volume 2, chapter 2 and appendix A.
#include "runtime/ptrace/ptrace_insn.h"

#include "runtime/base/util.h"

#include <string.h>

static void put(struct ptrace_slot *slot, const void *bytes, size_t size)
{
	memcpy(slot->code + slot->size, bytes, size);
	slot->size = (uint8_t)(slot->size + size);
}

static void put_byte(struct ptrace_slot *slot, uint8_t byte)
{
	put(slot, &byte, 1);
}

static bool put_distance(struct ptrace_slot *slot, uint64_t target, uint64_t next)
{
	int64_t distance = (int64_t)(target - next);
	int32_t small = (int32_t)distance;

	put(slot, &small, sizeof(small));
	return small == distance || slot->bits == 32; // there, distances wrap around
}

// jmp, or with a condition jcc, which has two bytes.
static bool put_jump(struct ptrace_slot *slot, uint64_t target, uint8_t condition)
{
	if (condition) {
		put_byte(slot, 0x0f);
		put_byte(slot, condition);
	} else {
		put_byte(slot, 0xe9);
	}
	return put_distance(slot, target, slot->address + slot->size + 4);
}

// push takes 4 bytes, in 64-bit mode with their sign.
static void put_push(struct ptrace_slot *slot, uint64_t value)
{
	static const uint8_t high[] = { 0xc7, 0x44, 0x24, 0x04 }; // movl $..., 4(%rsp)
	uint32_t part = (uint32_t)value;

	put_byte(slot, 0x68);
	put(slot, &part, sizeof(part));
	if (slot->bits == 32)
		return;
	part = (uint32_t)(value >> 32);
	put(slot, high, sizeof(high));
	put(slot, &part, sizeof(part));
}

static int32_t get32(const uint8_t *bytes)
{
	int32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static bool copy(struct ptrace_slot *slot, const uint8_t *code, const struct x86_insn *insn, uint64_t from)
{
	int64_t distance;
	int32_t small;

	put(slot, code, insn->length);
	if (!insn->rip_relative)
		return true;
	distance = get32(code + insn->modrm + 1) + (int64_t)(from - slot->address);
	small = (int32_t)distance;
	memcpy(slot->code + insn->modrm + 1, &small, sizeof(small));
	return small == distance;
}

// call *operand becomes: push the return address, jmp *operand; an operand on the stack has moved by the push.
static bool put_call(struct ptrace_slot *slot, const uint8_t *code, const struct x86_insn *insn, uint64_t from)
{
	uint8_t bytes[X86_INSN_MAX + 4], mod = code[insn->modrm] >> 6, rm = code[insn->modrm] & 7;
	unsigned length = insn->length, sib = insn->modrm + 1;
	int32_t distance;

	memcpy(bytes, code, length);
	bytes[insn->modrm] = (uint8_t)((bytes[insn->modrm] & 0xc7) | 0x20);
	put_push(slot, from + insn->length);
	if (mod == 3 && rm == 4 && !(insn->rex & 1))
		return false; // call *%rsp
	if (insn->rip_relative) {
		int64_t far = get32(code + sib) + (int64_t)(from + length) - (int64_t)(slot->address + slot->size + length);

		distance = (int32_t)far;
		memcpy(bytes + sib, &distance, sizeof(distance));
		put(slot, bytes, length);
		return far == distance;
	}
	if (mod != 3 && rm == 4 && (code[sib] & 7) == 4 && !(insn->rex & 1)) {
		distance = (int32_t)slot->bits / 8 + (mod == 1 ? (int8_t)code[sib + 1] : mod == 2 ? get32(code + sib + 1) : 0);
		bytes[insn->modrm] = (uint8_t)((bytes[insn->modrm] & 0x3f) | 0x80);
		memcpy(bytes + sib + 1, &distance, sizeof(distance));
		length = sib + 1 + sizeof(distance);
	}
	if (slot->size + length > PTRACE_SLOT_SIZE)
		return false;
	put(slot, bytes, length);
	return true;
}

static bool put_loop(struct ptrace_slot *slot, const uint8_t *code, const struct x86_insn *insn, uint64_t from)
{
	uint64_t next = from + insn->length;

	put(slot, code, insn->length - 1);
	put_byte(slot, 5); // over the jump back
	return put_jump(slot, next, 0) && put_jump(slot, next + (uint64_t)(int8_t)code[insn->length - 1], 0);
}

bool ptrace_insn_relocate(const uint8_t *code, size_t size, uint64_t from, uint64_t to, unsigned bits,
			  struct ptrace_slot *ret)
{
	struct ptrace_slot slot = { .address = to, .bits = (uint8_t)bits };
	struct x86_insn insn;
	uint64_t next;
	uint8_t opcode, reg;
	bool ok;

	if (!x86_insn_decode(code, size, bits, &insn))
		return false;
	next = from + insn.length;
	opcode = code[insn.opcode];
	reg = insn.modrm ? code[insn.modrm] >> 3 & 7 : 0;
	slot.length = (uint8_t)insn.length;
	if (insn.map == 0 && (opcode & 0xf0) == 0x70) {
		slot.kind = PTRACE_SLOT_JUMP;
		ok = put_jump(&slot, next + (uint64_t)(int8_t)code[insn.length - 1], opcode + 0x10) && put_jump(&slot, next, 0);
	} else if (insn.map == 1 && !insn.vex && (opcode & 0xf0) == 0x80) {
		slot.kind = PTRACE_SLOT_JUMP;
		ok = put_jump(&slot, next + (uint64_t)(int64_t)get32(code + insn.length - 4), opcode) && put_jump(&slot, next, 0);
	} else if (insn.map == 0 && opcode >= 0xe0 && opcode <= 0xe3) {
		slot.kind = PTRACE_SLOT_LOOP;
		ok = put_loop(&slot, code, &insn, from);
	} else if (insn.map == 0 && opcode == 0xeb) {
		slot.kind = PTRACE_SLOT_JUMP;
		ok = put_jump(&slot, next + (uint64_t)(int8_t)code[insn.length - 1], 0);
	} else if (insn.map == 0 && opcode == 0xe9) {
		slot.kind = PTRACE_SLOT_JUMP;
		ok = put_jump(&slot, next + (uint64_t)(int64_t)get32(code + insn.length - 4), 0);
	} else if (insn.map == 0 && opcode == 0xe8) {
		slot.kind = PTRACE_SLOT_CALL;
		put_push(&slot, next);
		ok = put_jump(&slot, next + (uint64_t)(int64_t)get32(code + insn.length - 4), 0);
	} else if (insn.map == 0 && opcode == 0xff && reg == 2) {
		slot.kind = PTRACE_SLOT_CALL;
		ok = put_call(&slot, code, &insn, from);
	} else if (insn.map == 0 && ((opcode == 0xff && reg == 3) || opcode == 0xcc || opcode == 0xf1 ||
				     (opcode == 0xc7 && code[insn.modrm] == 0xf8))) {
		return false; // a far call, breakpoints, xbegin
	} else {
		slot.kind = PTRACE_SLOT_PLAIN;
		ok = copy(&slot, code, &insn, from) && put_jump(&slot, next, 0);
	}
	if (!ok)
		return false;
	*ret = slot;
	return true;
}

uint64_t ptrace_insn_call(const uint8_t before[PTRACE_CALL_MAX], uint64_t next, unsigned bits, uint64_t *target_ret, bool *is_word)
{
	uint64_t target = next + (uint64_t)(int64_t)get32(before + 2);

	*target_ret = bits == 32 ? (uint32_t)target : target;
	*is_word = before[1] != 0xe8;
	if (!*is_word)
		return next - 5;
	return bits == 64 && before[0] == 0xff && before[1] == 0x15 ? next - 6 : 0;
}

uint64_t ptrace_insn_plt(const uint8_t code[PTRACE_PLT_MAX], uint64_t address)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned at = memcmp(code, endbr, sizeof(endbr)) ? 0 : sizeof(endbr);

	at += code[at] == 0xf2; // bnd
	if (code[at] != 0xff || code[at + 1] != 0x25) // jmp *...(%rip)
		return 0;
	return address + at + 6 + (uint64_t)(int64_t)get32(code + at + 2);
}

bool ptrace_slot_leave(const struct ptrace_slot *slot, uint64_t from, uint64_t *pc, uint64_t *sp)
{
	uint64_t done = *pc - slot->address;

	*pc = from;
	switch ((enum ptrace_slot_kind)slot->kind) {
	case PTRACE_SLOT_CALL:
		*sp += done ? slot->bits / 8u : 0;
		return false;
	case PTRACE_SLOT_PLAIN:
	case PTRACE_SLOT_JUMP:
		*pc += done ? slot->length : 0;
		return done;
	case PTRACE_SLOT_LOOP:
		if (!done)
			return false;
		// The second jump goes to the target: its distance is in the last 4 bytes.
		*pc += slot->length;
		if (done > slot->length)
			*pc = slot->address + slot->size + (uint64_t)(int64_t)get32(slot->code + slot->size - 4);
		if (slot->bits == 32)
			*pc = (uint32_t)*pc;
		return true;
	}
	return false;
}
