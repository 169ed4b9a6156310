// SPDX-License-Identifier: GPL-2.0-or-later
// What few scripts have: odd widths, places behind the end, values that are assigned in the middle of an expression, overloaded
// functions, errors within errors. A form is a row of a table (rare.h).
#include "testsuite/meta/rare.h"

#define ARENA (g->tree->arena)

// ---- kids -----------------------------------------------------------------------------------------------------------

// Of what can be changed here; NULL: there is none.
static struct node *changed(struct gen *g, enum type type)
{
	const struct global *a = gen_writable(g, chance(g->rng, 60) ? GLOBAL_SCALAR : GLOBAL_ARRAY, type);

	return a ? gen_element(g, a) : NULL;
}

static struct node *width(struct gen *g)
{
	static const char *const widths[] = { "0", "1", "3", "7", "12", "-1", "-4", "-9" };
	struct node *n;

	if (below(g->rng, 2))
		return node_leaf(g->tree, T_LONG, *pick(g->rng, widths));
	n = gen_expr(g, T_LONG, 1);
	return gen_form(g, T_LONG, 1, &n, "((\1) %% 20)");
}

// A text of so many bytes just fits, or not.
static struct node *near_cap(struct gen *g)
{
	static const int nears[] = { -9, -2, -1, 0, 1, 2, 9 };
	unsigned cap = g->script->max_string ? g->script->max_string : 512;

	return node_leaf(g->tree, T_LONG, sp_arena_printf(ARENA, "%d", (int)cap + *pick(g->rng, nears)));
}

// What may be left out, or be computed twice.
static struct node *pure(struct gen *g, enum type type)
{
	bool is_pure = g->is_pure;
	struct node *n;

	g->is_pure = true;
	n = gen_expr(g, type, 2);
	g->is_pure = is_pure;
	return n;
}

static struct node *make_kid(struct gen *g, char letter)
{
	const struct global *a;
	struct node *block;

	switch (letter) {
	case 'l':
		return gen_expr(g, T_LONG, 2);
	case 's':
		return gen_expr(g, T_STR, 2);
	case 'p':
		return pure(g, T_LONG);
	case 'P':
		return pure(g, T_STR);
	case 'n':
		return gen_small(g, 1);
	case 'w':
		return width(g);
	case 'C':
		return near_cap(g);
	case 'e':
		return changed(g, T_LONG);
	case 't':
		return changed(g, T_STR);
	case 'q':
		a = gen_writable(g, GLOBAL_STAT, T_NONE);
		return a ? gen_element(g, a) : NULL;
	case 'A':
	case 'Q':
		a = gen_global(g, letter == 'A' ? GLOBAL_ARRAY : GLOBAL_STAT, T_NONE);
		return a && a->n_keys == 1 && !a->is_own ? node_leaf(g->tree, T_NONE, a->name) : NULL;
	case 'h':
		return g->func ? NULL : node_leaf(g->tree, T_LONG, "0");
	case 'B':
		g->loops++;
		block = gen_block(g, 1 + below(g->rng, 2));
		g->loops--;
		return block;
	default:
		return gen_block(g, 1 + below(g->rng, 2));
	}
}

// L., S. and N. are names.
static const char *with_names(struct gen *g, const char *text, const char *const names[3])
{
	static const char letters[] = "LSN";
	struct sp_buf out = { 0 };
	const char *form, *at;

	for (const char *s = text; *s; s++) {
		at = s[1] == '.' ? strchr(letters, *s) : NULL;
		if (at) {
			sp_buf_puts(&out, names[at - letters]);
			s++;
		} else {
			sp_buf_putc(&out, *s);
		}
	}
	form = sp_arena_strdup(ARENA, sp_buf_str(&out));
	sp_buf_deinit(&out);
	return form;
}

// To compile, which is most of what a seed takes.
static bool takes_time(const struct rare *r)
{
	static const char *const functions[] = { "xb(", "eh(", "ei(", "ej(", "ca(", "cb(", "cc(", "cd(", "ce(", "cf(", "cg(", "ch(", "ci(" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(functions); i++)
		if (strstr(r->form, functions[i]))
			return true;
	return false;
}

static struct node *make(struct gen *g, enum type type, const struct rare *r, const char *const names[3])
{
	struct node *kids[MAX_KIDS] = { NULL }, *n;
	unsigned n_kids = (unsigned)strlen(r->kids);

	if ((r->fails && !g->tries) || (takes_time(r) && !chance(g->rng, 15)))
		return NULL;
	for (unsigned i = 0; i < n_kids; i++) {
		kids[i] = make_kid(g, r->kids[i]);
		if (!kids[i])
			return NULL;
	}
	n = node_form(g->tree, type, names ? with_names(g, r->form, names) : r->form, n_kids, kids);
	n->order = ORDER_WHOLE;
	if (r->alt)
		n->alt = names ? with_names(g, r->alt, names) : r->alt;
	return n;
}

static const struct rare *any_of(struct gen *g, const struct rares *r)
{
	return &r->rows[below(g->rng, r->n)];
}

struct node *gen_rare(struct gen *g, enum type type)
{
	if (g->is_plain || g->is_pure || g->nesting > 3)
		return NULL;
	return make(g, type, any_of(g, type == T_LONG ? &rare_longs : &rare_texts), NULL);
}

struct node *gen_rare_statement(struct gen *g)
{
	const struct rare *r = any_of(g, &rare_statements);
	const struct var *l = gen_assignable(g, T_LONG), *s = gen_assignable(g, T_STR);
	bool keeps_locals = g->keeps_locals;
	const char *names[3];
	struct node *n;

	if (!l || !s || (strchr(r->kids, 'B') && g->loops >= 2))
		return NULL;
	names[0] = l->name;
	names[1] = s->name;
	names[2] = sp_arena_printf(ARENA, "%sn%u", g->func ? g->func->name : "", g->labels++);
	g->keeps_locals |= r->alt != NULL; // the two may name one now and then
	n = make(g, T_NONE, r, names);
	g->keeps_locals = keeps_locals;
	return n;
}
