// SPDX-License-Identifier: GPL-2.0-or-later
// 32-bit programs on a 64-bit kernel. Register numbers: System V ABI, Intel386 supplement, figure 2.14. Offsets: struct pt_regs of
// x86_64, in which the kernel saves the registers of such programs, too; their upper halves mean nothing.
#include "compiler/model/abi.h"
#include "compiler/model/abi_tables.h"

#include "runtime/abi/syscall.h"

#include <elf.h>

static const struct abi_reg regs[] = {
	{ "eax", 0, 80 },
	{ "ecx", 1, 88 },
	{ "edx", 2, 96 },
	{ "ebx", 3, 40 },
	{ "esp", 4, 152 },
	{ "ebp", 5, 32 },
	{ "esi", 6, 104 },
	{ "edi", 7, 112 },
	{ "eip", 8, 128 },
	{ "eflags", 9, 144 },
	{ "cs", 41, 136 },
	{ "ss", 42, 160 },
	{ "orig_eax", -1, 120 }, // has no DWARF number
};

static const struct abi_part parts[] = {
	{ "ax", "eax", 0, 16 }, { "al", "eax", 0, 8 }, { "ah", "eax", 8, 8 },
	{ "bx", "ebx", 0, 16 }, { "bl", "ebx", 0, 8 }, { "bh", "ebx", 8, 8 },
	{ "cx", "ecx", 0, 16 }, { "cl", "ecx", 0, 8 }, { "ch", "ecx", 8, 8 },
	{ "dx", "edx", 0, 16 }, { "dl", "edx", 0, 8 }, { "dh", "edx", 8, 8 },
	{ "si", "esi", 0, 16 }, { "di", "edi", 0, 16 }, { "bp", "ebp", 0, 16 }, { "sp", "esp", 0, 16 },
	{ "ip", "eip", 0, 16 }, { "flags", "eflags", 0, 16 },
};

// As in abi_x86_64.c: the tracer's ptrace(2) gives both sorts of programs the same structures.
static const struct abi_bank banks[] = {
	{ "xmm", 21, 8, 27 * 8 + 160 },
	{ "st", 11, 8, 27 * 8 + 32 },
};

static const int clone_calls[] = { 120, 2, 190, 435 }; // clone, fork, vfork, clone3

const struct abi abi_i386 = {
	.name = "i386",
	.script_name = "i386",
	.elf_machine = EM_386,
	.word_size = 4,
	.regs = regs,
	.n_regs = SP_ARRAY_SIZE(regs),
	.parts = parts,
	.n_parts = SP_ARRAY_SIZE(parts),
	.pc_offset = 128,
	.sp_offset = 152,
	.watched_offset = 176,
	.sp_dwarf = 4,
	.fp_dwarf = 5,
	.return_dwarf = 0,
	.kept = 1 << 3 | 7 << 5, // ebx, ebp, esi, edi
	.banks = banks,
	.n_banks = SP_ARRAY_SIZE(banks),
	.clone_calls = clone_calls,
	.n_clone_calls = SP_ARRAY_SIZE(clone_calls),
	.syscall_prefix = "__ia32_sys_",
	.syscall_number = SP_X86_64_CALL_NUMBER,
	.breakpoint_size = 1,
	.return_address_size = 4,
	.link_dwarf = -1,
};
