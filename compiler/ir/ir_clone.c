// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/ir_clone.h"

static struct ir_expr **clone_args(struct ir_unit *unit, struct ir_expr *const *args, unsigned n)
{
	struct ir_expr **copy = sp_arena_array(&unit->arena, struct ir_expr *, n);

	for (unsigned i = 0; i < n; i++)
		copy[i] = ir_clone_expr(unit, args[i]);
	return copy;
}

struct ir_expr *ir_clone_expr(struct ir_unit *unit, const struct ir_expr *e)
{
	struct ir_expr *copy;

	if (!e)
		return NULL;
	copy = sp_arena_memdup(&unit->arena, e, sizeof(*e));
	copy->a = ir_clone_expr(unit, e->a);
	copy->b = ir_clone_expr(unit, e->b);
	copy->c = ir_clone_expr(unit, e->c);
	if (e->n_args)
		copy->args = clone_args(unit, e->args, e->n_args);
	copy->stmts = ir_clone(unit, e->stmts);
	return copy;
}

struct ir_stmt *ir_clone(struct ir_unit *unit, const struct ir_stmt *list)
{
	struct ir_stmt *first = NULL, **tail = &first;

	for (const struct ir_stmt *s = list; s; s = s->next) {
		struct ir_stmt *copy = sp_arena_memdup(&unit->arena, s, sizeof(*s));

		copy->next = NULL;
		copy->a = ir_clone_expr(unit, s->a);
		copy->b = ir_clone_expr(unit, s->b);
		if (s->n_args)
			copy->args = clone_args(unit, s->args, s->n_args);
		copy->foreach.limit = ir_clone_expr(unit, s->foreach.limit);
		copy->then = ir_clone(unit, s->then);
		copy->otherwise = ir_clone(unit, s->otherwise);
		copy->step = ir_clone(unit, s->step);
		*tail = copy;
		tail = &copy->next;
	}
	return first;
}
