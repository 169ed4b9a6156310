// SPDX-License-Identifier: GPL-2.0-or-later
// Each row of the register tables against the kernel's own structures and the architectures' DWARF numbering.
#include "compiler/model/abi.h"

#include "expect.h"

#include <elf.h>

struct row {
	const char *name;
	int dwarf;
	unsigned offset;
};

// As `struct pt_regs` of x86_64 lies in memory: r15 first.
static const struct row x86_64[] = {
	{ "r15", 15, 0 },   { "r14", 14, 8 },	{ "r13", 13, 16 },    { "r12", 12, 24 }, { "rbp", 6, 32 },
	{ "rbx", 3, 40 },   { "r11", 11, 48 },	{ "r10", 10, 56 },    { "r9", 9, 64 },	 { "r8", 8, 72 },
	{ "rax", 0, 80 },   { "rcx", 2, 88 },	{ "rdx", 1, 96 },     { "rsi", 4, 104 }, { "rdi", 5, 112 },
	{ "orig_rax", -1, 120 }, { "rip", 16, 128 }, { "cs", 51, 136 }, { "eflags", 49, 144 }, { "rsp", 7, 152 },
	{ "ss", 52, 160 },
};

static void expect_rows(const struct abi *abi, const struct row *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct abi_reg *reg = abi_reg_name(abi, rows[i].name);
		EXPECT(reg);
		if (!reg)
			continue;
		EXPECT_STR(reg->name, rows[i].name);
		EXPECT_NUM(reg->dwarf, rows[i].dwarf);
		EXPECT_NUM(reg->offset, rows[i].offset);
		if (rows[i].dwarf >= 0)
			EXPECT(abi_reg_dwarf(abi, rows[i].dwarf) == reg);
	}
}

static void expect_args(const struct abi *abi, const char *const *names, unsigned n)
{
	EXPECT_NUM(abi->n_args, n);
	for (unsigned i = 0; i < n; i++) {
		EXPECT_STR(abi_reg_dwarf(abi, abi->kernel_args[i])->name, names[i]);
		EXPECT_STR(abi_reg_dwarf(abi, abi->user_args[i])->name, names[i]);
	}
}

static void expect_parts(const struct abi *abi)
{
	for (unsigned i = 0; i < abi->n_parts; i++) {
		const struct abi_part *part = &abi->parts[i];
		EXPECT(abi_reg_name(abi, part->whole));
		EXPECT(!abi_reg_name(abi, part->name));
		EXPECT(abi_part_name(abi, part->name) == part);
		EXPECT(part->bit + part->bits <= 64);
	}
	EXPECT(!abi_part_name(abi, "nosuch"));
}

static void test_x86_64(void)
{
	const struct abi *abi = abi_find("x86_64");
	// The fourth is rcx: r10 is where system calls have it.
	static const char *const args[] = { "rdi", "rsi", "rdx", "rcx", "r8", "r9" };

	EXPECT(abi && abi == abi_find_elf(EM_X86_64));
	EXPECT_NUM(abi->n_regs, SP_ARRAY_SIZE(x86_64));
	expect_rows(abi, x86_64, SP_ARRAY_SIZE(x86_64));
	expect_args(abi, args, 6);
	EXPECT_STR(abi->script_name, "x86_64");
	EXPECT_STR(abi->syscall_prefix, "__x64_sys_");
	EXPECT_STR(abi_reg_dwarf(abi, abi->sp_dwarf)->name, "rsp");
	EXPECT_STR(abi_reg_dwarf(abi, abi->fp_dwarf)->name, "rbp");
	EXPECT_STR(abi_reg_dwarf(abi, abi->return_dwarf)->name, "rax");
	EXPECT_NUM(abi->sp_offset, abi_reg_name(abi, "rsp")->offset);
	EXPECT_NUM(abi->pc_offset, abi_reg_name(abi, "rip")->offset);
	EXPECT_NUM(abi->return_address_size, 8);
	EXPECT_NUM(abi->breakpoint_size, 1);
	EXPECT(!abi_reg_dwarf(abi, 17)); // xmm0
	EXPECT_STR(abi_bank_dwarf(abi, 17)->name, "xmm");
	EXPECT(abi_bank_dwarf(abi, 32) == abi_bank_dwarf(abi, 17));
	EXPECT_STR(abi_bank_dwarf(abi, 33)->name, "st");
	EXPECT(!abi_bank_dwarf(abi, 41) && !abi_bank_dwarf(abi, 16));
	EXPECT(!abi_reg_dwarf(abi, -1));
	EXPECT(!abi_reg_name(abi, "x0"));
	expect_parts(abi);
	EXPECT_STR(abi_part_name(abi, "ch")->whole, "rcx");
	EXPECT_NUM(abi_part_name(abi, "ch")->bit, 8);
	EXPECT_NUM(abi_part_name(abi, "esi")->bits, 32);
}

// 32-bit programs: the kernel saves their registers where it has those of the others.
static void test_i386(void)
{
	static const struct {
		const char *name, *whole;
		int dwarf;
	} rows[] = {
		{ "eax", "rax", 0 }, { "ecx", "rcx", 1 }, { "edx", "rdx", 2 }, { "ebx", "rbx", 3 }, { "esp", "rsp", 4 },
		{ "ebp", "rbp", 5 }, { "esi", "rsi", 6 }, { "edi", "rdi", 7 }, { "eip", "rip", 8 }, { "eflags", "eflags", 9 },
		{ "cs", "cs", 41 }, { "ss", "ss", 42 }, { "orig_eax", "orig_rax", -1 },
	};
	const struct abi *abi = abi_find("i386"), *wide = abi_find("x86_64");

	EXPECT(abi && abi == abi_find_elf(EM_386));
	EXPECT_NUM(abi->n_regs, SP_ARRAY_SIZE(rows));
	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++)
		expect_rows(abi, &(struct row){ rows[i].name, rows[i].dwarf, abi_reg_name(wide, rows[i].whole)->offset }, 1);
	EXPECT_STR(abi_reg_dwarf(abi, abi->sp_dwarf)->name, "esp");
	EXPECT_STR(abi_reg_dwarf(abi, abi->fp_dwarf)->name, "ebp");
	EXPECT_STR(abi_reg_dwarf(abi, abi->return_dwarf)->name, "eax");
	EXPECT_NUM(abi->sp_offset, abi_reg_name(abi, "esp")->offset);
	EXPECT_NUM(abi->pc_offset, abi_reg_name(abi, "eip")->offset);
	EXPECT_NUM(abi->return_address_size, 4);
	EXPECT_NUM(abi->word_size, 4);
	EXPECT_NUM(wide->word_size, 8);
	EXPECT_NUM(abi->n_args, 0);
	EXPECT_STR(abi_bank_dwarf(abi, 21)->name, "xmm");
	EXPECT_STR(abi_bank_dwarf(abi, 11)->name, "st");
	expect_parts(abi);
	EXPECT_STR(abi_part_name(abi, "ch")->whole, "ecx");
}

static void test_aarch64(void)
{
	const struct abi *abi = abi_find("aarch64");
	static const char *const args[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" };
	static const struct row others[] = {
		{ "sp", 31, 248 }, { "pc", 32, 256 }, { "pstate", -1, 264 },
	};

	EXPECT(abi && abi == abi_find_elf(EM_AARCH64));
	for (unsigned i = 0; i < 31; i++) {
		char name[8];
		snprintf(name, sizeof(name), "x%u", i);
		expect_rows(abi, &(struct row){ name, (int)i, 8 * i }, 1);
	}
	expect_rows(abi, others, SP_ARRAY_SIZE(others));
	EXPECT_NUM(abi_reg_name(abi, "fp")->offset, 8 * 29);
	EXPECT_NUM(abi_reg_name(abi, "lr")->offset, 8 * 30);
	EXPECT_NUM(abi->n_regs, 31 + SP_ARRAY_SIZE(others) + 2);
	expect_args(abi, args, 8);
	EXPECT_STR(abi->script_name, "arm64");
	EXPECT_STR(abi->syscall_prefix, "__arm64_sys_");
	EXPECT_STR(abi_reg_dwarf(abi, abi->sp_dwarf)->name, "sp");
	EXPECT_STR(abi_reg_dwarf(abi, abi->return_dwarf)->name, "x0");
	EXPECT_NUM(abi->sp_offset, 248);
	EXPECT_NUM(abi->pc_offset, 256);
	EXPECT_NUM(abi->return_address_size, 0);
	EXPECT_NUM(abi->link_dwarf, abi_reg_name(abi, "lr")->dwarf);
	EXPECT_NUM(abi->breakpoint_size, 0);
	expect_parts(abi);
	EXPECT_STR(abi_part_name(abi, "w17")->whole, "x17");
}

int main(void)
{
	test_x86_64();
	test_aarch64();
	test_i386();
	EXPECT(!abi_find("vax"));
	EXPECT(!abi_find_elf(EM_SPARCV9));
	return expect_status();
}
