// SPDX-License-Identifier: GPL-2.0-or-later
// plan: what kernel code may hold on which target, the call graph's consequences, the layout of the data area.
#include "compiler/plan/plan.h"

#include "expect.h"

#include "runtime/abi/event.h"

struct fixture {
	struct source_map sources;
	struct diag_ctx dc;
	struct ir_unit *unit;
	struct plan *plan;
	uint32_t place;
};

static void fixture_init(struct fixture *f)
{
	const char text[] = "probe kernel.function(\"f\") {\n\tbody\n}\n";

	*f = (struct fixture){ 0 };
	source_map_init(&f->sources);
	diag_ctx_init(&f->dc, &f->sources);
	source_add(&f->sources, "x.stp", text, strlen(text), SOURCE_USER);
	f->unit = ir_unit_create();
	f->unit->target = (struct target){ .arch = "x86_64", .features = ~0ull };
	f->unit->max_string = 512;
	f->unit->max_action = 1000;
	f->unit->ring_size = 1 << 20;
	f->place = ir_place(f->unit, "x.stp", 2, 2, "identifier 'body'");
}

static void fixture_deinit(struct fixture *f)
{
	plan_destroy(f->plan);
	ir_unit_destroy(f->unit);
	diag_ctx_deinit(&f->dc);
	source_map_deinit(&f->sources);
}

static void lack(struct fixture *f, enum sp_feature feature)
{
	f->unit->target.features &= ~(1ull << feature);
}

static struct ir_prog *add_prog(struct fixture *f, const char *name, enum sp_prog_kind kind,
				struct ir_stmt *body)
{
	struct ir_prog *p = ir_prog_new(f->unit, name, kind);

	p->in_kernel = kind != SP_PROG_USER;
	p->in_user = kind == SP_PROG_USER;
	p->first_site = (unsigned)f->unit->sites.n;
	p->n_sites = 1;
	p->body = body;
	sp_vec_push(&f->unit->sites,
		    (struct ir_site){ .kind = kind == SP_PROG_USER ? SP_SITE_BEGIN : SP_SITE_KPROBE,
				      .point = name,
				      .function = "",
				      .symbol = "",
				      .object = UINT32_MAX, .program = UINT32_MAX });
	return p;
}

static void add_array(struct fixture *f)
{
	struct ir_key *key = sp_arena_new(&f->unit->arena, struct ir_key);

	*key = (struct ir_key){ .type = IR_LONG, .size = 8 };
	sp_vec_push(&f->unit->maps, (struct ir_map){ .name = "a",
						     .label = "a",
						     .max_entries = 8,
						     .value_type = IR_LONG,
						     .value_size = 8,
						     .keys = key,
						     .n_keys = 1,
						     .key_size = 8,
						     .place = IR_NO_PLACE });
}

static struct ir_stmt *eval(struct fixture *f, struct ir_expr *e)
{
	struct ir_stmt *s = ir_stmt_new(f->unit, IR_S_EVAL, f->place);

	s->a = e;
	return s;
}

static struct ir_expr *call(struct fixture *f, uint32_t func)
{
	struct ir_expr *e = ir_expr_new(f->unit, IR_CALL, IR_VOID, f->place);

	e->func = func;
	return e;
}

static struct ir_expr *sprintf_of(struct fixture *f, const char *text, unsigned n_args)
{
	struct ir_arg args[16];
	struct ir_expr *e = ir_expr_new(f->unit, IR_SPRINTF, IR_STR, f->place);

	e->cap = 64;
	e->args = sp_arena_array(&f->unit->arena, struct ir_expr *, n_args);
	e->n_args = n_args;
	for (unsigned i = 0; i < n_args; i++) {
		args[i] = (struct ir_arg){ .type = IR_LONG, .size = 8 };
		e->args[i] = ir_const(f->unit, i);
	}
	e->format = ir_format(f->unit, text, SP_FORMAT_STRING, args, n_args);
	return e;
}

static struct ir_stmt *endless(struct fixture *f)
{
	struct ir_stmt *s = ir_stmt_new(f->unit, IR_S_LOOP, f->place);

	s->a = ir_const(f->unit, 1);
	return s;
}

// Plans, verifies, and says what was reported: "" or the one tag. Reports have the place of `body`.
static const char *first_error(struct fixture *f)
{
	sp_vec_each(it, &f->dc.diags) {
		if ((*it)->severity != DIAG_SEV_ERROR)
			continue;
		if ((*it)->span.file)
			EXPECT_NUM(source_place(&f->sources, (*it)->span).line, 2);
		return diag_info((*it)->id)->tag;
	}
	return "none";
}

static const char *plan(struct fixture *f)
{
	const char *broken;

	ir_number(f->unit);
	broken = ir_verify(f->unit);
	EXPECT_STR(broken ? broken : "", "");
	f->plan = plan_make(f->unit, &(struct plan_opts){ 0 }, &f->sources, &f->dc);
	if (!f->dc.n_errors) {
		broken = plan_verify(f->plan);
		EXPECT_STR(broken ? broken : "", "");
		return "";
	}
	EXPECT_NUM(f->dc.n_errors, 1);
	return first_error(f);
}

static struct plan_code *code_of(struct fixture *f, const struct ir_stmt *s)
{
	return &f->plan->codes[s->id];
}

static struct plan_expr *slots_of(struct fixture *f, const struct ir_expr *e)
{
	return &f->plan->layouts[0].exprs[e->id];
}

// ---- rules of the kernel ------------------------------------------------------------------------

// A walk of array `a` of a kernel handler.
static struct ir_stmt *add_walk(struct fixture *f, int sort_dir, struct ir_expr *limit)
{
	struct ir_stmt *s = ir_stmt_new(f->unit, IR_S_FOREACH, f->place);
	struct ir_prog *p;

	add_array(f);
	s->foreach.keys = sp_arena_array(&f->unit->arena, uint32_t, 1);
	s->foreach.sort_key = 1;
	s->foreach.sort_dir = sort_dir;
	s->foreach.limit = limit;
	p = add_prog(f, "f", SP_PROG_REGS, s);
	sp_vec_push(&p->locals, (struct ir_local){ .name = "k", .type = IR_LONG });
	return s;
}

static void test_foreach(struct fixture *f)
{
	struct ir_stmt *s = add_walk(f, 0, NULL);

	EXPECT_STR(plan(f), "");
	EXPECT_NUM(f->plan->progs[0].calls_back, 1);
	EXPECT_NUM(f->plan->layouts[0].progs[0].locals[0].kind, PLAN_SLOT_SCRATCH);
	EXPECT_NUM(f->plan->layouts[0].stmts[s->id].walk.kind, PLAN_SLOT_SCRATCH);
	EXPECT_NUM(f->plan->features >> SP_FEATURE_MAP_WALK & 1, 1);
}

static void test_foreach_old(struct fixture *f)
{
	lack(f, SP_FEATURE_MAP_WALK);
	add_walk(f, 0, NULL);
	EXPECT_STR(plan(f), "E631");
}

static void test_foreach_sorted(struct fixture *f)
{
	struct ir_stmt *s = add_walk(f, -1, NULL);

	EXPECT_STR(plan(f), "");
	EXPECT_NUM(code_of(f, s)->rows, 8); // all of the array
}

static void test_foreach_limited(struct fixture *f)
{
	struct ir_stmt *s = add_walk(f, -1, ir_const(f->unit, 128));

	f->unit->maps.v[0].max_entries = 100000;
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(code_of(f, s)->rows, 128);
}

static void test_foreach_too_many(struct fixture *f)
{
	add_walk(f, 1, ir_const(f->unit, 129));
	f->unit->maps.v[0].max_entries = 100000;
	EXPECT_STR(plan(f), "E601");
}

static void test_foreach_too_large(struct fixture *f)
{
	add_walk(f, 1, ir_const(f->unit, 100));
	f->unit->maps.v[0].max_entries = 100000;
	f->unit->maps.v[0].value_size = 512;
	EXPECT_STR(plan(f), "E601");
}

static void test_clear(struct fixture *f)
{
	add_array(f);
	add_prog(f, "f", SP_PROG_REGS, ir_stmt_new(f->unit, IR_S_MAP_CLEAR, f->place));
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(f->plan->features >> SP_FEATURE_MAP_WALK & 1, 1);
}

// All directives are code of ours, whose loops want bpf_loop.
static void test_sprintf(struct fixture *f)
{
	add_prog(f, "f", SP_PROG_REGS, eval(f, sprintf_of(f, "%.3d %o%d%d%d%d%d%d%d%d%d%d%d%d", 14)));
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(f->plan->features >> SP_FEATURE_BPF_LOOP & 1, 1);
	EXPECT_NUM(slots_of(f, f->unit->progs.v[0].body->a)->result.kind, PLAN_SLOT_SCRATCH);
	EXPECT_NUM(slots_of(f, f->unit->progs.v[0].body->a)->work.kind, PLAN_SLOT_SCRATCH);
}

static void test_sprintf_old_kernel(struct fixture *f)
{
	f->unit->target.features &= ~(1ull << SP_FEATURE_BPF_LOOP);
	add_prog(f, "f", SP_PROG_REGS, eval(f, sprintf_of(f, "%d", 1)));
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(f->plan->features >> SP_FEATURE_BPF_LOOP & 1, 0);
	EXPECT_NUM(f->plan->features >> SP_FEATURE_BOUNDED_LOOPS & 1, 1);
}

static void test_sprintf_long_old_kernel(struct fixture *f)
{
	lack(f, SP_FEATURE_BPF_LOOP);
	f->unit->max_string = 8192;
	add_prog(f, "f", SP_PROG_REGS, eval(f, sprintf_of(f, "%d", 1)));
	EXPECT_STR(plan(f), "E631");
}

static void test_search_long_old_kernel(struct fixture *f)
{
	struct ir_expr *match;

	lack(f, SP_FEATURE_BPF_LOOP);
	f->unit->max_string = 8192;
	match = ir_unary(f->unit, IR_MATCH, ir_literal(f->unit, "", 0));
	match->a->cap = 8192;
	match->regex = ir_regex(f->unit, "a+", f->place);
	add_prog(f, "f", SP_PROG_REGS, eval(f, match));
	EXPECT_STR(plan(f), "E636");
}

static void test_sprintf_user(struct fixture *f)
{
	add_prog(f, "begin", SP_PROG_USER, eval(f, sprintf_of(f, "%o%d%d%d%d%d%d%d%d%d%d%d%d", 13)));
	EXPECT_STR(plan(f), "");
	EXPECT_NUM((int64_t)f->plan->features, 0);
}

static void test_loop_old(struct fixture *f)
{
	lack(f, SP_FEATURE_BOUNDED_LOOPS);
	lack(f, SP_FEATURE_BPF_LOOP);
	add_prog(f, "f", SP_PROG_REGS, endless(f));
	add_prog(f, "begin", SP_PROG_USER, endless(f)); // may
	EXPECT_STR(plan(f), "E630");
}

// for (i = 0; i < trips; i++) with a body of `n_stmts`
static struct ir_stmt *counted(struct fixture *f, int64_t trips, unsigned n_stmts)
{
	struct ir_stmt *set = ir_set(f->unit, 0, ir_const(f->unit, 0), f->place), **at;
	struct ir_stmt *loop = ir_stmt_new(f->unit, IR_S_LOOP, f->place);
	struct ir_prog *p;

	set->next = loop;
	loop->a = ir_binary(f->unit, IR_LT, ir_local(f->unit, 0, IR_LONG, 0), ir_const(f->unit, trips), f->place);
	loop->step = ir_set(f->unit, 0, ir_binary(f->unit, IR_ADD, ir_local(f->unit, 0, IR_LONG, 0),
						  ir_const(f->unit, 1), f->place), f->place);
	at = &loop->then;
	for (unsigned i = 0; i < n_stmts; i++, at = &(*at)->next)
		*at = eval(f, ir_local(f->unit, 0, IR_LONG, 0));
	p = add_prog(f, "f", SP_PROG_REGS, set);
	sp_vec_push(&p->locals, (struct ir_local){ .name = "i", .type = IR_LONG });
	return loop;
}

static void expect_form(struct fixture *f, const struct ir_stmt *loop, int form)
{
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(code_of(f, loop)->form, form);
}

static void test_loop_unrolled(struct fixture *f)
{
	expect_form(f, counted(f, 32, 2), PLAN_LOOP_UNROLL);
}

static void test_loop_bounded(struct fixture *f)
{
	expect_form(f, counted(f, 100, 2), PLAN_LOOP_BOUNDED);
}

static void test_loop_long(struct fixture *f)
{
	struct ir_stmt *loop = counted(f, 900, 100);

	expect_form(f, loop, PLAN_LOOP_CALL);
	EXPECT_NUM(code_of(f, loop)->trips, 900);
}

static void test_loop_endless(struct fixture *f)
{
	struct ir_stmt *loop = endless(f);

	add_prog(f, "f", SP_PROG_REGS, loop);
	expect_form(f, loop, PLAN_LOOP_CALL);
	EXPECT_NUM(code_of(f, loop)->trips, 0);
}

static void test_loop_without_call(struct fixture *f)
{
	lack(f, SP_FEATURE_BPF_LOOP);
	expect_form(f, counted(f, 900, 100), PLAN_LOOP_BOUNDED);
}

static void test_loop_unrolled_old(struct fixture *f)
{
	lack(f, SP_FEATURE_BOUNDED_LOOPS);
	lack(f, SP_FEATURE_BPF_LOOP);
	expect_form(f, counted(f, 32, 2), PLAN_LOOP_UNROLL);
}

static void test_feature(struct fixture *f)
{
	struct ir_expr *e = ir_expr_new(f->unit, IR_GLOBAL_ADD, IR_LONG, f->place), *again;

	sp_vec_push(&f->unit->globals, (struct ir_global){ .name = "g", .type = IR_LONG });
	e->a = ir_const(f->unit, 1);
	e->want = IR_WANT_OLD;
	again = sp_arena_memdup(&f->unit->arena, e, sizeof(*e)); // reported once
	lack(f, SP_FEATURE_ATOMICS);
	struct ir_stmt *s = eval(f, e);
	s->next = eval(f, again);
	add_prog(f, "f", SP_PROG_REGS, s);
	EXPECT_STR(plan(f), "E631");
}

static void test_feature_unwanted(struct fixture *f)
{
	struct ir_expr *e = ir_expr_new(f->unit, IR_GLOBAL_ADD, IR_LONG, f->place);

	sp_vec_push(&f->unit->globals, (struct ir_global){ .name = "g", .type = IR_LONG });
	e->a = ir_const(f->unit, 1);
	lack(f, SP_FEATURE_ATOMICS);
	add_prog(f, "f", SP_PROG_REGS, eval(f, e));
	EXPECT_STR(plan(f), "");
}

static void test_no_bpf(struct fixture *f)
{
	// Nothing is known of the target: whether it will do is seen there.
	f->unit->target.features = 0;
	add_prog(f, "f", SP_PROG_REGS, endless(f));
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(f->plan->features >> SP_FEATURE_BOUNDED_LOOPS & 1, 1);
}

static void test_record(struct fixture *f)
{
	struct ir_arg args[4] = {
		{ IR_STR, 0, 512, false }, { IR_STR, 0, 512, false }, { IR_STR, 0, 512, false }, { IR_STR, 0, 512, false }
	};
	struct ir_stmt *s = ir_stmt_new(f->unit, IR_S_EMIT, f->place);

	s->format = ir_format(f->unit, "%s%s%s%s", SP_FORMAT_PRINT, args, 4);
	EXPECT_NUM(f->unit->formats.v[0].record_size, sizeof(struct sp_event_head) + 2048);
	s->n_args = 4;
	s->args = sp_arena_array(&f->unit->arena, struct ir_expr *, 4);
	for (unsigned i = 0; i < 4; i++)
		s->args[i] = ir_literal(f->unit, "x", 1);
	f->unit->ring_size = 4096;
	add_prog(f, "f", SP_PROG_REGS, s);
	EXPECT_STR(plan(f), "E632");
}

static void test_ppid(struct fixture *f)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ir_expr *e = ir_expr_new(f->unit, IR_BUILTIN, IR_LONG, f->place);

		e->builtin = BUILTIN_PPID;
		add_prog(f, i ? "begin" : "f", i ? SP_PROG_USER : SP_PROG_REGS, eval(f, e));
	}
	EXPECT_STR(plan(f), "E633");
}

static void test_scratch(struct fixture *f)
{
	struct ir_prog *p = add_prog(f, "f", SP_PROG_REGS, NULL);

	for (unsigned i = 0; i < 513; i++)
		sp_vec_push(&p->locals, (struct ir_local){ .name = "s", .type = IR_STR, .cap = 512 });
	EXPECT_STR(plan(f), "");
	EXPECT(f->plan->progs[0].is_too_large);
	EXPECT_NUM(f->plan->progs[0].scratch_size, 513 * 512);
	plan_destroy(f->plan);
	f->unit->progs.v[0].deferral.is_all = true; // and still so large
	EXPECT_STR(plan(f), "E634");
}

// ---- calls --------------------------------------------------------------------------------------

// f -> g -> h -> g, k: the cycle is found from any of its members, and only its members are recursive.
static void add_cycle(struct fixture *f)
{
	static const char *const names[] = { "f", "g", "h", "k" };

	for (unsigned i = 0; i < 4; i++)
		ir_func_new(f->unit, names[i], IR_VOID, 0)->place = f->place;
	f->unit->funcs.v[0].body = eval(f, call(f, 1));
	f->unit->funcs.v[1].body = eval(f, call(f, 2));
	f->unit->funcs.v[2].body = eval(f, call(f, 1));
	f->unit->funcs.v[2].body->next = eval(f, call(f, 3));
	f->unit->funcs.v[3].body = ir_stmt_new(f->unit, IR_S_EXIT, f->place);
	f->unit->funcs.v[3].body->next = ir_stmt_new(f->unit, IR_S_FAIL, f->place);
	f->unit->funcs.v[3].body->next->a = ir_literal(f->unit, "x", 1);
}

static void test_calls(struct fixture *f)
{
	add_cycle(f);
	add_prog(f, "begin", SP_PROG_USER, eval(f, call(f, 0)));
	add_prog(f, "probe", SP_PROG_REGS, eval(f, call(f, 3)));
	add_prog(f, "end", SP_PROG_USER, NULL);
	EXPECT_STR(plan(f), "");
	for (unsigned i = 0; i < 4; i++) {
		const struct plan_func *func = &f->plan->funcs[i];
		EXPECT_NUM(func->is_recursive, i == 1 || i == 2);
		EXPECT_NUM(func->fails_in_kernel && func->fails_in_user, true);
		EXPECT_NUM(func->in_user, true);
		EXPECT_NUM(func->in_kernel, i == 3);
	}
	EXPECT_NUM(f->plan->progs[0].can_exit, true);
	EXPECT_NUM(f->plan->progs[1].can_exit, true);
	EXPECT_NUM(f->plan->progs[2].can_exit, false);
}

static void test_recursion(struct fixture *f)
{
	add_cycle(f);
	f->unit->funcs.v[1].body = eval(f, call(f, 1));
	add_prog(f, "probe", SP_PROG_REGS, eval(f, call(f, 0)));
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(f->plan->funcs[0].recurses, true);
	EXPECT_NUM(f->plan->funcs[1].recurses, true);
	EXPECT_NUM(f->plan->funcs[3].recurses, false);
	EXPECT_NUM(f->plan->progs[0].keeps_state, true);
	EXPECT_NUM(f->plan->max_nesting, 12); // f, g, and ten more
}

// ---- failures and the script's end ---------------------------------------------------------------

static struct ir_stmt *fail(struct fixture *f)
{
	struct ir_stmt *s = ir_stmt_new(f->unit, IR_S_FAIL, f->place);

	s->a = ir_literal(f->unit, "x", 1);
	return s;
}

static struct ir_stmt *try_of(struct fixture *f, struct ir_stmt *body, struct ir_stmt *handler)
{
	struct ir_stmt *s = ir_stmt_new(f->unit, IR_S_TRY, f->place);

	s->then = body;
	s->otherwise = handler;
	return s;
}

// A failure that a TRY gets leaves neither a function nor a program; one of its handler does.
static void test_caught(struct fixture *f)
{
	ir_func_new(f->unit, "f", IR_VOID, 0)->body = fail(f);
	ir_func_new(f->unit, "g", IR_VOID, 0)->body = try_of(f, eval(f, call(f, 0)), NULL);
	add_prog(f, "p", SP_PROG_REGS, eval(f, call(f, 1)));
	add_prog(f, "q", SP_PROG_REGS, try_of(f, NULL, fail(f)));
	EXPECT_STR(plan(f), "");
	EXPECT(f->plan->funcs[0].fails_in_kernel);
	EXPECT(!f->plan->funcs[1].fails_in_kernel);
	EXPECT(!f->plan->progs[0].fails_in_kernel);
	EXPECT(f->plan->progs[1].fails_in_kernel && !f->plan->progs[1].fails_in_user);
	EXPECT(f->plan->can_end);
}

// The kernel makes room in an array that wraps; user-side handlers find it full.
static void test_fails_by_engine(struct fixture *f)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ir_expr *e = ir_expr_new(f->unit, IR_MAP_ADD, IR_LONG, f->place);

		e->a = ir_const(f->unit, 1);
		e->args = sp_arena_array(&f->unit->arena, struct ir_expr *, 1);
		e->args[0] = ir_const(f->unit, 1);
		e->n_args = 1;
		add_prog(f, i ? "begin" : "f", i ? SP_PROG_USER : SP_PROG_REGS, eval(f, e));
	}
	add_array(f);
	f->unit->maps.v[0].wraps = true;
	EXPECT_STR(plan(f), "");
	EXPECT(!f->plan->progs[0].fails_in_kernel);
	EXPECT(f->plan->progs[1].fails_in_user);
}

// A loop whose rounds are known takes from MAXACTION, too, and the next one may find nothing left.
static void test_fails_by_rounds(struct fixture *f)
{
	counted(f, 900, 100);
	counted(f, 4, 1); // unrolled
	f->unit->progs.v[1].name = "g";
	EXPECT_STR(plan(f), "");
	EXPECT(f->plan->progs[0].fails_in_kernel);
	EXPECT(!f->plan->progs[1].fails_in_kernel);
}

// MAXNESTING below what the script needs.
static void test_fails_by_nesting(struct fixture *f)
{
	ir_func_new(f->unit, "f", IR_VOID, 0);
	ir_func_new(f->unit, "g", IR_VOID, 0)->body = eval(f, call(f, 0));
	add_prog(f, "p", SP_PROG_REGS, eval(f, call(f, 1)));
	f->unit->max_nesting = 1;
	EXPECT_STR(plan(f), "");
	EXPECT(f->plan->progs[0].fails_in_kernel);
	plan_destroy(f->plan);
	f->unit->max_nesting = 2;
	EXPECT_STR(plan(f), "");
	EXPECT(!f->plan->progs[0].fails_in_kernel);
	EXPECT(!f->plan->can_end);
}

static void test_one_shot(struct fixture *f)
{
	struct ir_stmt *exits[5];

	for (unsigned i = 0; i < 5; i++)
		exits[i] = ir_stmt_new(f->unit, IR_S_EXIT, f->place);
	f->unit->max_errors = 1;
	add_prog(f, "always", SP_PROG_REGS, exits[0]);
	add_prog(f, "sometimes", SP_PROG_REGS, ir_stmt_new(f->unit, IR_S_IF, f->place))->body->a = ir_const(f->unit, 1);
	f->unit->progs.v[1].body->then = exits[1];
	add_prog(f, "fails", SP_PROG_REGS, fail(f))->body->next = exits[2];
	add_prog(f, "begin", SP_PROG_USER, exits[3]);
	add_prog(f, "iterator", SP_PROG_ITER, exits[4]);
	EXPECT_STR(plan(f), "");
	EXPECT(f->plan->can_end);
	EXPECT(f->plan->progs[0].is_one_shot);
	EXPECT(!f->plan->progs[1].is_one_shot);
	EXPECT(!f->plan->progs[2].is_one_shot);
	EXPECT(!f->plan->progs[3].is_one_shot); // user-side handlers run one by one
	EXPECT(!f->plan->progs[4].is_one_shot); // so do an iterator's, each of which may be asked for again
}

// ---- sizes --------------------------------------------------------------------------------------

static void test_layout(struct fixture *f)
{
	sp_vec_push(&f->unit->globals, (struct ir_global){ .name = "n", .type = IR_LONG });
	sp_vec_push(&f->unit->globals, (struct ir_global){ .name = "s", .type = IR_STR, .cap = 24 });
	sp_vec_push(&f->unit->globals, (struct ir_global){ .name = "m", .type = IR_LONG });
	add_prog(f, "begin", SP_PROG_USER, NULL);
	add_prog(f, "f", SP_PROG_REGS, NULL);
	EXPECT_STR(plan(f), "");
	EXPECT_NUM(f->plan->losses_offset, 64);
	EXPECT_NUM(f->plan->globals[0], 64 + SP_LOSS_COUNT * 16);
	EXPECT_NUM(f->plan->globals[1], 72 + SP_LOSS_COUNT * 16);
	EXPECT_NUM(f->plan->globals[2], 96 + SP_LOSS_COUNT * 16);
	EXPECT_NUM(f->plan->data_size, 104 + SP_LOSS_COUNT * 16);
	EXPECT_NUM((int64_t)f->plan->features, 1ll << SP_FEATURE_BPF | 1ll << SP_FEATURE_KPROBE | 1ll << SP_FEATURE_GLOBAL_DATA);
	EXPECT_NUM(f->plan->scratch_size, 0);
}

// The stack of a chain of calls stays within its budget; frames lie behind each other.
static void test_chain(struct fixture *f)
{
	for (unsigned i = 0; i < 8; i++) {
		struct ir_func *func = ir_func_new(f->unit, "f", IR_VOID, 0);
		sp_vec_push(&func->locals,
			    (struct ir_local){ .name = "s", .type = IR_STR, .cap = 48 });
		func->body = i ? eval(f, call(f, i - 1)) : NULL;
	}
	struct ir_prog *p = add_prog(f, "f", SP_PROG_REGS, eval(f, call(f, 7)));
	for (unsigned i = 0; i < 4; i++)
		sp_vec_push(&p->locals, (struct ir_local){ .name = "s", .type = IR_STR, .cap = 48 });
	EXPECT_STR(plan(f), "");
	const struct plan_layout *layout = &f->plan->layouts[0];
	uint32_t stack = layout->progs[0].stack_size, scratch = layout->progs[0].scratch_size;
	for (unsigned i = 0; i < 8; i++) {
		stack += layout->funcs[i].stack_size;
		scratch += layout->funcs[i].scratch_size;
	}
	EXPECT_NUM(stack <= 256, true);
	EXPECT_NUM(stack + scratch, 12 * 48);
	EXPECT_NUM(f->plan->progs[0].scratch_size, scratch);
	EXPECT_NUM(f->plan->scratch_size, scratch + sizeof(struct sp_scratch_head));
}

// A program that is too much for the stack keeps nothing there; another one's strings stay on it, those of the function that
// both call, too.
static void test_stackless(struct fixture *f)
{
	const bool stackless[] = { false, true };
	struct ir_func *func = ir_func_new(f->unit, "f", IR_VOID, 0);
	struct ir_prog *progs[2];
	const struct plan_layout *layouts;

	sp_vec_push(&func->locals, (struct ir_local){ .name = "s", .type = IR_STR, .cap = 48 });
	sp_vec_push(&func->locals, (struct ir_local){ .name = "n", .type = IR_LONG });
	func->body = ir_set(f->unit, 1, ir_const(f->unit, 1), f->place);
	add_prog(f, "f", SP_PROG_REGS, eval(f, call(f, 0)));
	add_prog(f, "g", SP_PROG_REGS, eval(f, call(f, 0)));
	for (unsigned i = 0; i < 2; i++) {
		progs[i] = &f->unit->progs.v[i];
		sp_vec_push(&progs[i]->locals, (struct ir_local){ .name = "s", .type = IR_STR, .cap = 48 });
	}
	EXPECT_STR(plan(f), "");
	EXPECT(!f->plan->layouts[1].exprs); // no program uses it
	EXPECT_NUM(f->plan->scratch_size, 0);
	plan_destroy(f->plan);
	f->plan = plan_make(f->unit, &(struct plan_opts){ .stackless = stackless }, &f->sources, &f->dc);
	EXPECT(!plan_verify(f->plan));
	layouts = f->plan->layouts;
	EXPECT_NUM(layouts[0].progs[0].stack_size, 48);
	EXPECT_NUM(layouts[0].funcs[0].stack_size, 48);
	EXPECT_NUM(layouts[0].funcs[0].locals[1].kind, PLAN_SLOT_NONE); // a number is LLVM's
	EXPECT_NUM(layouts[1].progs[1].stack_size, 0);
	EXPECT_NUM(layouts[1].progs[1].scratch_size, 48);
	EXPECT_NUM(layouts[1].funcs[0].stack_size, 0);
	EXPECT_NUM(layouts[1].funcs[0].scratch_size, 56);
	EXPECT_NUM(layouts[1].funcs[0].locals[1].kind, PLAN_SLOT_SCRATCH);
	EXPECT_NUM(f->plan->progs[0].scratch_size, 0);
	EXPECT_NUM(f->plan->progs[1].scratch_size, 104);
}

// ---- the verifier -------------------------------------------------------------------------------

#define BROKEN(part, change)                                                                       \
	do {                                                                                       \
		fixture_deinit(f);                                                                 \
		fixture_init(f);                                                                   \
		loop = add_loop_over_string(f);                                                    \
		EXPECT_STR(plan(f), "");                                                           \
		change;                                                                            \
		EXPECT_HAS(plan_verify(f->plan) ? plan_verify(f->plan) : "", part);               \
	} while (0)

static struct ir_stmt *add_loop_over_string(struct fixture *f)
{
	struct ir_stmt *loop = endless(f);

	sp_vec_push(&f->unit->globals, (struct ir_global){ .name = "n", .type = IR_LONG });
	loop->then = eval(f, sprintf_of(f, "%d", 1));
	add_prog(f, "f", SP_PROG_REGS, loop);
	return loop;
}

static void test_verify(struct fixture *f)
{
	struct ir_stmt *loop;

	BROKEN("a loop has no form", code_of(f, loop)->form = PLAN_LOOP_NONE);
	BROKEN("a loop of 33 rounds is unrolled", *code_of(f, loop) = ((struct plan_code){ PLAN_LOOP_UNROLL, .trips = 33 }));
	BROKEN("2 statements are outlined, 1 are there", code_of(f, loop)->outlined = 2);
	BROKEN("the slot of sprintf, 64 bytes at 4 of the scratch frame, is outside",
	       slots_of(f, loop->then->a)->result.offset = 4);
	BROKEN("the slot of sprintf, 64 bytes at 0 of the stack, is outside of its 0 bytes",
	       slots_of(f, loop->then->a)->result = ((struct plan_slot){ PLAN_SLOT_STACK, 0 }));
	BROKEN("sprintf has no work area", slots_of(f, loop->then->a)->work.kind = PLAN_SLOT_NONE);
	BROKEN("a callback cannot reach them", f->plan->layouts[0].progs[0].stack_size = 8);
	BROKEN("the slots take 264 bytes", f->plan->layouts[0].progs[0].stack_size = 264);
	BROKEN("does not hold its", f->plan->scratch_size -= 100);
	BROKEN("global n overlaps", f->plan->globals[0] = 8);
	BROKEN("does not hold the globals", f->plan->data_size -= 8);
	BROKEN("no call is allowed", f->plan->max_nesting = 0);
}

int main(void)
{
	static void (*const tests[])(struct fixture *) = {
		test_foreach,
		test_foreach_old,
		test_foreach_sorted,
		test_foreach_limited,
		test_foreach_too_many,
		test_foreach_too_large,
		test_clear,
		test_sprintf,
		test_sprintf_old_kernel, test_sprintf_long_old_kernel,
		test_search_long_old_kernel,
		test_sprintf_user,
		test_loop_unrolled,
		test_loop_bounded,
		test_loop_long,
		test_loop_endless,
		test_loop_without_call,
		test_loop_unrolled_old,
		test_loop_old,
		test_feature,
		test_feature_unwanted,
		test_no_bpf,
		test_record,
		test_ppid,
		test_scratch,
		test_calls,
		test_recursion,
		test_caught,
		test_fails_by_engine,
		test_fails_by_rounds,
		test_fails_by_nesting,
		test_one_shot,
		test_layout,
		test_chain,
		test_stackless,
		test_verify,
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(tests); i++) {
		struct fixture f;
		int before = expect_failures;
		fixture_init(&f);
		tests[i](&f);
		if (expect_failures != before)
			printf("in test %zu\n", i);
		fixture_deinit(&f);
	}
	return expect_status();
}
