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

// ---- callers --------------------------------------------------------------------------------------------------------

void callers_init(struct callers *callers, struct program *program)
{
	struct walk w = { 0 };

	callers->n = program->functions.n;
	callers->of = sp_calloc(callers->n + 1, sizeof(*callers->of));
	for (size_t i = 0; i < callers->n; i++)
		program->functions.v[i]->index = (unsigned)i;
	for (size_t i = 0; i < callers->n; i++) {
		struct function *f = program->functions.v[i];

		w.number = ++program->n_walks;
		w.order.n = 0;
		tree_walk_stmt(f->body, find_call, &w);
		sp_vec_each(callee, &w.order)
			sp_vec_push(&callers->of[(*callee)->index].v, f);
	}
	sp_vec_deinit(&w.order);
}

void callers_deinit(struct callers *callers)
{
	for (size_t i = 0; i < callers->n; i++)
		sp_vec_deinit(&callers->of[i].v);
	free(callers->of);
}

// ---- recursion ------------------------------------------------------------------------------------------------------

// Does the function reach itself?
static bool reaches_itself(struct program *program, struct function *f)
{
	struct walk w = { .number = ++program->n_walks };

	tree_walk_stmt(f->body, find_call, &w);
	follow(&w);
	sp_vec_deinit(&w.order);
	return f->found_in == w.number;
}

// Functions that call nothing are not recursive, nor are those that call such ones alone, and so on. Of the others, which are few,
// each is looked at.
static void mark_recursive(struct program *program)
{
	struct callers callers;
	SP_VEC(struct function *) settled = { 0 };
	size_t *n_callees;

	callers_init(&callers, program);
	n_callees = sp_calloc(callers.n + 1, sizeof(*n_callees));
	for (size_t i = 0; i < callers.n; i++)
		sp_vec_each(caller, &callers.of[i].v)
			n_callees[(*caller)->index]++;
	for (size_t i = 0; i < callers.n; i++)
		if (!n_callees[i])
			sp_vec_push(&settled, program->functions.v[i]);
	for (size_t i = 0; i < settled.n; i++)
		sp_vec_each(caller, &callers.of[settled.v[i]->index].v)
			if (--n_callees[(*caller)->index] == 0)
				sp_vec_push(&settled, *caller);
	for (size_t i = 0; i < callers.n; i++)
		program->functions.v[i]->is_recursive = n_callees[i] && reaches_itself(program, program->functions.v[i]);
	sp_vec_deinit(&settled);
	free(n_callees);
	callers_deinit(&callers);
}

// ---- both -----------------------------------------------------------------------------------------------------------

static void mark_used(void *ctx SP_UNUSED, struct function *f)
{
	f->is_used = true;
}

void calls_mark(struct program *program)
{
	mark_recursive(program);
	sp_vec_each(f, &program->functions)
		(*f)->is_used = false;
	sp_vec_each(handler, &program->handlers)
		calls_each(program, (*handler)->body, mark_used, NULL);
}
