// SPDX-License-Identifier: GPL-2.0-or-later
/** BPF instructions for the runtime's own small programs; linux/filter.h with such macros is not exported. */
#ifndef SP_RUNTIME_INSN_H
#define SP_RUNTIME_INSN_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#define MOV(reg, value) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value) }
#define MOV_REG(to, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define ADD(reg, value) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (reg), .imm = (value) }
#define ADD_REG(to, from) { .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define AND(reg, value) { .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = (reg), .imm = (value) }
#define AND_REG(to, from) { .code = BPF_ALU64 | BPF_AND | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define OR_REG(to, from) { .code = BPF_ALU64 | BPF_OR | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define OR(reg, value) { .code = BPF_ALU64 | BPF_OR | BPF_K, .dst_reg = (reg), .imm = (value) }
#define NEGATE(reg) { .code = BPF_ALU64 | BPF_NEG, .dst_reg = (reg) }
#define SHIFT_LEFT(reg, value) { .code = BPF_ALU64 | BPF_LSH | BPF_K, .dst_reg = (reg), .imm = (value) }
#define SHIFT_RIGHT(reg, value) { .code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = (reg), .imm = (value) }
#define LOAD(width, to, from, offset) \
	{ .code = BPF_LDX | (width) | BPF_MEM, .dst_reg = (to), .src_reg = (from), .off = (short)(offset) }
#define STORE(width, to, offset, from) \
	{ .code = BPF_STX | (width) | BPF_MEM, .dst_reg = (to), .src_reg = (from), .off = (short)(offset) }
#define STORE_IMM(width, to, offset, value) \
	{ .code = BPF_ST | (width) | BPF_MEM, .dst_reg = (to), .off = (short)(offset), .imm = (value) }
#define ATOMIC_ADD(width, to, offset, from) \
	{ .code = BPF_STX | (width) | BPF_ATOMIC, .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = BPF_ADD }
/** Goes on `n` instructions later. */
#define IF_MORE(reg, value, n) { .code = BPF_JMP | BPF_JGT | BPF_K, .dst_reg = (reg), .off = (n), .imm = (value) }
#define IF_LESS(reg, value, n) { .code = BPF_JMP | BPF_JLT | BPF_K, .dst_reg = (reg), .off = (n), .imm = (value) }
#define IF_DIFFERENT(reg, other, n) { .code = BPF_JMP | BPF_JNE | BPF_X, .dst_reg = (reg), .src_reg = (other), .off = (n) }
#define GO(n) { .code = BPF_JMP | BPF_JA, .off = (n) }
#define IF_ZERO(reg, n) { .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = (reg), .off = (n) }
#define IF_NOT(reg, value, n) { .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = (reg), .off = (n), .imm = (value) }
#define CALL(id) { .code = BPF_JMP | BPF_CALL, .imm = (id) }
#define EXIT { .code = BPF_JMP | BPF_EXIT }

// Two instructions each.
#define LOAD_IMM(reg, value) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (reg), .imm = (int)(uint32_t)(value) }, { .imm = (int)((value) >> 32) }
/** An address in the stack frame. */
#define FRAME(reg, offset) MOV_REG(reg, BPF_REG_10), ADD(reg, offset)
#define MAP_FD(reg, fd) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (reg), .src_reg = BPF_PSEUDO_MAP_FD, .imm = (fd) }, { 0 }
/** The first element of an array. */
#define MAP_MEMORY(reg, fd) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (reg), .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = (fd) }, { 0 }

/** A program that is a constant is smaller than the code that makes it. What is known when it is loaded alone is a stand-in there: the index of
 *  its value, in MAP_FD and MAP_MEMORY for the map, or in these. */
#define ADD_VALUE(reg, index) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (reg), .src_reg = 1, .imm = (index) }
#define OR_VALUE(reg, index) { .code = BPF_ALU64 | BPF_OR | BPF_K, .dst_reg = (reg), .src_reg = 1, .imm = (index) }

/** Puts the values in. */
void insn_fill(struct bpf_insn *insns, size_t n, const int *values);

#endif
