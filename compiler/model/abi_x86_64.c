// SPDX-License-Identifier: GPL-2.0-or-later
// Register numbers: System V ABI, AMD64 supplement, figure 3.36. Offsets: struct pt_regs of
// arch/x86/include/asm/ptrace.h, which is kernel ABI for kprobe and uprobe programs.
#include "compiler/model/abi.h"
#include "compiler/model/abi_tables.h"

#include "runtime/abi/syscall.h"

#include <elf.h>

static const struct abi_reg regs[] = {
	{ "rax", 0, 80 },
	{ "rdx", 1, 96 },
	{ "rcx", 2, 88 },
	{ "rbx", 3, 40 },
	{ "rsi", 4, 104 },
	{ "rdi", 5, 112 },
	{ "rbp", 6, 32 },
	{ "rsp", 7, 152 },
	{ "r8", 8, 72 },
	{ "r9", 9, 64 },
	{ "r10", 10, 56 },
	{ "r11", 11, 48 },
	{ "r12", 12, 24 },
	{ "r13", 13, 16 },
	{ "r14", 14, 8 },
	{ "r15", 15, 0 },
	{ "rip", 16, 128 },
	{ "eflags", 49, 144 },
	{ "cs", 51, 136 },
	{ "ss", 52, 160 },
	{ "orig_rax", -1, 120 }, // has no DWARF number
};

static const struct abi_part parts[] = {
	{ "eax", "rax", 0, 32 }, { "ax", "rax", 0, 16 }, { "al", "rax", 0, 8 }, { "ah", "rax", 8, 8 },
	{ "ebx", "rbx", 0, 32 }, { "bx", "rbx", 0, 16 }, { "bl", "rbx", 0, 8 }, { "bh", "rbx", 8, 8 },
	{ "ecx", "rcx", 0, 32 }, { "cx", "rcx", 0, 16 }, { "cl", "rcx", 0, 8 }, { "ch", "rcx", 8, 8 },
	{ "edx", "rdx", 0, 32 }, { "dx", "rdx", 0, 16 }, { "dl", "rdx", 0, 8 }, { "dh", "rdx", 8, 8 },
	{ "esi", "rsi", 0, 32 }, { "si", "rsi", 0, 16 }, { "edi", "rdi", 0, 32 }, { "di", "rdi", 0, 16 },
	{ "ebp", "rbp", 0, 32 }, { "bp", "rbp", 0, 16 }, { "esp", "rsp", 0, 32 }, { "sp", "rsp", 0, 16 },
	{ "eip", "rip", 0, 32 }, { "ip", "rip", 0, 16 }, { "orig_eax", "orig_rax", 0, 32 }, { "flags", "eflags", 0, 16 },
	{ "sil", "rsi", 0, 8 }, { "dil", "rdi", 0, 8 }, { "bpl", "rbp", 0, 8 }, { "spl", "rsp", 0, 8 },
	{ "r8d", "r8", 0, 32 }, { "r8w", "r8", 0, 16 }, { "r8b", "r8", 0, 8 },
	{ "r9d", "r9", 0, 32 }, { "r9w", "r9", 0, 16 }, { "r9b", "r9", 0, 8 },
	{ "r10d", "r10", 0, 32 }, { "r10w", "r10", 0, 16 }, { "r10b", "r10", 0, 8 },
	{ "r11d", "r11", 0, 32 }, { "r11w", "r11", 0, 16 }, { "r11b", "r11", 0, 8 },
	{ "r12d", "r12", 0, 32 }, { "r12w", "r12", 0, 16 }, { "r12b", "r12", 0, 8 },
	{ "r13d", "r13", 0, 32 }, { "r13w", "r13", 0, 16 }, { "r13b", "r13", 0, 8 },
	{ "r14d", "r14", 0, 32 }, { "r14w", "r14", 0, 16 }, { "r14b", "r14", 0, 8 },
	{ "r15d", "r15", 0, 32 }, { "r15w", "r15", 0, 16 }, { "r15b", "r15", 0, 8 },
	{ "xcs", "cs", 0, 64 }, { "xss", "ss", 0, 64 },
};

// Behind struct user_regs_struct the user engine has struct user_fpregs_struct.
static const struct abi_bank banks[] = {
	{ "xmm", 17, 16, 27 * 8 + 160 },
	{ "st", 33, 8, 27 * 8 + 32 },
};

static const int clone_calls[] = { 56, 57, 58, 435 }; // clone, fork, vfork, clone3
static const uint16_t syscall_args[] = { 112, 104, 96, 56, 72, 64 }; // rdi, rsi, rdx, r10, r8, r9
static const uint16_t compat_args[] = { 40, 88, 96, 104, 112, 32 }; // ebx, ecx, edx, esi, edi, ebp
static const int args[] = { 5, 4, 1, 2, 8, 9 };

const struct abi abi_x86_64 = {
	.name = "x86_64",
	.script_name = "x86_64",
	.elf_machine = EM_X86_64,
	.word_size = 8,
	.regs = regs,
	.n_regs = SP_ARRAY_SIZE(regs),
	.parts = parts,
	.n_parts = SP_ARRAY_SIZE(parts),
	.pc_offset = 128,
	.sp_offset = 152,
	.watched_offset = 176,
	.sp_dwarf = 7,
	.fp_dwarf = 6,
	.return_dwarf = 0,
	.kept = 1 << 3 | 1 << 6 | 0xf << 12, // rbx, rbp, r12 to r15
	.banks = banks,
	.n_banks = SP_ARRAY_SIZE(banks),
	.kernel_args = args,
	.user_args = args,
	.n_args = SP_ARRAY_SIZE(args),
	.clone_calls = clone_calls,
	.n_clone_calls = SP_ARRAY_SIZE(clone_calls),
	.thread_pointer = "fsbase",
	.thread_pointer_offset = 21 * 8,
	.syscall_prefix = "__x64_sys_",
	.syscalls = { { syscall_args, 8 }, { compat_args, 4 } },
	.syscall_number = SP_X86_64_CALL_NUMBER,
	.compat_member = SP_X86_64_COMPAT_MEMBER,
	.compat_bit = SP_X86_64_COMPAT_BIT,
	.breakpoint_size = 1, // int3; where a jump or ftrace serves the probe, the kernel makes it look like one
	.return_address_size = 8,
	.link_dwarf = -1,
};
