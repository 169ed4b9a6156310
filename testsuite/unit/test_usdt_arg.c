// SPDX-License-Identifier: GPL-2.0-or-later
// Arguments of marks: every form of an operand, and what is none.
#include "expect.h"

#include "compiler/probe/usdt_arg.h"

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
	{ "x86_64", "8f@%xmm0", NULL, 8, false },
	{ "x86_64", "4@table(%rip)", NULL, 4, false },
	{ "x86_64", "16@%rax", NULL, 8, true },
	{ "x86_64", "4@%nosuch", NULL, 4, false },
	{ "x86_64", "4@8(%rax", NULL, 4, false },
	{ "x86_64", "@", NULL, 8, true },
	{ "aarch64", "-4@x0", "value: reg0 sext4", 4, true },
	{ "aarch64", "8@[sp, 16]", "mem: reg31 16 +", 8, false },
	{ "aarch64", "8@[x1]", "mem: reg1", 8, false },
	{ "aarch64", "-4@5", "value: 5 sext4", 4, true },
};

static void test_forms(void)
{
	struct sp_arena arena = { 0 };

	for (size_t i = 0; i < SP_ARRAY_SIZE(cases); i++) {
		struct sp_buf text = { 0 };
		struct usdt_arg arg;

		EXPECT(usdt_arg_parse(&arena, abi_find(cases[i].machine), cases[i].args, 0, &arg));
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
	EXPECT(usdt_arg_parse(&arena, abi_find("aarch64"), "8@[sp, 16] 4@x1", 1, &arg) && arg.type->size == 4);
	EXPECT(!usdt_arg_parse(&arena, abi_find("x86_64"), "4@%eax", 1, &arg));
	EXPECT(!usdt_arg_parse(&arena, abi_find("x86_64"), "", 0, &arg));
	sp_arena_deinit(&arena);
}

int main(void)
{
	test_forms();
	test_count();
	return expect_status();
}
