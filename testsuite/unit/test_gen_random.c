// SPDX-License-Identifier: GPL-2.0-or-later
// Random handlers must be accepted by the verifier and print in the kernel what they print in the VM.
// Arguments: the first seed and how many; with one more argument, the handlers' IR is printed.
#define _GNU_SOURCE
#include "gen_make.h"
#include "gen_run.h"
#include "runtime/base/cleanup.h"

#define N_SEEDS 40
#define STR_CAP 128 // of parameters: the longest
#define LOG_TAIL 600 // of the verifier's words

static const char process_text[] = "some text of the process, longer than a word";

struct maker {
	struct ir_unit *u;
	uint64_t random;
	struct ir_prog *prog; // NULL while a function is made
	struct ir_func *func;
	unsigned n_params, n_funcs; // that may be called
	unsigned loops; // around the place
};

enum { LONGS = 4, STRINGS = 3 }; // of locals and globals each

static unsigned below(struct maker *m, unsigned n)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (unsigned)((m->random >> 33) % n);
}

static struct ir_expr *long_expr(struct maker *m, int depth);
static struct ir_stmt *stmts(struct maker *m, int depth);

// ---- strings ------------------------------------------------------------------------------------

static const uint32_t caps[STRINGS] = { 16, 64, 128 };

static struct ir_expr *literal(struct maker *m)
{
	static const char *const texts[] = {
		"", "a", "abc", "abd", "eight by", "sixteen bytes ..", "name\n", "a literal that is longer than the usual ones, and so takes a loop to be compared and copied"
	};

	return lit(m->u, texts[below(m, SP_ARRAY_SIZE(texts))]);
}

// Locals: longs, then strings; functions have their parameters (a long, a string) first.
static struct ir_expr *string_variable(struct maker *m)
{
	unsigned i = below(m, STRINGS);

	if (m->n_params && below(m, 3) == 0)
		return ir_local(m->u, 1, IR_STR, STR_CAP);
	if (below(m, 3) == 0)
		return global_of(m->u, LONGS + i);
	return ir_local(m->u, m->n_params + LONGS + i, IR_STR, caps[i]);
}

static struct ir_expr *str_expr(struct maker *m, int depth)
{
	struct ir_unit *u = m->u;
	struct ir_expr *e;

	if (depth <= 0)
		return below(m, 2) ? literal(m) : string_variable(m);
	switch (below(m, 9)) {
	case 0:
		return literal(m);
	case 1:
	case 2:
		return join(u, caps[below(m, STRINGS)], str_expr(m, depth - 1),
			    str_expr(m, depth - 1));
	case 3:
		e = sprint_of(u, STR_CAP, "<%d:%x:%s>", 3, long_expr(m, depth - 1),
			      long_expr(m, depth - 1), str_expr(m, depth - 1));
		return e;
	case 4:
		e = ir_expr_new(u, IR_COND, IR_STR, IR_NO_PLACE);
		e->a = long_expr(m, depth - 1);
		e->b = str_expr(m, depth - 1);
		e->c = str_expr(m, depth - 1);
		e->cap = SP_MAX(e->b->cap, e->c->cap);
		return e;
	case 5:
		return map_op(u, IR_MAP_GET, 1, NULL, IR_WANT_NONE, 2, str_expr(m, depth - 1),
			      long_expr(m, depth - 1));
	case 6:
		e = ir_expr_new(u, IR_LOADSTR, IR_STR, IR_NO_PLACE);
		e->space = IR_SPACE_USER;
		e->cap = caps[below(m, STRINGS)];
		e->a = num(u, below(m, 3) ? (int64_t)(uintptr_t)process_text + below(m, 40) : 8);
		e->b = str_expr(m, 0);
		e->place = at_line(u, 6);
		return e;
	case 7:
		if (m->n_funcs < 2)
			return literal(m);
		return call_of(u, 1, 2, long_expr(m, depth - 1), str_expr(m, depth - 1));
	default:
		return string_variable(m);
	}
}

// ---- numbers ------------------------------------------------------------------------------------

static struct ir_expr *leaf(struct maker *m)
{
	static const int64_t numbers[] = { 0,  1,   -1,	  2,	     7,		10,
					   63, 255, 1000, INT64_MAX, INT64_MIN, 0x123456789abcdef };
	unsigned i = below(m, LONGS);

	switch (below(m, 4)) {
	case 0:
		return num(m->u, numbers[below(m, SP_ARRAY_SIZE(numbers))]);
	case 1:
		return global_of(m->u, i);
	case 2:
		if (m->n_params)
			return ir_local(m->u, 0, IR_LONG, 0);
		return ir_local(m->u, m->n_params + i, IR_LONG, 0);
	default:
		return ir_local(m->u, m->n_params + i, IR_LONG, 0);
	}
}

static struct ir_expr *operation(struct maker *m, int depth)
{
	static const enum ir_expr_op ops[] = { IR_ADD, IR_SUB,	IR_MUL,	 IR_AND,  IR_OR,  IR_XOR,
					       IR_SHL, IR_SHR,	IR_USHR, IR_EQ,	  IR_NE,  IR_LT,
					       IR_LE,  IR_GT,	IR_GE,	 IR_LAND, IR_LOR, IR_DIV,
					       IR_MOD, IR_UDIV, IR_UMOD };
	enum ir_expr_op op = ops[below(m, SP_ARRAY_SIZE(ops))];
	struct ir_expr *a = long_expr(m, depth - 1), *b = long_expr(m, depth - 1);

	// Most divisions do not fail.
	if (op >= IR_DIV && op <= IR_UMOD && below(m, 8))
		b = two(m->u, IR_OR, b, num(m->u, 1));
	return two(m->u, op, a, b);
}

static struct ir_expr *long_expr(struct maker *m, int depth)
{
	static const enum ir_expr_op compares[] = { IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE };
	struct ir_unit *u = m->u;
	struct ir_expr *e;

	if (depth <= 0)
		return leaf(m);
	switch (below(m, 14)) {
	case 0:
		return two(u, compares[below(m, 6)], str_expr(m, depth - 1), str_expr(m, depth - 1));
	case 1:
		return ir_unary(u, IR_STRLEN, str_expr(m, depth - 1));
	case 2:
		e = ir_expr_new(u, IR_COND, IR_LONG, IR_NO_PLACE);
		e->a = long_expr(m, depth - 1);
		e->b = long_expr(m, depth - 1);
		e->c = long_expr(m, depth - 1);
		return e;
	case 3:
		e = ir_unary(u, below(m, 2) ? IR_SEXT : IR_ZEXT, long_expr(m, depth - 1));
		e->bits = 1 + below(m, 63);
		return e;
	case 4:
		return ir_unary(u,
				below(m, 2)   ? IR_NEG
				: below(m, 2) ? IR_NOT
					      : IR_LNOT,
				long_expr(m, depth - 1));
	case 5:
		return map_op(u, below(m, 2) ? IR_MAP_GET : IR_MAP_HAS, 0, NULL, IR_WANT_NONE, 1,
			      long_expr(m, depth - 1));
	case 6:
		return map_op(u, IR_MAP_ADD, 2, long_expr(m, depth - 1),
			      (enum ir_want)(IR_WANT_OLD + below(m, 2)), 1, str_expr(m, depth - 1));
	case 7:
		e = ir_expr_new(u, IR_GLOBAL_ADD, IR_LONG, IR_NO_PLACE);
		e->global = below(m, LONGS);
		e->a = long_expr(m, depth - 1);
		e->want = (enum ir_want)(IR_WANT_OLD + below(m, 2));
		return e;
	case 8:
		if (m->n_funcs < 1)
			return leaf(m);
		return call_of(u, 0, 2, long_expr(m, depth - 1), str_expr(m, depth - 1));
	case 9:
		return ir_unary(u, IR_LNOT, str_expr(m, depth - 1));
	default:
		return operation(m, depth);
	}
}

// ---- statements ---------------------------------------------------------------------------------

static struct ir_stmt *counted_loop(struct maker *m, int depth)
{
	struct ir_unit *u = m->u;
	// The last long is the outer loop's counter, the one before the inner one's; nothing else sets them.
	uint32_t i = m->n_params + LONGS - 1 - m->loops;
	struct ir_expr *limit = num(u, below(m, 12));
	struct ir_stmt *body;

	if (below(m, 2)) // not known to the compiler
		limit = two(u, IR_AND, long_expr(m, 1), num(u, 7));
	m->loops++;
	body = stmts(m, depth - 1);
	m->loops--;
	return list_of(set_of(u, i, num(u, 0)),
		       loop_of(u, two(u, IR_LT, ir_local(u, i, IR_LONG, 0), limit), body,
			       set_of(u, i, two(u, IR_ADD, ir_local(u, i, IR_LONG, 0), num(u, 1)))),
		       NULL);
}

// In order, or the two engines would give different ones; without a value, which the body may change.
static struct ir_stmt *walk(struct maker *m, int depth)
{
	struct ir_stmt *s = stmt_of(m->u, IR_S_FOREACH, 2, NULL);

	s->foreach.keys = sp_arena_array(&m->u->arena, uint32_t, 1);
	s->foreach.keys[0] = m->n_params + LONGS + below(m, STRINGS);
	s->foreach.value = -1;
	s->foreach.sort_key = 1;
	s->foreach.sort_dir = below(m, 2) ? 1 : -1;
	s->foreach.limit = below(m, 2) ? num(m->u, below(m, 8)) : NULL;
	m->loops++;
	s->then = stmts(m, depth - 1);
	m->loops--;
	return s;
}

static struct ir_stmt *try_stmt(struct maker *m, int depth)
{
	struct ir_stmt *s = stmt_of(m->u, IR_S_TRY, 0, NULL);

	s->message = (int32_t)(m->n_params + LONGS + 2);
	s->then = stmts(m, depth - 1);
	s->otherwise = print_of(m->u, "caught %s\n", 1,
				ir_local(m->u, (uint32_t)s->message, IR_STR, caps[2]));
	return s;
}

static struct ir_stmt *stmt(struct maker *m, int depth)
{
	struct ir_unit *u = m->u;
	unsigned i;

	switch (below(m, depth > 0 ? 15 : 9)) {
	case 0:
	case 1:
		return set_of(u, m->n_params + below(m, LONGS - 2), long_expr(m, 3));
	case 2:
		i = below(m, STRINGS);
		return set_of(u, m->n_params + LONGS + i, str_expr(m, 2));
	case 3:
		return stmt_of(u, IR_S_GSET, below(m, LONGS), long_expr(m, 2));
	case 4:
		return stmt_of(u, IR_S_GSET, LONGS + below(m, STRINGS), str_expr(m, 2));
	case 5:
		return map_set(u, 0, long_expr(m, 2), 1, long_expr(m, 2));
	case 6:
		return map_set(u, 1, str_expr(m, 2), 2, str_expr(m, 2), long_expr(m, 1));
	case 7:
		return below(m, 2) ? map_del(u, 0, 1, long_expr(m, 1)) : eval_of(u, long_expr(m, 3));
	case 8:
		return print_of(u, "%d %s %d %s\n", 4, long_expr(m, 2), str_expr(m, 2),
				long_expr(m, 1), str_expr(m, 1));
	case 9:
	case 10:
		return if_of(u, long_expr(m, 2), stmts(m, depth - 1),
			     below(m, 2) ? stmts(m, depth - 1) : NULL);
	case 11:
		if (m->loops >= 2)
			return eval_of(u, long_expr(m, 2));
		return below(m, 3) ? counted_loop(m, depth) : walk(m, depth);
	case 12:
		return try_stmt(m, depth);
	case 13:
		if (!m->loops)
			return stmt_of(u, IR_S_FAIL, 0, str_expr(m, 1));
		return if_of(u, long_expr(m, 1),
			     stmt_of(u, below(m, 2) ? IR_S_BREAK : IR_S_CONTINUE, 0, NULL), NULL);
	default:
		return if_of(u, long_expr(m, 2),
			     stmt_of(u, IR_S_RETURN, 0,
				     m->prog		       ? NULL
				     : m->func->type == IR_STR ? str_expr(m, 1)
							       : long_expr(m, 1)),
			     NULL);
	}
}

static struct ir_stmt *stmts(struct maker *m, int depth)
{
	struct ir_stmt *list = stmt(m, depth);

	for (unsigned n = below(m, 3); n; n--)
		list = list_of(list, stmt(m, depth), NULL);
	return list;
}

// ---- handlers -----------------------------------------------------------------------------------

static void make_function(struct maker *m, enum ir_type type)
{
	struct ir_func *f = ir_func_new(m->u, type == IR_STR ? "s" : "l", type,
					type == IR_STR ? STR_CAP : 0);

	func_local(f, IR_LONG, 0);
	func_local(f, IR_STR, STR_CAP);
	f->n_params = m->n_params = 2;
	for (unsigned i = 0; i < LONGS; i++)
		func_local(f, IR_LONG, 0);
	for (unsigned i = 0; i < STRINGS; i++)
		func_local(f, IR_STR, caps[i]);
	m->func = f;
	f->body = stmts(m, 1);
	m->n_funcs++;
	m->n_params = 0;
}

static void make(struct ir_unit *u, struct ir_prog *p, uint64_t seed)
{
	struct maker m = { .u = u, .random = seed * 0x9e3779b97f4a7c15 + 1 };
	struct ir_stmt *s;

	for (unsigned i = 0; i < LONGS; i++) {
		uint32_t g = add_global(u, "g", IR_LONG, 0);

		u->globals.v[g].init = (int64_t)i * 3 - 2;
	}
	for (unsigned i = 0; i < STRINGS; i++)
		add_global(u, "s", IR_STR, caps[i]);
	add_map(u, "m0", "l", 0, 16);
	add_map(u, "m1", "sl", 32, 16);
	add_map(u, "m2", "s", 0, 16);
	make_function(&m, IR_LONG);
	make_function(&m, IR_STR);
	m.prog = p;
	for (unsigned i = 0; i < LONGS; i++)
		add_local(u, p, IR_LONG, 0);
	for (unsigned i = 0; i < STRINGS; i++)
		add_local(u, p, IR_STR, caps[i]);
	s = stmts(&m, 3);
	for (unsigned i = 0; i < 3; i++)
		s = list_of(s, stmt(&m, 2), NULL);
	p->body = list_of(s,
			  print_of(u, "%d %d %d %d\n", 4, global_of(u, 0), global_of(u, 1),
				   global_of(u, 2), global_of(u, 3)),
			  print_of(u, "%s|%s|%s\n", 3, global_of(u, LONGS), global_of(u, LONGS + 1),
				   global_of(u, LONGS + 2)),
			  NULL);
}

static void build(struct gen_made *made, uint64_t seed, bool kernel, bool dump)
{
	struct ir_prog *p;

	*made = made_begin();
	p = kernel ? add_raw_tp(made->unit, "sys_enter") : add_begin(made->unit);
	make(made->unit, p, seed);
	made_end(made);
	if (dump) {
		sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

		plan_dump(&text, made->plan);
		puts(sp_buf_str(&text));
	}
}

// Also when the verifier's words did not fit: it has looked at very much.
static bool is_too_complex(const char *error)
{
	return strstr(error, "BPF program is too large") || strstr(error, "too complex") ||
	       strlen(error) > RUN_LOG_SIZE - 4096;
}

static void compare(uint64_t seed, bool dump)
{
	static const uint64_t ctx[RUN_CTX_SIZE / 8];
	struct gen_made user, kernel;
	struct gen_run in_vm = { 0 }, in_kernel = { 0 };
	int failures = expect_failures;

	build(&user, seed, false, false);
	build(&kernel, seed, true, dump);
	if (kernel.error && strstr(kernel.error, "is too large")) {
		printf("seed %" PRIu64 ": too large for the kernel\n", seed);
	} else if (kernel.error && strstr(kernel.error, "bytes of stack")) { // the driver plans once more then
		printf("seed %" PRIu64 ": too large for the kernel's stack\n", seed);
	} else if (user.error || kernel.error) {
		EXPECT_STR(user.error ? user.error : "", kernel.error ? kernel.error : "");
	} else {
		run_in_vm(&in_vm, &user, NULL);
		run_in_kernel(&in_kernel, &kernel, ctx);
		if (in_vm.error)
			EXPECT_STR(in_vm.error, "no error");
		else if (in_kernel.error && is_too_complex(in_kernel.error))
			printf("seed %" PRIu64 ": too complex for the verifier\n", seed);
		else if (in_kernel.error) // its last lines
			EXPECT_STR(in_kernel.error +
					   SP_MAX(strlen(in_kernel.error), (size_t)LOG_TAIL) -
					   LOG_TAIL,
				   "no error");
		else
			EXPECT_STR(in_kernel.output, in_vm.output);
	}
	if (failures != expect_failures)
		printf("with seed %" PRIu64 "\n", seed);
	if (dump)
		printf("verified %u\n%s", in_kernel.verified,
		       in_kernel.output ? in_kernel.output : "");
	run_deinit(&in_vm);
	run_deinit(&in_kernel);
	made_deinit(&user);
	made_deinit(&kernel);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
		 n = argc > 2 ? strtoull(argv[2], NULL, 10) : N_SEEDS;

	if (!run_can_load()) {
		printf("programs cannot be loaded into this kernel\n");
		return 77;
	}
	for (uint64_t seed = first; seed < first + n; seed++)
		compare(seed, argc > 3);
	return expect_status();
}
