// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/ast.h"

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

void ast_expr_children(struct ast_expr *e, ast_expr_fn fn, void *ctx)
{
	switch (e->kind) {
	case AST_NUMBER:
	case AST_STRING:
	case AST_NAME:
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_EMBEDDED:
	case AST_RESOLVED:
	case AST_ERROR:
		break;
	case AST_INDEX:
		list(&e->index.keys, fn, ctx);
		break;
	case AST_CALL:
		list(&e->call.args, fn, ctx);
		break;
	case AST_PRINT:
		list(&e->print.args, fn, ctx);
		break;
	case AST_UNARY:
		child(&e->unary.a, fn, ctx);
		break;
	case AST_BINARY:
		child(&e->binary.a, fn, ctx);
		child(&e->binary.b, fn, ctx);
		break;
	case AST_TERNARY:
		child(&e->ternary.cond, fn, ctx);
		child(&e->ternary.a, fn, ctx);
		child(&e->ternary.b, fn, ctx);
		break;
	case AST_ASSIGN:
		child(&e->assign.target, fn, ctx);
		child(&e->assign.value, fn, ctx);
		break;
	case AST_INCDEC:
		child(&e->incdec.target, fn, ctx);
		break;
	case AST_IN:
		list(&e->in.keys, fn, ctx);
		break;
	case AST_REGEX:
		child(&e->regex.text, fn, ctx);
		break;
	case AST_TARGET:
		child(&e->target.base, fn, ctx);
		steps(&e->target.steps, fn, ctx);
		break;
	case AST_CAST:
		child(&e->cast.value, fn, ctx);
		steps(&e->cast.steps, fn, ctx);
		break;
	case AST_ATVAR:
		steps(&e->atvar.steps, fn, ctx);
		break;
	case AST_DEFINED:
		child(&e->defined.a, fn, ctx);
		break;
	case AST_ENTRY:
		child(&e->entry.a, fn, ctx);
		break;
	case AST_STAT:
		child(&e->stat.stat, fn, ctx);
		child(&e->stat.param, fn, ctx);
		break;
	case AST_HIST:
		child(&e->hist.stat, fn, ctx);
		child(&e->hist.bucket, fn, ctx);
		break;
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
