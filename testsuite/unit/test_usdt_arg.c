// SPDX-License-Identifier: GPL-2.0-or-later
// Arguments of marks: every form of an operand, and what is none.
#include "expect.h"

#include "compiler/probe/usdt_arg.h"

#include <string.h>

static const struct {
	const char *machine, *args, *loc; // NULL: it cannot be read
	uint64_t size;
	bool is_signed;
} cases[] = {
	{ "x86_64", "-4@%edi", "value: reg5 sext4", 4, true },
	{ "x86_64", "4@%edi", "value: reg5 zext4", 4, false },
	{ "x86_64", "8@%rax", "[reg0]", 8, false },
	{ "x86_64", "-1@%ah", "value: reg0 8 >>u sext1", 1, true },
	{ "x86_64", "1@%r10b", "value: reg10 zext1", 1, false },
	{ "x86_64", "-4@$-5", "value: -5 sext4", 4, true },
	{ "x86_64", "8@$0x10", "[16]", 8, false },
	{ "x86_64", "%rbx", "[reg3]", 8, true },
	{ "x86_64", "-8@-16(%rbp)", "mem: -16 reg6 +", 8, true },
	{ "x86_64", "2@(%rsp)", "mem: 0 reg7 +", 2, false },
	{ "x86_64", "-4@8(%rax,%rdx,4)", "mem: 8 reg0 + reg1 4 * +", 4, true },
	{ "x86_64", "-4@(,%rdx,8)", "mem: 0 reg1 8 * +", 4, true },
	{ "x86_64", "-8(%rbp)", "mem: -8 reg6 +", 8, true },
	{ "x86_64", "$5", "[5]", 8, true },
	{ "x86_64", "8f@%xmm0", "[reg17]", 8, true },
	{ "x86_64", "4f@%xmm15", "[reg32]", 4, true },
	{ "x86_64", "8f@-24(%rbp)", "mem: -24 reg6 +", 8, true },
	{ "x86_64", "8f@table(%rip)", "mem: addr 0x4000", 8, true },
	{ "x86_64", "4@table(%rip)", "mem: addr 0x4000", 4, false },
	{ "x86_64", "-4@table+4(%rip)", "mem: addr 0x4004", 4, true },
	{ "x86_64", "-4@24+table(%rip)", "mem: addr 0x4018", 4, true },
	{ "x86_64", "-4@-8+table+4(%rip)", "mem: addr 0x3ffc", 4, true },
	{ "x86_64", "8@table", "mem: addr 0x4000", 8, false },
	{ "x86_64", "8@table(,%rax,8)", "mem: addr 0x4000 reg0 8 * +", 8, false },
	{ "x86_64", "8@table-8(%rbx,%rax)", "mem: addr 0x3ff8 reg3 + reg0 1 * +", 8, false },
	{ "x86_64", "8@$table", "[addr 0x4000]", 8, false },
	{ "x86_64", "8@$table+16", "[addr 0x4010]", 8, false },
	{ "x86_64", "-4@$-5+2", "value: -3 sext4", 4, true },
	{ "x86_64", "8@-16+8(%rsp)", "mem: -8 reg7 +", 8, false },
	{ "x86_64", "8@$9223372036854775806", "[9223372036854775806]", 8, false },
	{ "x86_64", "8@$18446744073709551615", "[-1]", 8, false },
	{ "x86_64", "4@nosuch(%rip)", NULL, 4, false },
	{ "x86_64", "8@table@GOTPCREL(%rip)", NULL, 8, false },
	{ "x86_64", "8@-table(%rip)", NULL, 8, false },
	{ "x86_64", "8@table+table(%rip)", NULL, 8, false },
	{ "x86_64", "8@16(%rip)", NULL, 8, false },
	{ "x86_64", "8@%fs:40", NULL, 8, false },
	{ "x86_64", "8@16", NULL, 8, false },
	{ "x86_64", "16f@%xmm0", NULL, 8, true },
	{ "x86_64", "8f@%xmm99", NULL, 8, true },
	{ "x86_64", "16@%rax", NULL, 8, true },
	{ "x86_64", "4@%nosuch", NULL, 4, false },
	{ "x86_64", "4@8(%rax", NULL, 4, false },
	{ "x86_64", "@", NULL, 8, true },
	{ "i386", "-4@16+table@GOTOFF(%ebx)", "mem: -4080 reg3 + zext4", 4, true },
	{ "i386", "2@table@GOTOFF(%ebx,%ecx,2)", "mem: -4096 reg3 + reg1 2 * + zext4", 2, false },
	{ "i386", "-4@-4(%ebp)", "mem: -4 reg5 + zext4", 4, true },
	{ "i386", "-4@table(,%ecx,4)", "mem: addr 0x4000 reg1 4 * + zext4", 4, true },
	{ "i386", "4@table@GOTOFF+table@GOTOFF(%ebx)", NULL, 4, false },
	{ "i386", "4@nosuch@GOTOFF(%ebx)", NULL, 4, false },
	{ "i386", "4@table@GOT(%ebx)", NULL, 4, false },
	{ "aarch64", "-4@x0", "value: reg0 sext4", 4, true },
	{ "aarch64", "8@[sp, 16]", "mem: reg31 16 +", 8, false },
	{ "aarch64", "8@[x1]", "mem: reg1", 8, false },
	{ "aarch64", "-4@5", "value: 5 sext4", 4, true },
	{ "aarch64", "-4@#-5", "value: -5 sext4", 4, true },
	{ "aarch64", "4@w3", "value: reg3 zext4", 4, false },
	{ "aarch64", "8@sp", "[reg31]", 8, false },
	{ "aarch64", "8@xzr", "[0]", 8, false },
	{ "aarch64", "8@[x29, #-16]", "mem: reg29 -16 +", 8, false },
	{ "aarch64", "8@[x1,x2]", "mem: reg1 reg2 +", 8, false },
	{ "aarch64", "8@[x1, x2, lsl #3]", "mem: reg1 reg2 3 << +", 8, false },
	{ "aarch64", "8@[x1, x2, lsl 3]", "mem: reg1 reg2 3 << +", 8, false },
	{ "aarch64", "-4@[x1, w2, sxtw 2]", "mem: reg1 reg2 sext4 2 << +", 4, true },
	{ "aarch64", "-4@[x1, w2, uxtw]", "mem: reg1 reg2 zext4 0 << +", 4, true },
	{ "aarch64", "8f@d3", "[reg67]", 8, true },
	{ "aarch64", "4f@s31", "[reg95]", 4, true },
	{ "aarch64", "8f@[sp, 8]", "mem: reg31 8 +", 8, true },
	{ "aarch64", "8@[x1, x2, ror 3]", NULL, 8, false },
	{ "aarch64", "8@[x1, :lo12:table]", NULL, 8, false },
	{ "aarch64", "8@[x1", NULL, 8, false },
	{ "aarch64", "8@x31", NULL, 8, false },
};

static bool find_table(void *ctx, const char *name, uint64_t *ret)
{
	(void)ctx;
	*ret = strcmp(name, "table") ? 0x5000 : 0x4000;
	return !strcmp(name, "table") || !strcmp(name, "_GLOBAL_OFFSET_TABLE_");
}

static const struct usdt_symbols symbols = { .find = find_table };

static void test_forms(void)
{
	struct sp_arena arena = { 0 };

	for (size_t i = 0; i < SP_ARRAY_SIZE(cases); i++) {
		struct sp_buf text = { 0 };
		struct usdt_arg arg;

		EXPECT(usdt_arg_parse(&arena, abi_find(cases[i].machine), &symbols, cases[i].args, 0, &arg));
		if (arg.loc)
			loc_print(&text, arg.loc);
		EXPECT_STR(arg.loc ? sp_buf_str(&text) : arg.why ? "none" : "", cases[i].loc ? cases[i].loc : "none");
		EXPECT_NUM((int64_t)arg.type->size, (int64_t)cases[i].size);
		EXPECT_NUM(arg.type->is_signed, cases[i].is_signed);
		sp_buf_deinit(&text);
	}
	sp_arena_deinit(&arena);
}

static void test_count(void)
{
	struct sp_arena arena = { 0 };
	struct usdt_arg arg;

	EXPECT_NUM(usdt_arg_count(""), 0);
	EXPECT_NUM(usdt_arg_count(" 4@%eax  -8@8(%rbp)"), 2);
	EXPECT_NUM(usdt_arg_count("8@[sp, 16] 4@x1"), 2);
	EXPECT(usdt_arg_parse(&arena, abi_find("aarch64"), NULL, "8@[sp, 16] 4@x1", 1, &arg) && arg.type->size == 4);
	EXPECT(!usdt_arg_parse(&arena, abi_find("x86_64"), NULL, "4@%eax", 1, &arg));
	EXPECT(!usdt_arg_parse(&arena, abi_find("x86_64"), NULL, "", 0, &arg));
	sp_arena_deinit(&arena);
}

int main(void)
{
	test_forms();
	test_count();
	return expect_status();
}
