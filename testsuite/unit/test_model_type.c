// SPDX-License-Identifier: GPL-2.0-or-later
// Types and location programs: what is printed, stripped, found and compared.
#include "compiler/model/loc.h"
#include "compiler/model/type.h"

#include "expect.h"

static struct c_type integer = { .kind = C_INT, .name = "int", .size = 4, .is_signed = true };
static struct c_type character = { .kind = C_INT, .name = "char", .size = 1, .is_char = true };
static struct c_type wide = { .kind = C_INT, .name = "__int128", .size = 16 };
static struct c_type real = { .kind = C_FLOAT, .name = "double", .size = 8 };

static void expect_print(const struct c_type *type, const char *want)
{
	struct sp_buf text = { 0 };

	c_type_print(&text, type);
	EXPECT_STR(sp_buf_str(&text), want);
	sp_buf_deinit(&text);
}

static void test_print(void)
{
	struct c_type file = { .kind = C_STRUCT, .name = "file" };
	struct c_type file_pointer = { .kind = C_POINTER, .target = &file };
	struct c_type const_char = { .kind = C_CONST, .target = &character };
	struct c_type text = { .kind = C_POINTER, .target = &const_char };
	struct c_type const_text = { .kind = C_CONST, .target = &text };
	struct c_type row = { .kind = C_ARRAY, .target = &integer, .count = 3 };
	struct c_type grid = { .kind = C_ARRAY, .target = &row, .count = 2 };
	struct c_type flexible = { .kind = C_ARRAY, .target = &file_pointer };
	struct c_type void_pointer = { .kind = C_POINTER };
	struct c_type anonymous = { .kind = C_UNION };
	struct c_type color = { .kind = C_ENUM, .name = "color" };
	struct c_type size = { .kind = C_TYPEDEF, .name = "size_t", .target = &integer };
	struct c_type hard = { .kind = C_VOLATILE, .target = &size };

	expect_print(NULL, "void");
	expect_print(&integer, "int");
	expect_print(&file_pointer, "struct file*");
	expect_print(&text, "char const*");
	expect_print(&const_text, "char const* const");
	expect_print(&grid, "int[2][3]");
	expect_print(&flexible, "struct file*[]");
	expect_print(&void_pointer, "void*");
	expect_print(&anonymous, "union {...}");
	expect_print(&color, "enum color");
	expect_print(&hard, "size_t volatile");
}

static void test_print_functions(void)
{
	struct c_type file = { .kind = C_STRUCT, .name = "file" };
	struct c_type file_pointer = { .kind = C_POINTER, .target = &file };
	struct c_member params[] = { { .type = &file_pointer }, { .type = &integer } };
	struct c_type func = { .kind = C_FUNC, .target = &integer, .members = params, .n_members = 2 };
	struct c_type pointer = { .kind = C_POINTER, .target = &func };
	struct c_type constant = { .kind = C_CONST, .target = &pointer };
	struct c_type table = { .kind = C_ARRAY, .target = &constant, .count = 4 };
	struct c_type open = { .kind = C_FUNC, .is_variadic = true };
	struct c_type open_pointer = { .kind = C_POINTER, .target = &open };
	struct c_type nothing = { .kind = C_FUNC, .target = &open_pointer };
	struct c_type format = { .kind = C_FUNC, .members = params, .n_members = 1, .is_variadic = true };
	struct c_type format_pointer = { .kind = C_POINTER, .target = &format };
	struct sp_buf text = { 0 };

	expect_print(&func, "int (struct file*, int)");
	expect_print(&pointer, "int (*) (struct file*, int)");
	expect_print(&constant, "int (* const) (struct file*, int)");
	expect_print(&table, "int (* const[4]) (struct file*, int)");
	expect_print(&open_pointer, "void (*) (...)");
	expect_print(&nothing, "void (*) (...) (void)");
	expect_print(&format_pointer, "void (*) (struct file*, ...)");
	// Types of broken debug information can hold themselves: the text ends all the same.
	params[0].type = params[1].type = &pointer;
	c_type_print(&text, &pointer);
	EXPECT(text.len < 10000 && strstr(sp_buf_str(&text), "..."));
	sp_buf_deinit(&text);
	file_pointer.target = &file_pointer;
	expect_print(&file_pointer, "...");
}

static void test_kinds(void)
{
	struct c_type text = { .kind = C_POINTER, .target = &character };
	struct c_type name = { .kind = C_ARRAY, .target = &character, .count = 16 };
	struct c_type alias = { .kind = C_TYPEDEF, .name = "s", .target = &name };
	struct c_type const_alias = { .kind = C_CONST, .target = &alias };
	struct c_type void_alias = { .kind = C_TYPEDEF, .name = "nothing" };
	struct c_type color = { .kind = C_ENUM, .size = 4 };
	struct c_type cycle = { .kind = C_TYPEDEF, .name = "cycle" };

	cycle.target = &cycle;
	EXPECT(c_type_strip(&const_alias) == &name);
	EXPECT(!c_type_strip(&void_alias));
	EXPECT(!c_type_strip(NULL));
	EXPECT(c_type_strip(&cycle) == &cycle); // returns
	EXPECT(c_type_is_scalar(&integer) && c_type_is_scalar(&text) && c_type_is_scalar(&color));
	EXPECT(!c_type_is_scalar(&wide) && !c_type_is_scalar(&real) && !c_type_is_scalar(&name));
	EXPECT(!c_type_is_scalar(NULL) && !c_type_is_scalar(&cycle));
	EXPECT(c_type_is_string(&text) && c_type_is_string(&const_alias));
	EXPECT(!c_type_is_string(&integer) && !c_type_is_string(&character) && !c_type_is_string(NULL));
}

static void test_members(void)
{
	struct c_member deep[] = { { .name = "x", .type = &integer, .bit_off = 8 } };
	struct c_type inner = { .kind = C_STRUCT, .members = deep, .n_members = 1 };
	struct c_member both[] = {
		{ .name = "first", .type = &integer },
		{ .type = &inner, .bit_off = 64 },
		{ .name = "last", .type = &integer, .bit_off = 128, .bit_size = 3 },
	};
	struct c_type outer = { .kind = C_STRUCT, .members = both, .n_members = 3 };
	struct c_type alias = { .kind = C_TYPEDEF, .target = &outer };
	struct c_member twice[] = { { .type = NULL }, { .type = NULL } };
	struct c_type cycle = { .kind = C_STRUCT, .members = twice, .n_members = 2 };
	uint64_t off = 0;

	EXPECT(c_type_member(&alias, "x", &off) == &deep[0]);
	EXPECT_NUM(off, 72);
	EXPECT(c_type_member(&outer, "last", &off) == &both[2]);
	EXPECT_NUM(off, 128);
	EXPECT(!c_type_member(&outer, "y", &off));
	EXPECT(!c_type_member(&integer, "x", &off));
	EXPECT(!c_type_member(NULL, "x", &off));
	EXPECT_NUM(off, 128); // untouched
	twice[0].type = twice[1].type = &cycle;
	EXPECT(!c_type_member(&cycle, "x", &off)); // returns
}

static void expect_loc(const struct loc *loc, const char *want)
{
	struct sp_buf text = { 0 };

	loc_print(&text, loc);
	EXPECT_STR(sp_buf_str(&text), want);
	sp_buf_deinit(&text);
}

static void test_loc(void)
{
	struct loc_op reg[] = { { LOC_REG, 7, NULL } };
	struct loc_op slot[] = { { LOC_REG, 6, NULL }, { LOC_CONST, -20, NULL }, { LOC_ADD, 0, NULL } };
	const uint8_t bytes[] = { 1, 0xff };
	struct loc_piece in_reg = { .where = LOC_IS_VALUE, .ops = reg, .n_ops = 1 };
	struct loc_piece in_slot = { .where = LOC_IN_MEMORY, .ops = slot, .n_ops = 3 };
	struct loc_piece pieces[] = {
		{ .where = LOC_IS_VALUE, .ops = reg, .n_ops = 1, .bit_size = 64 },
		{ .where = LOC_IS_BYTES, .bytes = bytes, .n_bytes = 2, .bit_size = 16 },
		{ .where = LOC_ABSENT, .bit_size = 3, .bit_off = 5 },
	};
	struct loc a = { &in_reg, 1 }, b = { &in_slot, 1 }, c = { pieces, 3 }, d = { pieces, 2 };
	struct loc_op other_slot[] = { { LOC_REG, 6, NULL }, { LOC_CONST, -24, NULL }, { LOC_ADD, 0, NULL } };
	struct loc_piece in_other = { .where = LOC_IN_MEMORY, .ops = other_slot, .n_ops = 3 };
	struct loc e = { &in_other, 1 };

	expect_loc(&a, "[reg7]");
	expect_loc(&b, "mem: reg6 -20 +");
	expect_loc(&c, "64 bits of [reg7]; 16 bits of bytes: 01 ff; 3 bits at 5 of absent");
	expect_loc(NULL, "nowhere");
	EXPECT(loc_equal(&a, &a) && loc_equal(NULL, NULL));
	EXPECT(!loc_equal(&a, &b) && !loc_equal(&c, &d) && !loc_equal(&b, &e) && !loc_equal(&a, NULL));
	other_slot[1].a = -20;
	EXPECT(loc_equal(&b, &e));
}

int main(void)
{
	test_print();
	test_print_functions();
	test_kinds();
	test_members();
	test_loc();
	return expect_status();
}
