// SPDX-License-Identifier: GPL-2.0-or-later
// The verifier of programs finds each break of what bind, context and infer promise: one well-formed program, spoilt in one
// place at a time.
#include "compiler/front/parse.h"
#include "compiler/sema/sema.h"

#include "expect.h"

static const char script[] =
	"global g, a, s\n"
	"function twice(x, y) { l = x return l + l }\n"
	"probe begin { n = 1 a[n, \"k\"] = twice(n, \"t\") foreach ([i, j] in a) g += i try { g = strlen(s) } catch (m) { s = m } }\n"
	"probe end { println(g, s, [1, \"k\"] in a) }\n";

struct parts {
	struct source_map sources;
	struct diag_ctx dc;
	struct sp_arena arena;
	struct target target;
	struct point_env env;
	struct parse_env parse;
	struct unit *unit;
	struct program *program;
	struct handler *begin;
	struct function *twice;
	struct ast_expr *set, *element, *call, *in, *builtin; // n = 1, a[n, "k"] = twice(n, "t"), in, strlen(s)
	struct ast_stmt *loop, *attempt; // foreach, try
};

static struct ast_stmt *statement(const struct parts *p, unsigned i)
{
	return p->begin->body->block.v[i];
}

static void make(struct parts *p, enum program_stage stage)
{
	struct sema_opts opts = { .sources = &p->sources, .dc = &p->dc, .env = &p->env, .max_string = 64 };

	memset(p, 0, sizeof(*p));
	source_map_init(&p->sources);
	diag_ctx_init(&p->dc, &p->sources);
	p->env = (struct point_env){ .target = &p->target, .dc = &p->dc, .arena = &p->arena };
	p->unit = parse_file(&p->sources, source_add(&p->sources, "x.stp", script, sizeof(script) - 1, SOURCE_USER), &p->parse, &p->dc);
	p->program = sema_bind(&opts, &p->unit, 1);
	if (stage >= PROGRAM_RESOLVED)
		sema_context(&opts, p->program);
	if (stage >= PROGRAM_TYPED)
		sema_infer(&opts, p->program);
	EXPECT_NUM(p->dc.n_errors, 0);
	p->begin = p->program->handlers.v[0];
	p->twice = p->program->functions.v[0];
	p->set = statement(p, 0)->expr;
	p->element = statement(p, 1)->expr->assign.target;
	p->call = statement(p, 1)->expr->assign.value;
	p->loop = statement(p, 2);
	p->attempt = statement(p, 3);
	p->builtin = p->attempt->try_.body->block.v[0]->expr->assign.value;
	p->in = p->program->handlers.v[1]->body->block.v[0]->expr->print.args.v[2];
}

static void drop(struct parts *p)
{
	program_destroy(p->program);
	unit_destroy(p->unit);
	sp_arena_deinit(&p->arena);
	diag_ctx_deinit(&p->dc);
	source_map_deinit(&p->sources);
}

#define BROKEN(stage, what, ...)                                                                                         \
	do {                                                                                                             \
		struct parts p;                                                                                          \
		make(&p, stage);                                                                                         \
		EXPECT(!program_verify(p.program));                                                                      \
		__VA_ARGS__;                                                                                             \
		EXPECT_STR(program_verify(p.program), what);                                                             \
		drop(&p);                                                                                                \
	} while (0)

static void test_names(void)
{
	BROKEN(PROGRAM_BOUND, "a name that is not bound to one variable", p.set->assign.target->name.local = NULL);
	BROKEN(PROGRAM_BOUND, "a name that is not bound to one variable", p.set->assign.target->name.global = p.program->globals.v[0]);
	BROKEN(PROGRAM_BOUND, "a name bound to a variable of another body", p.set->assign.target->name.local = p.twice->locals.v[0]);
	BROKEN(PROGRAM_BOUND, "an element without its array", p.element->index.global = NULL);
	BROKEN(PROGRAM_BOUND, "`in` without its array", p.in->in.global = NULL);
	BROKEN(PROGRAM_BOUND, "foreach without its array", p.loop->foreach.global = NULL);
	BROKEN(PROGRAM_BOUND, "catch without its variable", p.attempt->try_.local = NULL);
	BROKEN(PROGRAM_BOUND, "a global with a wrong index", p.program->globals.v[0]->index = 1);
	BROKEN(PROGRAM_BOUND, "a local with a wrong index", p.begin->locals.v[0]->index = 1);
	BROKEN(PROGRAM_BOUND, "a function with a wrong index", p.twice->index = 1);
	BROKEN(PROGRAM_BOUND, "a body is missing", p.begin->body = NULL);
	BROKEN(PROGRAM_BOUND, "a poisoned node", p.set->assign.value->kind = AST_ERROR);
	BROKEN(PROGRAM_BOUND, "an assignment to what is no variable", p.set->assign.target = p.set->assign.value);
	BROKEN(PROGRAM_BOUND, "a site that nothing is known of", p.begin->sites.v[0]->point = NULL);
}

static void test_calls(void)
{
	struct function other = { .index = 0, .is_used = true };
	struct handler handler = { .index = 0 };

	BROKEN(PROGRAM_BOUND, "a call of nothing", p.builtin->call.builtin = -1);
	BROKEN(PROGRAM_BOUND, "a call with the wrong number of arguments", p.call->call.args.n = 1);
	BROKEN(PROGRAM_BOUND, "a call with the wrong number of arguments", p.builtin->call.args.n = 0);
	BROKEN(PROGRAM_BOUND, "a function that lacks a parameter", p.twice->n_params = 9);
	BROKEN(PROGRAM_BOUND, "a call of a function that is not in the program", p.call->call.function = &other);
	BROKEN(PROGRAM_RESOLVED, "a call of a function that is not used", p.twice->is_used = false);
	BROKEN(PROGRAM_RESOLVED, "a function that depends on its probe, not copied for it", p.twice->needs_context = true);
	BROKEN(PROGRAM_RESOLVED, "a copy of a function without its handler", p.twice->copy_of = &other);
	BROKEN(PROGRAM_RESOLVED, "a function of a handler that is gone", (p.twice->copy_of = &other, p.twice->handler = &handler));
	BROKEN(PROGRAM_RESOLVED, "a call of a function that is another handler's copy",
	       (p.twice->copy_of = &other, p.twice->handler = p.program->handlers.v[1]));
}

static void test_targets(void)
{
	struct c_type type = { .kind = C_INT, .size = 4 };
	struct site_step step = { .kind = STEP_SCALE };
	struct site_value value = { .base = SITE_BASE_CTX, .type = &type };

#define RESOLVED(stage, what, ...)                                                                                       \
	BROKEN(stage, what, (value = (struct site_value){ __VA_ARGS__ }, p.call->kind = AST_RESOLVED, p.call->resolved = &value))
	RESOLVED(PROGRAM_BOUND, "a target variable that is resolved before its time", .base = SITE_BASE_CTX, .type = &type);
	RESOLVED(PROGRAM_RESOLVED, "a target variable without a type", .base = SITE_BASE_CTX);
	RESOLVED(PROGRAM_RESOLVED, "a target variable without its location", .base = SITE_BASE_LOC, .type = &type);
	RESOLVED(PROGRAM_RESOLVED, "a target variable without the expression that it begins with", .base = SITE_BASE_EXPR, .type = &type);
	RESOLVED(PROGRAM_RESOLVED, "an element of a target variable without its index", .base = SITE_BASE_CTX, .type = &type,
		 .steps = &step, .n_steps = 1);
	BROKEN(PROGRAM_RESOLVED, "a target variable that is not resolved", 
	       (p.call->kind = AST_TARGET, memset(&p.call->target, 0, sizeof(p.call->target))));
}

static void test_handlers(void)
{
	BROKEN(PROGRAM_RESOLVED, "a handler with a wrong index", p.begin->index = 1);
	BROKEN(PROGRAM_RESOLVED, "a handler with sites of several kinds", p.begin->prog_kind = SP_PROG_REGS);
	BROKEN(PROGRAM_RESOLVED, "a handler of entries and returns", p.begin->is_return = true);
	BROKEN(PROGRAM_RESOLVED, "a hook without its reason", p.begin->sites.v[0]->why = NULL);
}

static void test_types(void)
{
	BROKEN(PROGRAM_TYPED, "a name of another type than its variable", p.set->assign.target->type = TYPE_STRING);
	BROKEN(PROGRAM_TYPED, "a variable that is assigned a value of another type", p.set->assign.value->type = TYPE_STRING);
	BROKEN(PROGRAM_TYPED, "an element with another number of keys than its array", p.element->index.keys.n = 1);
	BROKEN(PROGRAM_TYPED, "an element with another number of keys than its array", p.in->in.keys.n = 1);
	BROKEN(PROGRAM_TYPED, "a key of another type than its array's", p.element->index.keys.v[1]->type = TYPE_LONG);
	BROKEN(PROGRAM_TYPED, "an argument of another type than its parameter", p.call->call.args.v[1]->type = TYPE_LONG);
	BROKEN(PROGRAM_TYPED, "an array without key types", p.program->globals.v[1]->key_types = NULL);
	BROKEN(PROGRAM_TYPED, "an array with too many keys", p.program->globals.v[1]->n_keys = PROGRAM_MAX_KEYS + 1);
}

int main(void)
{
	test_names();
	test_calls();
	test_targets();
	test_handlers();
	test_types();
	return expect_status();
}
