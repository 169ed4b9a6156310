// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/ast.h"

#include <stddef.h>

static void child(struct ast_expr **place, ast_expr_fn fn, void *ctx)
{
	if (*place)
		fn(ctx, place);
}

static void list(struct ast_list *l, ast_expr_fn fn, void *ctx)
{
	for (unsigned i = 0; i < l->n; i++)
		child(&l->v[i], fn, ctx);
}

static void steps(struct ast_steps *s, ast_expr_fn fn, void *ctx)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].kind == STEP_INDEX)
			child(&s->v[i].index, fn, ctx);
}

const struct ast_field *ast_fields(enum ast_expr_kind kind)
{
	static const struct ast_field fields[][5] = {
		[AST_ERROR] = { { FIELD_END, 0, NULL } },
#define FIELD(form, member, label) { FIELD_##form, offsetof(struct ast_expr, member), label },
#define AST_FIELDS(kind, fields) [AST_##kind] = { fields },
#include "compiler/front/ast.def"
#undef AST_FIELDS
#undef FIELD
	};

	return fields[kind];
}

void ast_expr_children(struct ast_expr *e, ast_expr_fn fn, void *ctx)
{
	// Code is made of ast.def here, in place of a loop over ast_fields(): all passes do this for all nodes of all sites.
	switch (e->kind) {
	case AST_NUMBER:
	case AST_STRING:
	case AST_RESOLVED:
	case AST_ERROR:
		break;
#define WALK_NEEDED(place) child(place, fn, ctx);
#define WALK_OPTIONAL(place) child(place, fn, ctx);
#define WALK_LIST(place) list(place, fn, ctx);
#define WALK_SLICE(place) list(place, fn, ctx);
#define WALK_STEPS(place) steps(place, fn, ctx);
#define WALK_LITERAL(place)
#define WALK_TEXT(place)
#define FIELD(form, member, label) WALK_##form(&e->member)
#define AST_FIELDS(kind, fields)  \
	case AST_##kind:        \
		fields break;
#include "compiler/front/ast.def"
#undef AST_FIELDS
#undef FIELD
#undef WALK_NEEDED
#undef WALK_OPTIONAL
#undef WALK_LIST
#undef WALK_SLICE
#undef WALK_STEPS
#undef WALK_LITERAL
#undef WALK_TEXT
	}
}

static void sub(struct ast_stmt **place, ast_stmt_fn fn, void *ctx)
{
	if (*place)
		fn(ctx, place);
}

void ast_stmt_children(struct ast_stmt *s, ast_expr_fn on_expr, ast_stmt_fn on_stmt, void *ctx)
{
	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			sub(&s->block.v[i], on_stmt, ctx);
		break;
	case AST_S_EMPTY:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	case AST_S_EXPR:
	case AST_S_RETURN:
	case AST_S_DELETE:
		child(&s->expr, on_expr, ctx);
		break;
	case AST_S_IF:
		child(&s->cond.cond, on_expr, ctx);
		sub(&s->cond.then, on_stmt, ctx);
		sub(&s->cond.otherwise, on_stmt, ctx);
		break;
	case AST_S_WHILE:
	case AST_S_FOR:
		child(&s->loop.init, on_expr, ctx);
		child(&s->loop.cond, on_expr, ctx);
		sub(&s->loop.body, on_stmt, ctx);
		child(&s->loop.step, on_expr, ctx);
		break;
	case AST_S_FOREACH:
		list(&s->foreach.keys, on_expr, ctx);
		child(&s->foreach.value, on_expr, ctx);
		list(&s->foreach.slice, on_expr, ctx);
		child(&s->foreach.hist, on_expr, ctx);
		child(&s->foreach.limit, on_expr, ctx);
		sub(&s->foreach.body, on_stmt, ctx);
		break;
	case AST_S_TRY:
		sub(&s->try_.body, on_stmt, ctx);
		sub(&s->try_.handler, on_stmt, ctx);
		break;
	}
}

struct deep {
	ast_expr_fn fn;
	void *ctx;
};

static void walk_whole(void *ctx, struct ast_expr **place)
{
	const struct deep *deep = ctx;

	ast_expr_children(*place, walk_whole, ctx);
	deep->fn(deep->ctx, place);
}

void ast_walk_expr(struct ast_expr **place, ast_expr_fn fn, void *ctx)
{
	struct deep deep = { fn, ctx };

	walk_whole(&deep, place);
}
