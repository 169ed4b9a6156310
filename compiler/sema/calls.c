// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/calls.h"
#include "compiler/sema/tree.h"

struct walk {
	unsigned number;
	SP_VEC(struct function *) order;
};

static void find_call(void *ctx, struct ast_expr **place)
{
	struct walk *w = ctx;
	struct function *f = (*place)->kind == AST_CALL ? (*place)->call.function : NULL;

	if (!f || f->found_in == w->number)
		return;
	f->found_in = w->number;
	sp_vec_push(&w->order, f);
}

// Finds what the functions call that have been found so far, and what these call.
static void follow(struct walk *w)
{
	for (size_t i = 0; i < w->order.n; i++)
		tree_walk_stmt(w->order.v[i]->body, find_call, w);
}

void calls_each(struct program *program, struct ast_stmt *body,
		void (*fn)(void *ctx, struct function *f), void *ctx)
{
	struct walk w = { .number = ++program->n_walks };

	tree_walk_stmt(body, find_call, &w);
	follow(&w);
	sp_vec_each(f, &w.order)
		fn(ctx, *f);
	sp_vec_deinit(&w.order);
}

static void mark_used(void *ctx SP_UNUSED, struct function *f)
{
	f->is_used = true;
}

// Does the function reach itself?
static bool is_recursive(struct program *program, struct function *f)
{
	struct walk w = { .number = ++program->n_walks };

	tree_walk_stmt(f->body, find_call, &w);
	follow(&w);
	sp_vec_deinit(&w.order);
	return f->found_in == w.number;
}

void calls_mark(struct program *program)
{
	for (size_t i = 0; i < program->functions.n; i++) {
		struct function *f = program->functions.v[i];

		f->index = (unsigned)i;
		f->is_used = false;
		f->is_recursive = is_recursive(program, f);
	}
	sp_vec_each(handler, &program->handlers)
		calls_each(program, (*handler)->body, mark_used, NULL);
}
