// SPDX-License-Identifier: GPL-2.0-or-later
// Checks what each stage of sema promises to later passes. A broken promise is a bug of the compiler, never of a script.
#include "compiler/model/builtin.h"
#include "compiler/sema/program.h"
#include "compiler/sema/tree.h"

struct check {
	const struct program *program;
	const struct function *function; // the function being checked; NULL: the body of `handler`
	const struct handler *handler; // for a copied function: the handler that owns the copy; NULL: any
	const char *broken; // the first broken promise
};

static void expect(struct check *c, bool holds, const char *broken)
{
	if (!holds && !c->broken)
		c->broken = broken;
}

static bool is_resolved(const struct check *c)
{
	return c->program->stage >= PROGRAM_RESOLVED;
}

static bool is_typed(const struct check *c)
{
	return c->program->stage == PROGRAM_TYPED;
}

// ---- names ----------------------------------------------------------------------------------------------------------

static bool has_local(const struct check *c, const struct local *local)
{
	struct local *const *v = c->function ? c->function->locals.v : c->handler->locals.v;
	size_t n = c->function ? c->function->locals.n : c->handler->locals.n;

	return local->index < n && v[local->index] == local;
}

static bool has_global(const struct check *c, const struct global *g)
{
	return g && g->index < c->program->globals.n && c->program->globals.v[g->index] == g;
}

static bool has_function(const struct check *c, const struct function *f)
{
	return f->index < c->program->functions.n && c->program->functions.v[f->index] == f;
}

// A type may be unknown when nothing depends on it: that fits every type.
static bool types_fit(const struct check *c, enum ast_type a, enum ast_type b)
{
	return !is_typed(c) || a == b || a == TYPE_UNKNOWN || b == TYPE_UNKNOWN;
}

static void verify_name(struct check *c, const struct ast_expr *e)
{
	const struct local *local = e->name.local;
	const struct global *global = e->name.global;

	expect(c, !local != !global, "a name that is not bound to one variable");
	if (!local == !global)
		return;
	expect(c, local ? has_local(c, local) : has_global(c, global), "a name bound to a variable of another body");
	expect(c, types_fit(c, e->type, local ? local->type : global->type), "a name of another type than its variable");
}

static void verify_keys(struct check *c, const struct global *array, struct ast_list keys, const char *broken)
{
	expect(c, has_global(c, array), broken);
	if (!has_global(c, array) || !is_typed(c))
		return;
	expect(c, keys.n == array->n_keys, "an element with another number of keys than its array");
	for (unsigned i = 0; i < keys.n && i < array->n_keys; i++)
		expect(c, !keys.v[i] || types_fit(c, keys.v[i]->type, array->key_types[i]), "a key of another type than its array's");
}

static void verify_arguments(struct check *c, const struct ast_expr *e)
{
	const struct function *f = e->call.function;
	const struct builtin *b = f ? NULL : builtin_info((enum builtin_id)e->call.builtin);
	unsigned n = e->call.args.n;

	expect(c, f ? n == f->n_params : n >= builtin_min_args(b) && n <= builtin_max_args(b), "a call with the wrong number of arguments");
	if (c->broken)
		return;
	for (unsigned i = 0; i < n; i++) {
		enum ast_type want = f ? f->locals.v[i]->type : builtin_arg(b, i) == 's' ? TYPE_STRING : TYPE_LONG;

		expect(c, types_fit(c, e->call.args.v[i]->type, want), "an argument of another type than its parameter");
	}
}

static void verify_call(struct check *c, const struct ast_expr *e)
{
	const struct function *f = e->call.function;

	expect(c, f || (e->call.builtin >= 0 && e->call.builtin < BUILTIN_COUNT), "a call of nothing");
	if (!f && c->broken)
		return;
	if (f) {
		expect(c, has_function(c, f), "a call of a function that is not in the program");
		expect(c, !is_resolved(c) || f->is_used, "a call of a function that is not used");
		expect(c, !f->handler || f->handler == c->handler, "a call of a function that is another handler's copy");
		expect(c, !is_resolved(c) || !f->needs_context || f->handler, "a function that depends on its probe, not copied for it");
	}
	verify_arguments(c, e);
}

// ---- target variables -----------------------------------------------------------------------------------------------

static void verify_resolved(struct check *c, const struct site_value *v)
{
	expect(c, is_resolved(c), "a target variable that is resolved before its time");
	expect(c, v->type != NULL, "a target variable without a type");
	expect(c, v->base != SITE_BASE_LOC || v->loc, "a target variable without its location");
	expect(c, v->base != SITE_BASE_EXPR || v->expr, "a target variable without the expression that it begins with");
	expect(c, v->n_kept == 0 || v->base == SITE_BASE_LOC, "registers of the entry for what has no location");
	for (unsigned i = 0; i < v->n_steps; i++)
		expect(c, v->steps[i].kind != STEP_SCALE || v->steps[i].index, "an element of a target variable without its index");
}

// ---- all ------------------------------------------------------------------------------------------------------------

static void verify_assign(struct check *c, const struct ast_expr *target, const struct ast_expr *value)
{
	enum ast_expr_kind kind = target->kind;

	expect(c, kind == AST_NAME || kind == AST_INDEX || kind == AST_RESOLVED || kind == AST_CALL || kind == AST_TARGET ||
		  kind == AST_CAST || kind == AST_ATVAR || kind == AST_HIST, "an assignment to what is no variable");
	expect(c, !value || target->type == TYPE_STATS || types_fit(c, target->type, value->type),
	       "a variable that is assigned a value of another type");
}

static void verify_expr(void *ctx, struct ast_expr **place)
{
	struct check *c = ctx;
	const struct ast_expr *e = *place;

	if (c->broken) // pointers behind a broken promise may be invalid
		return;
	switch (e->kind) {
	case AST_NAME:
		verify_name(c, e);
		break;
	case AST_INDEX:
		verify_keys(c, e->index.global, e->index.keys, "an element without its array");
		break;
	case AST_IN:
		verify_keys(c, e->in.global, e->in.keys, "`in` without its array");
		break;
	case AST_CALL:
		verify_call(c, e);
		break;
	case AST_RESOLVED:
		verify_resolved(c, e->resolved);
		break;
	case AST_TARGET:
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
		expect(c, !is_resolved(c), "a target variable that is not resolved");
		break;
	case AST_ASSIGN:
		verify_assign(c, e->assign.target, e->assign.value);
		break;
	case AST_INCDEC:
		verify_assign(c, e->incdec.target, NULL);
		break;
	case AST_EMBEDDED:
		expect(c, e->embedded.embed != NULL, "embedded code that was not read");
		break;
	case AST_ERROR:
		expect(c, false, "a poisoned node");
		break;
	case AST_NUMBER:
	case AST_STRING:
	case AST_PRINT:
	case AST_UNARY:
	case AST_BINARY:
	case AST_TERNARY:
	case AST_REGEX:
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_STAT:
	case AST_HIST:
		break;
	}
}

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx, (void)place;
}

static void verify_stmt(void *ctx, struct ast_stmt **place)
{
	struct check *c = ctx;
	const struct ast_stmt *s = *place;

	if (s->kind == AST_S_FOREACH)
		expect(c, s->foreach.hist || has_global(c, s->foreach.global), "foreach without its array");
	else if (s->kind == AST_S_TRY)
		expect(c, !s->try_.message || (s->try_.local && has_local(c, s->try_.local)), "catch without its variable");
	ast_stmt_children(*place, no_expr, verify_stmt, ctx);
}

static void verify_body(struct check *c, struct ast_stmt *body)
{
	expect(c, body != NULL, "a body is missing");
	if (!body)
		return;
	verify_stmt(c, &body);
	tree_walk_stmt(body, verify_expr, c);
}

static void verify_locals(struct check *c, struct local *const *locals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		expect(c, locals[i]->index == i, "a local with a wrong index");
}

static void verify_global(struct check *c, const struct global *g, size_t index)
{
	expect(c, g->index == index, "a global with a wrong index");
	expect(c, g->n_keys <= PROGRAM_MAX_KEYS, "an array with too many keys");
	expect(c, !g->n_keys || g->key_types, "an array without key types");
}

static bool has_handler(const struct check *c, const struct handler *handler)
{
	return handler->index < c->program->handlers.n && c->program->handlers.v[handler->index] == handler;
}

static void verify_function(struct check *c, const struct function *f, size_t index)
{
	c->function = f;
	c->handler = f->handler;
	expect(c, f->index == index, "a function with a wrong index");
	expect(c, f->n_params <= f->locals.n, "a function that lacks a parameter");
	expect(c, !f->handler == !f->copy_of, "a copy of a function without its handler");
	expect(c, !f->handler || !f->is_used || has_handler(c, f->handler), "a function of a handler that is gone");
	if (is_resolved(c) ? !f->is_used : f->body == NULL)
		return;
	verify_locals(c, f->locals.v, f->locals.n);
	verify_body(c, f->body);
}

static void verify_handler(struct check *c, const struct handler *h, size_t index)
{
	c->function = NULL;
	c->handler = h;
	expect(c, !is_resolved(c) || h->index == index, "a handler with a wrong index");
	sp_vec_each(site, &h->sites) {
		expect(c, (*site)->family && (*site)->origin && (*site)->point, "a site that nothing is known of");
		if (!is_resolved(c))
			continue;
		expect(c, (*site)->prog_kind == h->prog_kind, "a handler with sites of several kinds");
		expect(c, (*site)->is_return == h->is_return, "a handler of entries and returns");
		expect(c, (*site)->why != NULL, "a hook without its reason");
	}
	verify_locals(c, h->locals.v, h->locals.n);
	verify_body(c, h->body);
}

const char *program_verify(const struct program *program)
{
	struct check c = { .program = program };

	for (size_t i = 0; i < program->globals.n; i++)
		verify_global(&c, program->globals.v[i], i);
	for (size_t i = 0; i < program->functions.n; i++)
		verify_function(&c, program->functions.v[i], i);
	for (size_t i = 0; i < program->handlers.n; i++)
		verify_handler(&c, program->handlers.v[i], i);
	return c.broken;
}
