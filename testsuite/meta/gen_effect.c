// SPDX-License-Identifier: GPL-2.0-or-later
// Values that change a variable, as parts of expressions, keys and arguments: what stands before and behind them reads it, too.
#include "testsuite/meta/gen.h"

#define ARENA (g->tree->arena)

// A local variable; NULL: none is changed here.
static struct node *local(struct gen *g, enum type type)
{
	const struct var *v = g->keeps_locals ? NULL : gen_assignable(g, type);

	if (!v)
		return NULL;
	g->n_assigned++;
	return node_leaf(g->tree, type, v->name);
}

static struct node *place(struct gen *g, enum type type, unsigned depth)
{
	struct node *n = !depth || chance(g->rng, 55) ? local(g, type) : NULL;
	const struct global *a;

	if (n)
		return n;
	a = gen_writable(g, depth && below(g->rng, 3) ? GLOBAL_ARRAY : GLOBAL_SCALAR, type);
	return a ? gen_element(g, a) : NULL;
}

static struct node *step(struct gen *g, struct node *place)
{
	static const char *const forms[] = { "\1++", "\1--", "++\1", "--\1" };
	struct node *n = node_of_place(g->tree, T_LONG, *pick(g->rng, forms), 1, &place);

	n->level = L_UNARY;
	return n;
}

static struct node *assignment(struct gen *g, struct node *place, unsigned depth)
{
	static const char *const long_ops[] = { "", "", "", "+", "-", "*", "&", "|", "^", "<<", ">>" };
	const char *op = place->type == T_LONG ? *pick(g->rng, long_ops) : below(g->rng, 3) ? "" : ".";
	struct node *value = depth ? gen_expr(g, place->type, depth - 1) : gen_leaf(g, place->type);

	return node_of_place(g->tree, place->type, sp_arena_printf(ARENA, "(\1 %s= \2)", op), 2, (struct node *[]){ place, value });
}

static struct node *addition(struct gen *g, unsigned depth)
{
	const struct global *a = gen_writable(g, GLOBAL_STAT, T_NONE);
	struct node *kids[2];

	if (!a)
		return NULL;
	kids[0] = gen_element(g, a);
	kids[1] = gen_expr(g, T_LONG, depth - 1);
	return node_of_place(g->tree, T_LONG, "(\1 <<< \2)", 2, kids);
}

struct node *gen_effect(struct gen *g, enum type type, unsigned depth)
{
	struct node *n;

	if (g->is_plain || g->is_pure)
		return NULL;
	if (type == T_LONG && depth && below(g->rng, 10) == 0)
		return addition(g, depth);
	if (depth && chance(g->rng, 15)) {
		n = gen_call(g, type);
		if (n)
			return n;
	}
	n = place(g, type, depth);
	if (!n)
		return NULL;
	return type == T_LONG && below(g->rng, 5) < 2 ? step(g, n) : assignment(g, n, depth);
}
