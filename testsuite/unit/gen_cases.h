// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers that print the same in the VM and in the kernel. */
#ifndef SP_TEST_GEN_CASES_H
#define SP_TEST_GEN_CASES_H

#include "gen_make.h"

#define LONGEST 128
#define CASE_VM 1u // not for the kernel
#define CASE_CTX 2u // runs with case_ctx

struct gen_case {
	const char *name;
	void (*build)(struct ir_unit *u, struct ir_prog *p);
	const char *output;
	const char *logged; // part of it; NULL: nothing may be logged
	unsigned flags;
};

static const char case_text[] = "text in the process";
static const uint64_t case_ctx[8] = { 1, 0x8877665544332211, UINT64_MAX, 4 };

// ---- numbers ------------------------------------------------------------------------------------

static struct ir_expr *hide(struct ir_unit *u, struct ir_prog *p, struct ir_stmt **list, int64_t value)
{
	// A global, so that nothing is known of the number.
	uint32_t g = add_global(u, sp_arena_printf(&u->arena, "g%zu", u->globals.n), IR_LONG, 0);

	(void)p;
	(void)list;
	u->globals.v[g].init = value;
	return global_of(u, g);
}

static void build_arithmetic(struct ir_unit *u, struct ir_prog *p)
{
	static const struct {
		enum ir_expr_op op;
		int64_t a, b;
	} rows[] = {
		{ IR_ADD, INT64_MAX, 1 }, { IR_SUB, 5, 7 },    { IR_MUL, -3, 7 },
		{ IR_DIV, -7, 2 },	  { IR_DIV, 7, -2 },   { IR_DIV, INT64_MIN, -1 },
		{ IR_MOD, -7, 2 },	  { IR_MOD, 7, -2 },   { IR_MOD, INT64_MIN, -1 },
		{ IR_UDIV, -1, 2 },	  { IR_UMOD, -1, 10 }, { IR_AND, 12, 10 },
		{ IR_OR, 12, 10 },	  { IR_XOR, 12, 10 },  { IR_SHL, 1, 65 },
		{ IR_SHR, -8, 1 },	  { IR_USHR, -8, 60 }, { IR_LT, -1, 1 },
		{ IR_GE, -1, 1 },
	};
	struct ir_stmt *list = NULL, *s;

	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++) {
		s = print_of(u, "%d ", 1,
			     two(u, rows[i].op, hide(u, p, NULL, rows[i].a),
				 hide(u, p, NULL, rows[i].b)));
		list = list ? list_of(list, s, NULL) : s;
		// The same with a constant, where other code is made.
		s = print_of(u, "%d\n", 1,
			     two(u, rows[i].op, hide(u, p, NULL, rows[i].a), num(u, rows[i].b)));
		list = list_of(list, s, NULL);
	}
	p->body = list;
}

static const char out_arithmetic[] =
	"-9223372036854775808 -9223372036854775808\n-2 -2\n-21 -21\n-3 -3\n-3 -3\n"
	"-9223372036854775808 -9223372036854775808\n-1 -1\n1 1\n0 0\n"
	"9223372036854775807 9223372036854775807\n5 5\n8 8\n14 14\n6 6\n2 2\n-4 -4\n15 15\n1 1\n0 "
	"0\n";

static void build_logic(struct ir_unit *u, struct ir_prog *p)
{
	struct ir_expr *cond = ir_expr_new(u, IR_COND, IR_LONG, IR_NO_PLACE),
		       *sext = ir_unary(u, IR_SEXT, num(u, 0x80));
	struct ir_expr *zext = ir_unary(u, IR_ZEXT, num(u, 0x180));
	// 1 / 0 on the lazy side must not be evaluated.
	struct ir_expr *bad[3];

	for (unsigned i = 0; i < 3; i++)
		bad[i] = two(u, IR_DIV, num(u, 1), hide(u, p, NULL, 0));

	cond->a = hide(u, p, NULL, 1);
	cond->b = num(u, 11);
	cond->c = bad[0];
	sext->a = hide(u, p, NULL, 0x80);
	zext->a = hide(u, p, NULL, 0x180);
	sext->bits = zext->bits = 8;
	p->body = print_of(u, "%d %d %d %d %d %d %d\n", 7, two(u, IR_LAND, hide(u, p, NULL, 0), bad[1]),
			   two(u, IR_LOR, hide(u, p, NULL, 5), bad[2]), cond, sext, zext,
			   ir_unary(u, IR_LNOT, hide(u, p, NULL, 3)),
			   ir_unary(u, IR_NOT, hide(u, p, NULL, 0)));
}

// case_ctx in pieces of each size.
static void build_context(struct ir_unit *u, struct ir_prog *p)
{
	p->body = list_of(print_of(u, "%x %x %x %x\n", 4, ctx_of(u, 8, 8, false),
				   ctx_of(u, 8, 4, false), ctx_of(u, 10, 2, false),
				   ctx_of(u, 15, 1, false)),
			  print_of(u, "%d %d %d %d\n", 4, ctx_of(u, 12, 4, true),
				   ctx_of(u, 8, 4, true), ctx_of(u, 15, 1, true),
				   two(u, IR_SUB, ctx_of(u, 24, 0, false), ctx_of(u, 8, 0, false))),
			  NULL);
}

// ---- variables and control ----------------------------------------------------------------------

// for (i = 0; i < trips; i++) sum += i, with a break at 100.
static struct ir_stmt *sum_loop(struct ir_unit *u, uint32_t i, uint32_t sum, struct ir_expr *trips)
{
	struct ir_expr *vi = ir_local(u, i, IR_LONG, 0), *vs = ir_local(u, sum, IR_LONG, 0);

	return list_of(
		set_of(u, i, num(u, 0)),
		loop_of(u, two(u, IR_LT, vi, trips),
			list_of(if_of(u, two(u, IR_EQ, vi, num(u, 100)),
				      stmt_of(u, IR_S_BREAK, 0, NULL), NULL),
				if_of(u, two(u, IR_EQ, two(u, IR_AND, vi, num(u, 1)), num(u, 1)),
				      stmt_of(u, IR_S_CONTINUE, 0, NULL), NULL),
				set_of(u, sum, two(u, IR_ADD, vs, vi)), NULL),
			set_of(u, i, two(u, IR_ADD, vi, num(u, 1)))),
		NULL);
}

static void build_loops(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t i = add_local(u, p, IR_LONG, 0), sum = add_local(u, p, IR_LONG, 0);

	p->body = list_of(sum_loop(u, i, sum, num(u, 8)), // unrolled
			  print_of(u, "%d\n", 1, ir_local(u, sum, IR_LONG, 0)),
			  sum_loop(u, i, sum, num(u, 90)), // bounded
			  print_of(u, "%d\n", 1, ir_local(u, sum, IR_LONG, 0)),
			  sum_loop(u, i, sum, hide(u, p, NULL, 300)), // bounded by MAXACTION
			  print_of(u, "%d\n", 1, ir_local(u, sum, IR_LONG, 0)),
			  sum_loop(u, i, sum, hide(u, p, NULL, 10)),
			  print_of(u, "%d\n", 1, ir_local(u, sum, IR_LONG, 0)), NULL);
}

static void build_globals(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t n = add_global(u, "n", IR_LONG, 0), s = add_global(u, "s", IR_STR, 64);
	struct ir_expr *old = ir_expr_new(u, IR_GLOBAL_ADD, IR_LONG, IR_NO_PLACE);
	struct ir_expr *new = ir_expr_new(u, IR_GLOBAL_ADD, IR_LONG, IR_NO_PLACE);

	u->globals.v[n].init = 40;
	u->globals.v[s].init_text = "first";
	u->globals.v[s].init_len = 5;
	old->global = new->global = n;
	old->a = num(u, 1);
	new->a = num(u, -5);
	old->want = IR_WANT_OLD;
	new->want = IR_WANT_NEW;
	p->body = list_of(print_of(u, "%d %s\n", 2, global_of(u, n), global_of(u, s)),
			  print_of(u, "%d\n", 1, old), print_of(u, "%d\n", 1, new),
			  stmt_of(u, IR_S_GSET, n, two(u, IR_MUL, global_of(u, n), num(u, 2))),
			  stmt_of(u, IR_S_GSET, s, join(u, 64, global_of(u, s), lit(u, " second"))),
			  print_of(u, "%d %s\n", 2, global_of(u, n), global_of(u, s)), NULL);
}

// f(x, s) = x > 9 ? "big " . s : s; g(x) { if (x == 3) return 30; return f's length + x }
static void build_functions(struct ir_unit *u, struct ir_prog *p)
{
	struct ir_func *f = ir_func_new(u, "f", IR_STR, 64), *g;
	struct ir_expr *cond = ir_expr_new(u, IR_COND, IR_STR, IR_NO_PLACE),
		       *x = ir_local(u, 0, IR_LONG, 0);
	struct ir_expr *s = ir_local(u, 1, IR_STR, 64);
	uint32_t i = add_local(u, p, IR_STR, 64);

	func_local(f, IR_LONG, 0);
	func_local(f, IR_STR, 64);
	f->n_params = 2;
	cond->cap = 64;
	cond->a = two(u, IR_GT, x, num(u, 9));
	cond->b = join(u, 64, lit(u, "big "), s);
	cond->c = s;
	f->body = stmt_of(u, IR_S_RETURN, 0, cond);
	g = ir_func_new(u, "g", IR_LONG, 0);
	func_local(g, IR_LONG, 0);
	g->n_params = 1;
	g->body = list_of(
		if_of(u, two(u, IR_EQ, x, num(u, 3)), stmt_of(u, IR_S_RETURN, 0, num(u, 30)), NULL),
		stmt_of(u, IR_S_RETURN, 0,
			two(u, IR_ADD, x, ir_unary(u, IR_STRLEN, call_of(u, 0, 2, x, lit(u, "abc"))))),
		NULL);
	p->body = list_of(set_of(u, i, call_of(u, 0, 2, hide(u, p, NULL, 10), lit(u, "dog"))),
			  print_of(u, "%s %s\n", 2, ir_local(u, i, IR_STR, 64),
				   call_of(u, 0, 2, hide(u, p, NULL, 9), lit(u, "cat"))),
			  set_of(u, i, call_of(u, 0, 2, num(u, 11), ir_local(u, i, IR_STR, 64))),
			  print_of(u, "%s %d %d %d\n", 4, ir_local(u, i, IR_STR, 64),
				   call_of(u, 1, 1, hide(u, p, NULL, 3)),
				   call_of(u, 1, 1, hide(u, p, NULL, 4)),
				   call_of(u, 1, 1, hide(u, p, NULL, 12))),
			  NULL);
}

// ---- strings ------------------------------------------------------------------------------------

static struct ir_expr *compare(struct ir_unit *u, enum ir_expr_op op, const char *a, const char *b)
{
	uint32_t g = add_global(u, sp_arena_printf(&u->arena, "g%zu", u->globals.n), IR_STR, 64);
	uint32_t h = add_global(u, sp_arena_printf(&u->arena, "g%zu", u->globals.n), IR_STR, 128);

	u->globals.v[g].init_text = a;
	u->globals.v[g].init_len = (uint32_t)strlen(a);
	u->globals.v[h].init_text = b;
	u->globals.v[h].init_len = (uint32_t)strlen(b);
	return two(u, op, global_of(u, g), global_of(u, h));
}

static struct ir_expr *equals(struct ir_unit *u, const char *a, const char *literal)
{
	struct ir_expr *e = compare(u, IR_EQ, a, "");

	e->b = lit(u, literal);
	return e;
}

static void build_comparisons(struct ir_unit *u, struct ir_prog *p)
{
	static const char sixty[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz01234567";

	p->body = list_of(print_of(u, "%d%d%d%d%d\n", 5, compare(u, IR_EQ, "abc", "abc"),
				   compare(u, IR_EQ, "abc", "abd"),
				   compare(u, IR_NE, "abc", "abcd"), compare(u, IR_LT, "abc", "abd"),
				   compare(u, IR_LT, "abcdefgh", "abcdefghi")),
			  print_of(u, "%d%d%d%d%d\n", 5, compare(u, IR_GT, "\xff", "a"),
				   compare(u, IR_LE, "", ""), compare(u, IR_GE, "a", "b"),
				   compare(u, IR_EQ, sixty, sixty), compare(u, IR_GT, "b", "ab")),
			  print_of(u, "%d%d%d%d%d\n", 5, equals(u, "abc", "abc"),
				   equals(u, "abc", "ab"), equals(u, "", ""),
				   equals(u, sixty, sixty), equals(u, "abcdefgh", "abcdefghi")),
			  NULL);
}

static void build_strings(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t s = add_local(u, p, IR_STR, LONGEST), t = add_local(u, p, IR_STR, 16),
		 d = add_local(u, p, IR_LONG, 0);
	struct ir_expr *vs = ir_local(u, s, IR_STR, LONGEST), *vt = ir_local(u, t, IR_STR, 16);

	p->body = list_of(
		print_of(u, "[%s] %d\n", 2, vs, ir_unary(u, IR_STRLEN, vs)),
		set_of(u, s, lit(u, "0123456789")), set_of(u, t, join(u, LONGEST, vs, vs)), // cut
		print_of(u, "%s %d %s %d\n", 4, vs, ir_unary(u, IR_STRLEN, vs), vt,
			 ir_unary(u, IR_STRLEN, vt)),
		set_of(u, s,
		       join(u, LONGEST, join(u, LONGEST, join(u, LONGEST, vt, lit(u, "-")), vs),
			    lit(u, "!"))),
		print_of(u, "%s\n", 1, vs), set_of(u, d, num(u, -42)),
		set_of(u, s,
		       sprint_of(u, LONGEST, "<%5d|%-4s|%x|%p|%c|%%>", 5, ir_local(u, d, IR_LONG, 0),
				 lit(u, "ab"), num(u, 255), num(u, 4096), num(u, 'z'))),
		print_of(u, "%s\n", 1, vs),
		print_of(u, "%s %d\n", 2,
			 join(u, LONGEST, lit(u, "x"), sprint_of(u, 32, "%d", 1, num(u, 7))),
			 ir_unary(u, IR_LNOT, vs)),
		NULL);
}

static struct ir_expr *load_str(struct ir_unit *u, int64_t addr, uint32_t cap,
				struct ir_expr *otherwise)
{
	struct ir_expr *e = ir_expr_new(u, IR_LOADSTR, IR_STR, at_line(u, 6));

	e->space = IR_SPACE_USER;
	e->cap = cap;
	e->a = num(u, addr);
	e->b = otherwise;
	return e;
}

static void build_user_memory(struct ir_unit *u, struct ir_prog *p)
{
	static const int16_t number = -5;
	struct ir_expr *load = ir_expr_new(u, IR_LOAD, IR_LONG, at_line(u, 6));
	uint32_t s = add_local(u, p, IR_STR, LONGEST);
	int64_t addr = (int64_t)(uintptr_t)case_text;

	load->space = IR_SPACE_USER;
	load->size = 2;
	load->is_signed = true;
	load->a = num(u, (int64_t)(uintptr_t)&number);
	p->body = list_of(set_of(u, s, load_str(u, addr, LONGEST, NULL)),
			  print_of(u, "%d %s|%s|%s\n", 4, load, load_str(u, addr, LONGEST, NULL),
				   ir_local(u, s, IR_STR, LONGEST),
				   load_str(u, 16, 32, lit(u, "nothing"))),
			  print_of(u, "%s\n", 1, load_str(u, addr, 8, NULL)),
			  print_of(u, "%s\n", 1, load_str(u, 16, LONGEST, NULL)),
			  print_of(u, "not reached\n", 0), NULL);
}

// ---- arrays -------------------------------------------------------------------------------------

static void build_maps(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t n = add_map(u, "n", "l", 0, 64), s = add_map(u, "s", "sl", 32, 64),
		 d = add_map(u, "d", "s", 0, 64);
	uint32_t key = add_local(u, p, IR_STR, 16);

	p->body = list_of(
		print_of(u, "%d %d [%s]\n", 3, map_op(u, IR_MAP_GET, n, NULL, 0, 1, num(u, 5)),
			 map_op(u, IR_MAP_HAS, n, NULL, 0, 1, num(u, 5)),
			 map_op(u, IR_MAP_GET, s, NULL, 0, 2, lit(u, "k"), num(u, 1))),
		eval_of(u, map_op(u, IR_MAP_ADD, n, num(u, 3), IR_WANT_NONE, 1, num(u, 5))),
		print_of(u, "%d\n", 1, map_op(u, IR_MAP_ADD, n, num(u, 4), IR_WANT_OLD, 1, num(u, 5))),
		print_of(u, "%d\n", 1,
			 map_op(u, IR_MAP_ADD, n, num(u, -1), IR_WANT_NEW, 1, num(u, 5))),
		map_set(u, s, lit(u, "value"), 2, lit(u, "k"), num(u, 1)),
		set_of(u, key, lit(u, "a key too long for it")),
		map_set(u, d, num(u, 77), 1, ir_local(u, key, IR_STR, 16)),
		print_of(u, "%d %s %d\n", 3, map_op(u, IR_MAP_HAS, n, NULL, 0, 1, num(u, 5)),
			 map_op(u, IR_MAP_GET, s, NULL, 0, 2, lit(u, "k"), num(u, 1)),
			 map_op(u, IR_MAP_GET, d, NULL, 0, 1, lit(u, "a key too long for it"))),
		map_set(u, n, map_op(u, IR_MAP_GET, d, NULL, 0, 1, ir_local(u, key, IR_STR, 16)), 1,
			num(u, 6)),
		map_del(u, n, 1, num(u, 5)),
		print_of(u, "%d %d %d\n", 3, map_op(u, IR_MAP_GET, n, NULL, 0, 1, num(u, 6)),
			 map_op(u, IR_MAP_HAS, n, NULL, 0, 1, num(u, 5)),
			 map_op(u, IR_MAP_GET, n, NULL, 0, 1, num(u, 5))),
		NULL);
}

static void build_full_map(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t n = add_map(u, "n", "l", 0, 2);

	p->body = list_of(
		map_set(u, n, num(u, 1), 1, num(u, 1)),
		eval_of(u, map_op(u, IR_MAP_ADD, n, num(u, 1), IR_WANT_NONE, 1, num(u, 2))),
		eval_of(u, map_op(u, IR_MAP_ADD, n, num(u, 1), IR_WANT_NONE, 1, num(u, 2))),
		print_of(u, "%d\n", 1, map_op(u, IR_MAP_GET, n, NULL, 0, 1, num(u, 2))),
		eval_of(u, map_op(u, IR_MAP_ADD, n, num(u, 1), IR_WANT_NONE, 1, num(u, 3))),
		print_of(u, "not reached\n", 0), NULL);
}

// foreach (k- in n limit 2) with a break in a nested one
static void build_foreach(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t n = add_map(u, "n", "ls", 0, 64), k = add_local(u, p, IR_LONG, 0),
		 s = add_local(u, p, IR_STR, 16);
	uint32_t v = add_local(u, p, IR_LONG, 0), k2 = add_local(u, p, IR_LONG, 0),
		 s2 = add_local(u, p, IR_STR, 16);
	struct ir_stmt *outer = stmt_of(u, IR_S_FOREACH, n, NULL),
		       *inner = stmt_of(u, IR_S_FOREACH, n, NULL);

	outer->foreach.keys = sp_arena_array(&u->arena, uint32_t, 2);
	inner->foreach.keys = sp_arena_array(&u->arena, uint32_t, 2);
	outer->foreach.keys[0] = k;
	outer->foreach.keys[1] = s;
	outer->foreach.value = (int32_t)v;
	outer->foreach.sort_key = 1;
	outer->foreach.sort_dir = -1;
	outer->foreach.limit = num(u, 2);
	inner->foreach.keys[0] = k2;
	inner->foreach.keys[1] = s2;
	inner->foreach.sort_dir = 1;
	inner->then = list_of(if_of(u, two(u, IR_EQ, ir_local(u, k2, IR_LONG, 0), num(u, 3)),
				    stmt_of(u, IR_S_BREAK, 0, NULL), NULL),
			      print_of(u, "%d%s ", 2, ir_local(u, k2, IR_LONG, 0),
				       ir_local(u, s2, IR_STR, 16)),
			      NULL);
	outer->then = list_of(print_of(u, "%d%s=%d: ", 3, ir_local(u, k, IR_LONG, 0),
				       ir_local(u, s, IR_STR, 16), ir_local(u, v, IR_LONG, 0)),
			      inner, print_of(u, "\n", 0), NULL);
	p->body = list_of(map_set(u, n, num(u, 10), 2, num(u, 1), lit(u, "one")),
			  map_set(u, n, num(u, 20), 2, num(u, 2), lit(u, "two")),
			  map_set(u, n, num(u, 30), 2, num(u, 3), lit(u, "three")), outer,
			  stmt_of(u, IR_S_MAP_CLEAR, n, NULL),
			  print_of(u, "%d\n", 1,
				   map_op(u, IR_MAP_HAS, n, NULL, 0, 2, num(u, 1), lit(u, "one"))),
			  NULL);
}

// ---- errors -------------------------------------------------------------------------------------

static void build_division(struct ir_unit *u, struct ir_prog *p)
{
	p->body = list_of(print_of(u, "before\n", 0),
			  print_of(u, "%d\n", 1, two(u, IR_DIV, num(u, 1), hide(u, p, NULL, 0))),
			  NULL);
}

static void build_error(struct ir_unit *u, struct ir_prog *p)
{
	p->body = list_of(print_of(u, "before\n", 0),
			  stmt_of(u, IR_S_FAIL, 0,
				  join(u, LONGEST, lit(u, "no more "), lit(u, "of this"))),
			  print_of(u, "not reached\n", 0), NULL);
}

static struct ir_stmt *try_of(struct ir_unit *u, uint32_t message, struct ir_stmt *body)
{
	struct ir_stmt *s = stmt_of(u, IR_S_TRY, 0, NULL);

	s->message = (int32_t)message;
	s->then = body;
	s->otherwise = print_of(u, "caught: %s\n", 1, ir_local(u, message, IR_STR, LONGEST));
	return s;
}

static void build_try(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t message = add_local(u, p, IR_STR, LONGEST), m = add_map(u, "full", "l", 0, 2);
	struct ir_stmt *both = list_of(try_of(u, message, stmt_of(u, IR_S_FAIL, 0, lit(u, "inner"))),
				       stmt_of(u, IR_S_FAIL, 0, lit(u, "outer")), NULL);

	p->body = list_of(
		try_of(u, message,
		       print_of(u, "%d\n", 1, two(u, IR_DIV, num(u, 1), hide(u, p, NULL, 0)))),
		try_of(u, message, print_of(u, "%s\n", 1, load_str(u, 0x123456789abcdef, 32, NULL))),
		try_of(u, message,
		       list_of(map_set(u, m, num(u, 1), 1, num(u, 1)),
			       map_set(u, m, num(u, 1), 1, num(u, 2)),
			       map_set(u, m, num(u, 1), 1, num(u, 3)), NULL)),
		try_of(u, message, both), print_of(u, "after\n", 0), NULL);
}

static void build_exit(struct ir_unit *u, struct ir_prog *p)
{
	p->body = list_of(exit_of(u), print_of(u, "still here\n", 0), NULL);
}

static void build_endless(struct ir_unit *u, struct ir_prog *p)
{
	uint32_t i = add_local(u, p, IR_LONG, 0);

	p->body = loop_of(u, num(u, 1),
			  set_of(u, i, two(u, IR_ADD, ir_local(u, i, IR_LONG, 0), num(u, 1))), NULL);
}

// fac(n) = n < 2 ? 1 : n * fac(n - 1); name(n) = n == 0 ? "" : name(n - 1) . "x"; deep(n) = deep(n + 1)
static void build_recursion(struct ir_unit *u, struct ir_prog *p)
{
	struct ir_expr *n = ir_local(u, 0, IR_LONG, 0);
	struct ir_func *f = ir_func_new(u, "fac", IR_LONG, 0);
	uint32_t message = add_local(u, p, IR_STR, LONGEST);

	func_local(f, IR_LONG, 0);
	f->n_params = 1;
	f->body = list_of(
		if_of(u, two(u, IR_LT, n, num(u, 2)), stmt_of(u, IR_S_RETURN, 0, num(u, 1)), NULL),
		if_of(u, two(u, IR_EQ, n, num(u, 13)), stmt_of(u, IR_S_FAIL, 0, lit(u, "bad luck")),
		      NULL),
		stmt_of(u, IR_S_RETURN, 0,
			two(u, IR_MUL, n, call_of(u, 0, 1, two(u, IR_SUB, n, num(u, 1))))),
		NULL);
	f = ir_func_new(u, "name", IR_STR, 32);
	func_local(f, IR_LONG, 0);
	f->n_params = 1;
	f->body = list_of(
		if_of(u, n, NULL, stmt_of(u, IR_S_RETURN, 0, lit(u, "."))),
		stmt_of(u, IR_S_RETURN, 0,
			join(u, 32, call_of(u, 1, 1, two(u, IR_SUB, n, num(u, 1))), lit(u, "x"))),
		NULL);
	f = ir_func_new(u, "deep", IR_LONG, 0);
	func_local(f, IR_LONG, 0);
	f->n_params = 1;
	f->body = stmt_of(u, IR_S_RETURN, 0, call_of(u, 2, 1, two(u, IR_ADD, n, num(u, 1))));
	p->body = list_of(
		print_of(u, "%d %s\n", 2, call_of(u, 0, 1, num(u, 10)), call_of(u, 1, 1, num(u, 5))),
		try_of(u, message, eval_of(u, call_of(u, 0, 1, num(u, 15)))),
		try_of(u, message, eval_of(u, call_of(u, 2, 1, num(u, 1)))),
		eval_of(u, call_of(u, 0, 1, num(u, 14))), print_of(u, "not reached\n", 0), NULL);
}

static const struct gen_case gen_cases[] = {
	{ "arithmetic", build_arithmetic, out_arithmetic, NULL, 0 },
	{ "logic", build_logic, "0 1 11 -128 128 0 -1\n", NULL, 0 },
	{ "context", build_context,
	  "8877665544332211 44332211 4433 88\n-2005440939 1144201745 -120 16\n", NULL, CASE_CTX },
	{ "loops", build_loops, "12\n1992\n4442\n4462\n", NULL, 0 },
	{ "globals", build_globals, "40 first\n40\n36\n72 first second\n", NULL, 0 },
	{ "functions", build_functions, "big dog cat\nbig big dog 30 7 19\n", NULL, 0 },
	{ "comparisons", build_comparisons, "10111\n11011\n10110\n", NULL, 0 },
	{ "strings",
	  build_strings, "[] 0\n0123456789 10 012345678901234 15\n012345678901234-0123456789!\n<  -42|ab  |ff|0x1000|z|%>\nx7 0\n",
	  NULL, 0 },
	{ "user memory", build_user_memory,
	  "-5 text in the process|text in the process|nothing\ntext in\n",
	  "read fault at 0x0000000000000010", 0 },
	{ "maps", build_maps, "0 0 []\n3\n6\n1 value 77\n77 0 0\n", NULL, 0 },
	{ "full map", build_full_map, "2\n", "Array overflow, check size limit (n has 2 elements; -D MAXMAPENTRIES=N gives more)",
	  0 },
	{ "division", build_division, "before\n", "division by 0 near operator '/' at unit.stp:7:3",
	  0 },
	{ "error", build_error, "before\n", "no more of this", 0 },
	{ "try", build_try,
	  "caught: division by 0\n"
	  "caught: read fault at 0x0123456789abcdef\n"
	  "caught: Array overflow, check size limit (full has 2 elements; -D MAXMAPENTRIES=N gives more)\n"
	  "caught: inner\ncaught: outer\nafter\n",
	  NULL, 0 },
	{ "exit", build_exit, "still here\n", NULL, 0 },
	{ "endless", build_endless, "", "MAXACTION exceeded (-D MAXACTION=N allows more)", 0 },
	{ "foreach", build_foreach, "3three=30: 1one 2two \n2two=20: 1one 2two \n0\n", NULL, CASE_VM },
	{ "recursion",
	  build_recursion, "3628800 .xxxxx\ncaught: bad luck\ncaught: MAXNESTING exceeded (-D MAXNESTING=N allows more)\n",
	  "bad luck", 0 },
};

#endif
