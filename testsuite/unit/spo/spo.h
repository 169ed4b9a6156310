// SPDX-License-Identifier: GPL-2.0-or-later
/** Bundles written by hand in C: what the compiler makes of a script, for tests of the runtime that must not need the
 *  compiler. A file defines STRINGS(S) and its tables, and is compiled with `clang -target bpf -O2 -g -ffreestanding`. */
#ifndef SPO_H
#define SPO_H

#include "runtime/abi/bundle.h"
#include "runtime/abi/event.h"
#include "runtime/abi/uservm.h"

#include <linux/bpf.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

// ---- strings: S(id, text), used as STR(id) ---------------------------------------------------------------------------
#define SPO_SECTION(name) __attribute__((section(name), used, aligned(8)))
#define SPO_MEMBER(id, text) char id[sizeof(text)];
#define SPO_TEXT(id, text) .id = text,
#define STR(id) offsetof(struct spo_strings, id)
#define SPO_STRINGS                                                                                \
	struct spo_strings {                                                                       \
		char empty[1];                                                                     \
		STRINGS(SPO_MEMBER)                                                                \
	};                                                                                         \
	const struct spo_strings spo_strings SPO_SECTION(SP_SEC_STRINGS) = { .empty = "", STRINGS(SPO_TEXT) };

// ---- the head --------------------------------------------------------------------------------------------------------
// What every test has: a data area of `globals` longs behind the counters of `progs` programs.
#define DATA_SIZE(progs, globals) (sizeof(struct sp_control) + 16 * (progs) + 8 * (globals))
#define GLOBAL_OFFSET(progs, index) (sizeof(struct sp_control) + 16 * (progs) + 8 * (index))
#define SPO_HEAD(progs, globals, slots, ...)                                                        \
	const struct sp_bundle_head spo_head SPO_SECTION(SP_SEC_HEAD) = {                          \
		.magic = SP_BUNDLE_MAGIC, .version = SP_BUNDLE_VERSION,                            \
		.head_size = sizeof(struct sp_bundle_head), .arch = SPO_ARCH, .script = STR(script), \
		.n_slots = (slots), .data_size = DATA_SIZE(progs, globals),                        \
		.drops_offset = sizeof(struct sp_control),                                         \
		.skips_offset = sizeof(struct sp_control) + 8 * (progs), .ring_size = 4096, __VA_ARGS__ \
	};

#define SPO_AREAS(progs, n_globals, n_slots, ...)                                                   \
	struct {                                                                                   \
		struct sp_control control;                                                         \
		uint64_t drops[progs], skips[progs];                                               \
		int64_t globals[n_globals];                                                        \
	} spile_data __attribute__((section(SP_DATA_SECTION))) = { .globals = { __VA_ARGS__ } };   \
	const volatile uint64_t spile_slots[n_slots] __attribute__((section(SP_SLOTS_SECTION))) = { 0 };

#define SPO_EVENTS                                                                                 \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_RINGBUF);                                                \
		__uint(max_entries, 4096);                                                         \
	} spile_events SEC(".maps");

// ---- VM code ---------------------------------------------------------------------------------------------------------
#define MOV(reg, value) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value) }
#define MOV_REG(to, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define ADD(reg, value) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (reg), .imm = (value) }
#define ADD_REG(to, from) { .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define LOAD(to, from, offset) \
	{ .code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = (to), .src_reg = (from), .off = (offset) }
#define STORE(to, offset, from) \
	{ .code = BPF_STX | BPF_DW | BPF_MEM, .dst_reg = (to), .src_reg = (from), .off = (offset) }
#define STORE_HALF(to, offset, value) \
	{ .code = BPF_ST | BPF_H | BPF_MEM, .dst_reg = (to), .off = (offset), .imm = (value) }
#define STORE_WORD(to, offset, value) \
	{ .code = BPF_ST | BPF_W | BPF_MEM, .dst_reg = (to), .off = (offset), .imm = (value) }
#define AREA(to, area, offset)                                                                     \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = (to), .src_reg = SP_VM_LD_AREA, .imm = (area) }, \
	{ .imm = (offset) }
#define JUMP_LESS(reg, value, offset) \
	{ .code = BPF_JMP | BPF_JSLT | BPF_K, .dst_reg = (reg), .imm = (value), .off = (offset) }
#define CALL(id) { .code = BPF_JMP | BPF_CALL, .imm = (id) }
#define EXIT { .code = BPF_JMP | BPF_EXIT }

// A record's head at r10 - `below`.
#define HEAD(below, event, prog, id) \
	STORE_HALF(BPF_REG_10, -(below), event), STORE_HALF(BPF_REG_10, -(below) + 2, prog), \
	STORE_WORD(BPF_REG_10, -(below) + 4, id)
#define EMIT(below, size) \
	MOV_REG(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, -(below)), MOV(BPF_REG_2, size), CALL(SP_VM_EMIT)
#define N_HEAD 3
#define N_EMIT 4

#if defined(SPO_AARCH64)
#define SPO_ARCH "aarch64"
#else
#define SPO_ARCH "x86_64"
#endif

char spo_license[] SEC("license") = "GPL";

#endif
