// SPDX-License-Identifier: GPL-2.0-or-later
// for and while.
#include "testsuite/meta/gen.h"

#include <inttypes.h>

#define ARENA (g->tree->arena)

static struct node *rounds(struct gen *g)
{
	struct node *body;

	g->loops++;
	body = gen_block(g, 1 + below(g->rng, 3));
	g->loops--;
	return body;
}

// A few rounds, whose number is known or not.
static struct node *short_loop(struct gen *g, const char *i)
{
	unsigned n = 1 + below(g->rng, 4);
	struct node *kids[2] = { NULL, rounds(g) }, *loop;

	if (below(g->rng, 3)) {
		loop = gen_form(g, T_NONE, 2, kids, "for (%s = 0; %s < %u; %s++) \2", i, i, n, i);
		loop->alt = sp_arena_printf(ARENA, "for (%s = 0; !(%s >= %u); %s += 1) \2", i, i, n, i);
		return loop;
	}
	kids[0] = gen_expr(g, T_LONG, 2);
	loop = gen_form(g, T_NONE, 2, kids, "for (%s = \1 & 3; %s > 0; %s--) \2", i, i, i);
	loop->need[0] = L_COMPARE;
	return loop;
}

struct counted {
	int64_t from, by;
	unsigned rounds;
};

static struct counted choose_rounds(struct gen *g)
{
	static const int64_t froms[] = { 0, 0, 0, 1, -3, 10, 1000, INT64_MAX - 7000, INT64_MIN + 7000, INT32_MAX - 20 };
	static const int64_t steps[] = { 1, 1, 1, 2, 3, 7, 64, -1, -1, -2, -5 };
	static const unsigned few[] = { 0, 1, 2, 3, 5 }, many[] = { 8, 15, 16, 31, 32, 33, 64, 100 };

	return (struct counted){ *pick(g->rng, froms), *pick(g->rng, steps), g->loops || below(g->rng, 2) ? *pick(g->rng, few) : *pick(g->rng, many) };
}

// Steps of any size, limits that are met or passed, a counter that its body moves on, and what it is behind the loop.
static struct node *counted_loop(struct gen *g, const char *i)
{
	static const char *const up[] = { "<", "<=", "!=" }, *const down[] = { ">", ">=", "!=" };
	struct counted c = choose_rounds(g);
	const char *op = c.by > 0 ? *pick(g->rng, up) : *pick(g->rng, down), *step, *alt_step;
	int64_t to = c.from + c.by * c.rounds + (*op != '!' && below(g->rng, 2) ? (c.by > 0 ? -1 : 1) : 0);
	struct node *body = rounds(g), *kids[2] = { NULL, body }, *n;

	step = c.by == 1 ? "++" : c.by == -1 ? "--" : sp_arena_printf(ARENA, " += %" PRId64, c.by);
	alt_step = sp_arena_printf(ARENA, " = %s - %" PRId64, i, -c.by);
	if (*op != '!' && chance(g->rng, 30)) {
		kids[0] = gen_condition(g, 2);
		n = gen_form(g, T_NONE, 1, kids, "if (\1) %s%s;", i, step);
		block_add(body, n);
	}
	n = gen_form(g, T_NONE, 2, kids, "for (%s = %" PRId64 "; %s %s %" PRId64 "; %s%s) \2 println(%s);", i, c.from, i, op, to, i, step, i);
	n->alt = sp_arena_printf(ARENA, "for (%s = %" PRId64 "; !(%s %s %" PRId64 "); %s%s) \2 println(%s);", i, c.from, i,
				 *op == '!' ? "==" : *op == '<' ? (op[1] ? ">" : ">=") : (op[1] ? "<" : "<="), to, i, alt_step, i);
	return n;
}

static struct node *while_loop(struct gen *g, const char *i)
{
	struct node *kids[2], *n;

	g->loops++;
	kids[0] = gen_condition(g, 1);
	g->loops--;
	kids[1] = rounds(g);
	n = gen_form(g, T_NONE, 2, kids, "%s = 3; while (%s-- > 0 && (\1)) \2", i, i);
	n->alt = sp_arena_printf(ARENA, "for (%s = 3; %s-- > 0 && (\1);) \2", i, i);
	return n;
}

struct node *gen_loop(struct gen *g)
{
	unsigned vars = g->n_vars;
	const char *i = gen_var(g, "i", T_LONG);
	struct node *n;

	switch (below(g->rng, 4)) {
	case 0:
		n = short_loop(g, i);
		break;
	case 1:
		n = while_loop(g, i);
		break;
	default:
		n = counted_loop(g, i);
		break;
	}
	g->n_vars = vars;
	return n;
}
