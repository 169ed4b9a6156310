// SPDX-License-Identifier: GPL-2.0-or-later
// The condition of a probe point (`probe P if (x > 3)`): the handler tests it first, and a small handler of its own tells the runtime
// whether the probe is to be attached at all.
#include "compiler/sema/bind.h"
#include "compiler/sema/tree.h"

// A condition that has one value everywhere at a time: it reads globals, and calls nothing.
static void find_other(void *ctx, struct ast_expr **place)
{
	enum ast_expr_kind kind = (*place)->kind;
	bool *other = ctx;

	*other |= kind != AST_NAME && kind != AST_INDEX && kind != AST_IN && kind != AST_NUMBER && kind != AST_STRING &&
		  kind != AST_UNARY && kind != AST_BINARY && kind != AST_TERNARY && kind != AST_STAT;
}

static bool is_of_globals(struct ast_expr *condition)
{
	bool other = false;

	tree_walk_expr(&condition, find_other, &other);
	return !other;
}

// What runs in the runtime costs nothing while the condition does not hold, but the test of it.
static bool can_be_off(const struct site *site)
{
	return site->family != &pt_self && site->family != &pt_timer && site->family != &pt_procfs && site->family != &pt_sample;
}

static struct global *new_global(struct bind *b, unsigned number)
{
	struct global *g = sp_arena_new(b->arena, struct global);

	g->name = sp_arena_printf(b->arena, "if:%u", number);
	g->type = TYPE_LONG;
	g->is_synthetic = g->is_private = true;
	g->index = (unsigned)b->program->globals.n;
	sp_vec_push(&b->program->globals, g);
	return g;
}

static struct site *new_site(struct bind *b, const struct handler *of, const struct global *result, unsigned number)
{
	struct site *site = sp_arena_new(b->arena, struct site);

	site->family = &pt_self;
	site->origin = of->sites.v[0]->origin;
	site->point = sp_arena_printf(b->arena, "if of %s", of->sites.v[0]->point);
	site->function = "";
	site->kind = SP_SITE_CONDITION;
	site->prog_kind = SP_PROG_USER;
	site->symbol = result->name;
	site->why = "";
	site->args.condition.number = number;
	return site;
}

void bind_condition(struct bind *b, struct handler *handler, const struct ast_expr *condition)
{
	struct handler *h;
	struct ast_expr *target, *value;
	struct global *result;

	for (size_t i = 0; i < handler->sites.n; i++)
		if (!can_be_off(handler->sites.v[i]))
			return;
	if (!handler->sites.n || b->opts->dc->n_errors)
		return;
	h = sp_arena_new(b->arena, struct handler);
	value = tree_not(b->arena, tree_not(b->arena, ast_clone_expr(b->arena, condition)));
	h->probe = handler->probe;
	h->body = tree_expr_stmt(b->arena, value);
	bind_handler(b, h);
	if (!is_of_globals(value) || b->opts->dc->n_errors)
		return;
	handler->condition = ++b->program->n_conditions;
	result = new_global(b, handler->condition);
	target = tree_number(b->arena, value, 0);
	target->kind = AST_NAME;
	target->name.name = result->name;
	target->name.local = NULL;
	target->name.global = result;
	h->body = tree_expr_stmt(b->arena, tree_assign(b->arena, target, value));
	sp_vec_push(&h->sites, new_site(b, handler, result, handler->condition));
	sp_vec_push(&b->program->handlers, h);
}
