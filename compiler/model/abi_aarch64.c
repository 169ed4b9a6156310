// SPDX-License-Identifier: GPL-2.0-or-later
// Register numbers: DWARF for the Arm 64-bit Architecture, section 4.1. Offsets: struct user_pt_regs of
// arch/arm64/include/uapi/asm/ptrace.h, which is what kprobe and uprobe programs see.
#include "compiler/model/abi.h"
#include "compiler/model/abi_tables.h"

#include "runtime/abi/syscall.h"

#include <elf.h>

#define X(n) { "x" #n, n, 8 * n }

static const struct abi_reg regs[] = {
	X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),  X(7),	X(8),  X(9),  X(10),
	X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21),
	X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), X(30),
	{ "sp", 31, 248 },
	{ "pc", 32, 256 },
	{ "pstate", -1, 264 }, // has no DWARF number
	{ "fp", 29, 232 }, // second names, found by name only: the table is searched in order
	{ "lr", 30, 240 },
};

#define W(n) { "w" #n, "x" #n, 0, 32 }

static const struct abi_part parts[] = {
	W(0), W(1), W(2), W(3),
	W(4), W(5), W(6), W(7),
	W(8), W(9), W(10), W(11),
	W(12), W(13), W(14), W(15),
	W(16), W(17), W(18), W(19),
	W(20), W(21), W(22), W(23),
	W(24), W(25), W(26), W(27),
	W(28), W(29), W(30),
};

static const struct abi_bank banks[] = {
	{ "v", 64, 32, 0 },
};

static const int clone_calls[] = { 220, 435 }; // clone, clone3
static const int args[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static const uint16_t syscall_args[] = { 0, 8, 16, 24, 32, 40 }; // x0 to x5

const struct abi abi_aarch64 = {
	.name = "aarch64",
	.script_name = "arm64",
	.elf_machine = EM_AARCH64,
	.word_size = 8,
	.regs = regs,
	.n_regs = SP_ARRAY_SIZE(regs),
	.parts = parts,
	.n_parts = SP_ARRAY_SIZE(parts),
	.pc_offset = 256,
	.sp_offset = 248,
	.watched_offset = 280,
	.sp_dwarf = 31,
	.fp_dwarf = 29,
	.return_dwarf = 0,
	.kept = 0x7ff << 19, // x19 to x29
	.banks = banks,
	.n_banks = SP_ARRAY_SIZE(banks),
	.kernel_args = args,
	.user_args = args,
	.n_args = SP_ARRAY_SIZE(args),
	.clone_calls = clone_calls,
	.n_clone_calls = SP_ARRAY_SIZE(clone_calls),
	.syscall_prefix = "__arm64_sys_",
	.syscalls = { { syscall_args, 8 } },
	.syscall_number = SP_AARCH64_CALL_NUMBER,
	.compat_member = SP_AARCH64_COMPAT_MEMBER,
	.compat_bit = SP_AARCH64_COMPAT_BIT,
	.return_address_size = 0,
	.link_dwarf = 30,
};
