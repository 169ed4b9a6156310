// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/calls.h"
#include "compiler/sema/tree.h"

struct walk {
	bool *seen; // by function index
	SP_VEC(struct function *) order;
};

static void find_call(void *ctx, struct ast_expr **place)
{
	struct walk *w = ctx;
	struct function *f = (*place)->kind == AST_CALL ? (*place)->call.function : NULL;

	if (!f || w->seen[f->index])
		return;
	w->seen[f->index] = true;
	sp_vec_push(&w->order, f);
}

// Finds what the functions call that have been found so far, and what these call.
static void follow(struct walk *w)
{
	for (size_t i = 0; i < w->order.n; i++)
		tree_walk_stmt(w->order.v[i]->body, find_call, w);
}

static void walk_deinit(struct walk *w)
{
	sp_vec_deinit(&w->order);
	free(w->seen);
}

void calls_each(struct program *program, struct ast_stmt *body,
		void (*fn)(void *ctx, struct function *f), void *ctx)
{
	struct walk w = { .seen = sp_calloc(program->functions.n + 1, sizeof(bool)) };

	tree_walk_stmt(body, find_call, &w);
	follow(&w);
	sp_vec_each(f, &w.order)
		fn(ctx, *f);
	walk_deinit(&w);
}

static void mark_used(struct program *program)
{
	struct walk w = { .seen = sp_calloc(program->functions.n, sizeof(bool)) };

	sp_vec_each(handler, &program->handlers)
		tree_walk_stmt((*handler)->body, find_call, &w);
	follow(&w);
	sp_vec_each(f, &w.order)
		(*f)->is_used = true;
	walk_deinit(&w);
}

static void mark_recursive(void *ctx, struct function *f)
{
	if (f == ctx)
		f->is_recursive = true;
}

void calls_mark(struct program *program)
{
	for (size_t i = 0; i < program->functions.n; i++) {
		struct function *f = program->functions.v[i];

		f->index = (unsigned)i;
		f->is_used = f->is_recursive = false;
	}
	if (!program->functions.n)
		return;
	mark_used(program);
	for (size_t i = 0; i < program->functions.n; i++)
		calls_each(program, program->functions.v[i]->body, mark_recursive,
			   program->functions.v[i]);
}
