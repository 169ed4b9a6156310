// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/aggregate.h"

#include "compiler/model/builtin.h"
#include "compiler/sema/tree.h"

// How a handler uses one of its locals.
struct use {
	unsigned n, n_statistic; // as anything; as `x` of x <<< 1, @count(x), @hist_log(x), delete x
	bool is_filled;
	struct span first; // where it is filled
	struct global *array;
};

struct uses {
	struct sp_arena *arena;
	struct local *thread; // whose statistics these are
	struct use *v; // by the local's index
};

static struct use *use_of(const struct uses *uses, const struct ast_expr *e)
{
	return e && e->kind == AST_NAME && e->name.local ? &uses->v[e->name.local->index] : NULL;
}

static void count_expr(void *ctx, struct ast_expr **place)
{
	const struct uses *uses = ctx;
	const struct ast_expr *e = *place;
	struct use *u = use_of(uses, e);

	if (u) {
		u->n++;
		return;
	}
	if (e->kind == AST_ASSIGN && e->assign.kind == ASSIGN_STAT && (u = use_of(uses, e->assign.target))) {
		if (!u->is_filled)
			u->first = e->assign.target->span;
		u->is_filled = true;
	} else if (e->kind == AST_STAT) {
		u = use_of(uses, e->stat.stat);
	} else if (e->kind == AST_HIST) {
		u = use_of(uses, e->hist.stat);
	}
	if (u)
		u->n_statistic++;
}

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx;
	(void)place;
}

static void count_delete(void *ctx, struct ast_stmt **place)
{
	struct use *u = (*place)->kind == AST_S_DELETE ? use_of(ctx, (*place)->expr) : NULL;

	if (u)
		u->n_statistic++;
	ast_stmt_children(*place, no_expr, count_delete, ctx);
}

static struct ast_expr *element(const struct uses *uses, const struct ast_expr *like, struct global *array)
{
	struct ast_expr *thread = tree_local(uses->arena, like, uses->thread);

	return tree_index(uses->arena, like, array, &thread, 1);
}

static void replace(void *ctx, struct ast_expr **place)
{
	const struct uses *uses = ctx;
	const struct use *u = use_of(uses, *place);

	if (u && u->array)
		*place = element(uses, *place, u->array);
}

static struct global *new_array(struct program *program, const struct local *local)
{
	struct global *g = sp_arena_new(&program->arena, struct global);

	g->name = local->name;
	g->span = g->type_span = local->span;
	g->is_array = g->is_synthetic = g->is_private = true;
	g->is_read = g->is_written = true;
	g->n_keys = 1;
	g->key_types = sp_arena_new(&program->arena, enum ast_type);
	g->key_types[0] = TYPE_LONG;
	g->index = (unsigned)program->globals.n;
	sp_vec_push(&program->globals, g);
	return g;
}

// What a handler does before it leaves by `next`.
struct leaving {
	const struct uses *uses;
	const struct ast_expr *like;
	struct global *array;
};

static void empty_before_next(void *ctx, struct ast_stmt **place)
{
	const struct leaving *l = ctx;
	struct ast_stmt *next = *place;

	if (next->kind != AST_S_NEXT) {
		ast_stmt_children(next, no_expr, empty_before_next, ctx);
		return;
	}
	*place = tree_block(l->uses->arena, next->span,
			    (struct ast_stmt *[]){ tree_delete(l->uses->arena, element(l->uses, l->like, l->array)), next }, 2);
}

// The thread's element is empty when the handler begins, and gone when it has ended.
static void empty(const struct uses *uses, struct handler *handler, const struct use *u)
{
	const struct ast_expr like = { .span = u->first, .op_span = u->first };
	struct ast_stmt *all[] = {
		tree_delete(uses->arena, element(uses, &like, u->array)),
		handler->body,
		tree_delete(uses->arena, element(uses, &like, u->array)),
	};

	empty_before_next(&(struct leaving){ uses, &like, u->array }, &all[1]);
	handler->body = tree_block(uses->arena, handler->body->span, all, SP_ARRAY_SIZE(all));
}

static void forget(struct handler *handler, const struct uses *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < handler->locals.n; i++)
		if (!uses->v[i].array)
			handler->locals.v[n++] = handler->locals.v[i];
	handler->locals.n = n;
	for (size_t i = 0; i < n; i++)
		handler->locals.v[i]->index = (unsigned)i;
}

// thread = tid() ..., before all else.
static void set_thread(const struct uses *uses, struct handler *handler, const struct ast_expr *like)
{
	struct ast_stmt *all[] = { tree_set_thread(uses->arena, like, uses->thread), handler->body };

	uses->thread->index = (unsigned)handler->locals.n;
	sp_vec_push(&handler->locals, uses->thread);
	handler->body = tree_block(uses->arena, handler->body->span, all, SP_ARRAY_SIZE(all));
}

static void in_handler(struct program *program, struct handler *handler)
{
	struct uses uses = { .arena = &program->arena, .v = sp_calloc(handler->locals.n + 1, sizeof(*uses.v)) };
	struct ast_expr like = { 0 };

	tree_walk_stmt(handler->body, count_expr, &uses);
	count_delete(&uses, &handler->body);
	for (size_t i = 0; i < handler->locals.n; i++) {
		struct use *u = &uses.v[i];

		if (!u->is_filled || u->n != u->n_statistic)
			continue;
		u->array = new_array(program, handler->locals.v[i]);
		like.span = like.op_span = u->first;
	}
	if (like.span.file) {
		uses.thread = tree_new_local(uses.arena, "@thread", like.span);
		uses.thread->type = TYPE_LONG;
		tree_walk_stmt(handler->body, replace, &uses);
		for (size_t i = 0; i < handler->locals.n; i++)
			if (uses.v[i].array)
				empty(&uses, handler, &uses.v[i]);
		forget(handler, &uses);
		set_thread(&uses, handler, &like);
	}
	free(uses.v);
}

void aggregate_locals(struct program *program)
{
	sp_vec_each(handler, &program->handlers)
		in_handler(program, *handler);
}
