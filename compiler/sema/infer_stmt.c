// SPDX-License-Identifier: GPL-2.0-or-later
// Types in statements: foreach variables, results, conditions.
#include "compiler/sema/infer.h"

static void infer_loop_name(struct infer *t, struct ast_expr *name, enum ast_type *type,
			    struct span *span)
{
	enum ast_type found = infer_expr(t, name, (struct need){ .type = *type });

	if (*type == TYPE_UNKNOWN && found != TYPE_UNKNOWN) {
		*type = found;
		*span = name->span;
		t->changed = true;
	}
}

static void infer_foreach_stats(struct infer *t, struct ast_stmt *s)
{
	struct global *g = s->foreach.global;
	struct diag *d;

	if (s->foreach.sort_by_stat && g->type == TYPE_UNKNOWN)
		g->type = TYPE_STATS;
	if (s->foreach.sort_by_stat && g->type != TYPE_STATS) {
		d = diag(t->opts->dc, s->foreach.array_span, DIAG_STATS_USE,
			 "'%s' is an array of %ss, but it is sorted by %s", g->name, ast_type_name(g->type),
			 ast_stat_op_name(s->foreach.sort_stat));
		diag_note(t->opts->dc, d, g->type_span, "'%s' is first used as a %s here", g->name,
			  ast_type_name(g->type));
	}
	if (g->type != TYPE_STATS || !s->foreach.value)
		return;
	d = diag(t->opts->dc, s->foreach.value->span, DIAG_STATS_USE, "an element of '%s' is not one value", g->name);
	diag_hint(t->opts->dc, d, "take @count, @sum, @min, @max or @avg of it in the loop");
}

static void infer_foreach(struct infer *t, struct ast_stmt *s)
{
	struct global *g = s->foreach.global;

	for (unsigned i = 0; g && i < s->foreach.keys.n && i < g->n_keys; i++)
		infer_loop_name(t, s->foreach.keys.v[i], &g->key_types[i], &g->key_spans[i]);
	if (g)
		infer_foreach_stats(t, s);
	if (g && s->foreach.value && g->type != TYPE_STATS)
		infer_loop_name(t, s->foreach.value, &g->type, &g->type_span);
	if (g)
		infer_keys(t, g, &s->foreach.slice);
	if (s->foreach.hist) {
		infer_expr(t, s->foreach.hist, (struct need){ 0 });
		infer_expr(t, s->foreach.keys.v[0], (struct need){ .type = TYPE_LONG });
		if (s->foreach.value)
			infer_expr(t, s->foreach.value, (struct need){ .type = TYPE_LONG });
	}
	if (s->foreach.limit)
		infer_value(t, s->foreach.limit, (struct need){ .type = TYPE_LONG });
	infer_stmt(t, &s->foreach.body);
}

static void infer_return(struct infer *t, struct ast_stmt *s)
{
	struct function *f = t->function;
	enum ast_type type;

	if (!f || !s->expr) {
		if (f && f->return_type != TYPE_VOID)
			diag(t->opts->dc, s->span, DIAG_VOID_MIXED,
			     "'%s' returns a value elsewhere", f->name);
		return;
	}
	type = infer_value(t, s->expr, (struct need){ .type = f->return_type, .why = NEED_RESULT });
	if (f->return_type == TYPE_UNKNOWN && (type == TYPE_LONG || type == TYPE_STRING)) {
		f->return_type = type;
		f->type_span = s->expr->span;
		t->changed = true;
	}
}

static void infer_delete(struct infer *t, struct ast_expr *e)
{
	if (e->kind == AST_INDEX)
		infer_keys(t, e->index.global, &e->index.keys);
	if (e->kind == AST_INDEX || (e->kind == AST_NAME && e->name.local))
		infer_settle_slot(t, e, (struct need){ 0 });
	else if (e->kind == AST_NAME && e->name.global)
		e->type = e->name.global->type;
}

static void infer_condition(struct infer *t, struct ast_expr *e)
{
	infer_value(t, e, (struct need){ .type = TYPE_LONG, .why = NEED_CONDITION });
}

// `catch (message)` makes `message` a string.
static void infer_message(struct infer *t, struct local *local, struct span span)
{
	struct diag *d;

	if (local->type == TYPE_UNKNOWN) {
		local->type = TYPE_STRING;
		local->type_span = span;
		t->changed = true;
	} else if (local->type != TYPE_STRING) {
		d = diag(t->opts->dc, span, DIAG_TYPE_CONFLICT, "catch puts a string into '%s', which is a %s", local->name,
			 ast_type_name(local->type));
		diag_note(t->opts->dc, d, local->type_span, "'%s' is first used as a %s here", local->name,
			  ast_type_name(local->type));
	}
}

void infer_stmt(void *ctx, struct ast_stmt **place)
{
	struct infer *t = ctx;
	struct ast_stmt *s = *place;

	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			infer_stmt(t, &s->block.v[i]);
		break;
	case AST_S_EXPR:
		infer_expr(t, s->expr, (struct need){ 0 });
		break;
	case AST_S_IF:
		infer_condition(t, s->cond.cond);
		infer_stmt(t, &s->cond.then);
		if (s->cond.otherwise)
			infer_stmt(t, &s->cond.otherwise);
		break;
	case AST_S_WHILE:
	case AST_S_FOR:
		if (s->loop.init)
			infer_expr(t, s->loop.init, (struct need){ 0 });
		if (s->loop.cond)
			infer_condition(t, s->loop.cond);
		if (s->loop.step)
			infer_expr(t, s->loop.step, (struct need){ 0 });
		infer_stmt(t, &s->loop.body);
		break;
	case AST_S_FOREACH:
		infer_foreach(t, s);
		break;
	case AST_S_RETURN:
		infer_return(t, s);
		break;
	case AST_S_DELETE:
		infer_delete(t, s->expr);
		break;
	case AST_S_TRY:
		if (s->try_.local)
			infer_message(t, s->try_.local, s->span);
		infer_stmt(t, &s->try_.body);
		infer_stmt(t, &s->try_.handler);
		break;
	case AST_S_EMPTY:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
}
