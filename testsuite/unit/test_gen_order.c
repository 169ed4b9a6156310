// SPDX-License-Identifier: GPL-2.0-or-later
// The order in which code is made means nothing: however a unit's programs stand, each gets the same code. What holds a
// program's number (its records, its counters) is left out, and so are the numbers that LLVM gives to names.
#include "gen_make.h"

#include <ctype.h>

// Three in the kernel, of which one alone may end the script, and two that run outside; they share functions and an array.
#define N_PROGS 5

static struct ir_stmt *endless(struct ir_unit *u, struct ir_stmt *body)
{
	return loop_of(u, builtin_of(u, BUILTIN_CPU), body, NULL);
}

static struct ir_stmt *body(struct ir_unit *u, unsigned which)
{
	struct ir_stmt *count = eval_of(u, map_op(u, IR_MAP_ADD, 0, num(u, 1), IR_WANT_NONE, 1, builtin_of(u, BUILTIN_PID)));

	switch (which) {
	case 0:
		return endless(u, list_of(count, eval_of(u, call_of(u, 0, 0)), NULL));
	case 1:
		return list_of(print_of(u, "%d\n", 1, builtin_of(u, BUILTIN_TID)), exit_of(u), NULL);
	case 2:
		return list_of(count, print_of(u, "%s\n", 1, sprint_of(u, 64, "%d", 1, call_of(u, 0, 0))), NULL);
	case 3:
		return eval_of(u, call_of(u, 1, 0));
	}
	return print_of(u, "%d\n", 1, num(u, 7));
}

static void add(struct ir_unit *u, unsigned which, struct ir_stmt *list)
{
	static const char *const names[N_PROGS] = { "loops", "ends", "counts", "calls", "prints" };
	struct ir_prog *p = which < 3 ? add_raw_tp(u, names[which])
				      : add_prog(u, names[which], "", SP_PROG_USER, SP_SITE_BEGIN, "");

	p->body = list;
}

static void build(struct gen_made *made, const unsigned *order)
{
	struct ir_stmt *bodies[N_PROGS];
	struct ir_unit *u;
	struct ir_func *f;

	*made = made_begin();
	u = made->unit;
	add_map(u, "a", "l", 0, 100);
	f = ir_func_new(u, "f", IR_LONG, 0);
	f->body = endless(u, stmt_of(u, IR_S_RETURN, 0, two(u, IR_DIV, num(u, 8), builtin_of(u, BUILTIN_CPU))));
	f = ir_func_new(u, "g", IR_LONG, 0);
	f->body = stmt_of(u, IR_S_RETURN, 0, call_of(u, 1, 0));
	for (unsigned i = 0; i < N_PROGS; i++) // formats and places have their numbers before
		bodies[i] = body(u, i);
	for (unsigned i = 0; i < N_PROGS; i++)
		add(u, order[i], bodies[order[i]]);
	EXPECT_STR(made_end(made) ? "" : made->error, "");
}

// ---- comparing ----------------------------------------------------------------------------------

// One number: records have their program's in bits 16 to 31.
static const char *put_number(struct sp_buf *out, const char *s)
{
	char *end;
	long long number = strtoll(s, &end, 10);

	sp_buf_printf(out, "%llx", (unsigned long long)number & ~0xffff0000ull);
	return end;
}

static bool is_number(const char *s)
{
	return isdigit((unsigned char)*s) || (*s == '-' && isdigit((unsigned char)s[1]));
}

// A function's text, without what is the module's.
static void put_function(struct sp_buf *out, const char *s, const char *end)
{
	static const char counters[] = "@spile_data", index[] = ", i64 ", place[] = ", !dbg !", section[] = "section \"";

	while (s < end) {
		if (sp_starts_with(s, place) || sp_starts_with(s, place + 1)) {
			s = strchr(s, '!') + strlen("!dbg !");
			s += strspn(s, "0123456789");
		} else if (*s == '#' || (sp_starts_with(s, "@c") && isdigit((unsigned char)s[2]))) { // a group of attributes; a constant
			sp_buf_putc(out, *s);
			s += *s == '@' ? 2 : 1;
			s += strspn(s, "0123456789");
		} else if (sp_starts_with(s, section)) {
			s = strchr(s + strlen(section), '"') + 1;
		} else if (sp_starts_with(s, counters)) {
			s += strlen(counters);
			while (sp_starts_with(s, index)) {
				s += strlen(index);
				s += strspn(s, "0123456789");
			}
		} else if (*s == ' ' && is_number(s + 1)) {
			sp_buf_putc(out, *s);
			s = put_number(out, s + 1);
		} else {
			sp_buf_putc(out, *s++);
		}
	}
}

// Of the program and of what is made for it alone.
static void code_of(const struct gen_made *made, const char *name, struct sp_buf *out)
{
	for (const char *s = sp_buf_str(&made->llvm_ir); (s = strstr(s, "\ndefine ")); s++) {
		const char *at = strchr(s, '@') + 1, *end = strstr(s, "\n}");

		at += sp_starts_with(at, "tp_") ? 3 : 0;
		if (sp_starts_with(at, name) && (at[strlen(name)] == '(' || sp_starts_with(at + strlen(name), "__")))
			put_function(out, s, end);
	}
}

static void compare(const struct gen_made *first, const struct gen_made *other)
{
	for (unsigned i = 0; i < N_PROGS; i++) {
		const struct ir_prog *p = &first->unit->progs.v[i];
		const char *name = sp_starts_with(p->name, "tp_") ? p->name + 3 : p->name;
		struct sp_buf want = { 0 }, got = { 0 };

		code_of(first, name, &want);
		code_of(other, name, &got);
		EXPECT(want.len > 100);
		EXPECT_STR(sp_buf_str(&got), sp_buf_str(&want));
		sp_buf_deinit(&want);
		sp_buf_deinit(&got);
	}
}

int main(void)
{
	static const unsigned orders[][N_PROGS] = {
		{ 0, 1, 2, 3, 4 }, { 4, 3, 2, 1, 0 }, { 1, 0, 4, 2, 3 }, { 3, 2, 0, 4, 1 }, { 2, 4, 1, 3, 0 },
	};
	struct gen_made first, other;

	build(&first, orders[0]);
	EXPECT_NUM(first.plan->can_end, true);
	for (size_t i = 1; i < SP_ARRAY_SIZE(orders) && !expect_failures; i++) {
		build(&other, orders[i]);
		compare(&first, &other);
		if (expect_failures)
			printf("in order %zu\n", i);
		made_deinit(&other);
	}
	made_deinit(&first);
	return expect_status();
}
