// SPDX-License-Identifier: GPL-2.0-or-later
// Globals: what there is, what they are filled with, and how they are shown at the end.
#include "testsuite/meta/gen.h"

#define ARENA (g->tree->arena)

static struct global *add(struct gen *g, const char *name, enum global_kind kind, enum type type)
{
	struct global *a = &g->script->globals[g->script->n_globals++];

	*a = (struct global){ .name = name, .kind = kind, .type = type };
	return a;
}

// Small enough for a kernel handler to walk it in order, and large enough for the keys that there are.
static void add_array(struct gen *g, const char *name, enum global_kind kind)
{
	struct global *a = add(g, name, kind, kind == GLOBAL_STAT || below(g->rng, 5) < 3 ? T_LONG : T_STR);

	a->n_keys = 1 + below(g->rng, 2);
	for (unsigned i = 0; i < a->n_keys; i++)
		a->keys[i] = below(g->rng, 2) ? T_LONG : T_STR;
	a->is_known = chance(g->rng, 40);
	if (chance(g->rng, 12))
		a->size = 3;
	else if (below(g->rng, 3))
		a->size = 30;
	a->wraps = a->size && chance(g->rng, 15);
	if (a->wraps)
		a->size = 2 + below(g->rng, 4);
}

void gen_globals(struct gen *g)
{
	static const char *const arrays[] = { "ma", "mb", "mc" };
	static const char *const long_inits[] = { NULL, "3", "-1", "0x7fffffffffffffff" };
	static const char *const str_inits[] = { NULL, "\"init\"", "\"a,b;c,d\"" };
	unsigned n = 1 + below(g->rng, SP_ARRAY_SIZE(arrays));
	struct global *a;

	add(g, "ga", GLOBAL_SCALAR, T_LONG)->init = *pick(g->rng, long_inits);
	add(g, "gb", GLOBAL_SCALAR, T_LONG);
	add(g, "gs", GLOBAL_SCALAR, T_STR)->init = *pick(g->rng, str_inits);
	for (unsigned i = 0; i < n; i++)
		add_array(g, arrays[i], GLOBAL_ARRAY);
	if (below(g->rng, 3))
		add(g, "qa", GLOBAL_STAT, T_LONG);
	if (below(g->rng, 3) == 0)
		add_array(g, "qb", GLOBAL_STAT);
	if (below(g->rng, 4) == 0) {
		a = add(g, "own", GLOBAL_ARRAY, below(g->rng, 2) ? T_LONG : T_STR);
		a->n_keys = 1;
		a->keys[0] = T_LONG;
		a->is_own = true;
		a->is_of_thread = a->type == T_LONG;
	}
	add(g, "ua", GLOBAL_SCALAR, T_LONG)->is_unread = true;
	add(g, "us", GLOBAL_SCALAR, T_STR)->is_unread = true;
	a = add(g, "um", GLOBAL_ARRAY, T_LONG);
	a->is_unread = true;
	a->n_keys = 1;
	a->keys[0] = T_STR;
}

// A statement of a global.
static void add_text(struct gen *g, struct node *block, const struct global *a, const char *s)
{
	struct node *n = node_leaf(g->tree, T_NONE, s);

	n->global = (unsigned)(a - g->script->globals) + 1;
	block_add(block, n);
}

// In front of what there is.
static void add_text_before(struct gen *g, struct node *block, const struct global *a, const char *s)
{
	struct node rest = *block;

	block->first = block->last = NULL;
	add_text(g, block, a, s);
	block->last->next = rest.first;
	block->last = rest.last;
}

// Types come from here, too: something is assigned to each global.
void gen_setup(struct gen *g)
{
	static const char *const keys[2][2] = { { "1", "2" }, { "\"a\"", "\"b\"" } };
	struct node *block = g->script->setup = node_block(g->tree);

	for (unsigned i = 0; i < g->script->n_globals; i++) {
		const struct global *a = &g->script->globals[i];
		const char *element = a->name, *value = a->type == T_LONG ? "4" : "\"four\"";

		if (a->is_unread && a->n_keys)
			element = sp_arena_printf(ARENA, "%s[\"k\"]", a->name);
		else if (a->is_own)
			element = sp_arena_printf(ARENA, "%s[0]", a->name);
		else if (a->n_keys == 1)
			element = sp_arena_printf(ARENA, "%s[%s]", a->name, keys[a->keys[0] == T_STR][0]);
		else if (a->n_keys == 2)
			element = sp_arena_printf(ARENA, "%s[%s, %s]", a->name, keys[a->keys[0] == T_STR][0],
						  keys[a->keys[1] == T_STR][1]);
		if (a->init || a->is_of_thread || !(g->named >> i & 1))
			continue;
		add_text(g, block, a, sp_arena_printf(ARENA, a->kind == GLOBAL_STAT ? "%s <<< %s;" : "%s = %s;", element, value));
		if (a->kind == GLOBAL_ARRAY && a->n_keys == 1 && !a->is_own && !a->is_unread && below(g->rng, 2))
			add_text(g, block, a, sp_arena_printf(ARENA, "%s[%s] = %s;", a->name, keys[a->keys[0] == T_STR][1],
								 a->type == T_LONG ? "-7" : "\"b\""));
	}
}

// Names say the type: one probe shows arrays of all types.
static const char *key_name(const struct global *a, unsigned i)
{
	static const char *const names[2][MAX_KEYS] = { { "i", "j" }, { "x", "y" } };

	return names[a->keys[i] == T_STR][i];
}

static const char *as_number(struct gen *g, enum type type, const char *value)
{
	return type == T_LONG ? value : sp_arena_printf(ARENA, "__sum(%s)", value);
}

// With two keys there is no order that all engines share: a number for all that is in it.
static void show_pairs(struct gen *g, struct node *block, const struct global *a)
{
	const char *x = key_name(a, 0), *y = key_name(a, 1), *element, *value;

	element = sp_arena_printf(ARENA, "%s[%s, %s]", a->name, x, y);
	value = a->kind == GLOBAL_STAT ? sp_arena_printf(ARENA, "@count(%s) * 7 + @sum(%s)", element, element) :
					 as_number(g, a->type, element);
	add_text(g, block, a, sp_arena_printf(ARENA,
		"n = t = 0; foreach ([%s, %s] in %s) { n++; t += (%s * 31 + %s) * 31 + %s } printf(\"%s: %%d %%d\\n\", n, t);", x, y,
		a->name, as_number(g, a->keys[0], x), as_number(g, a->keys[1], y), value, a->name));
}

static void show_array(struct gen *g, struct node *block, const struct global *a)
{
	const char *k = key_name(a, 0), *format = a->keys[0] == T_LONG ? "%d" : "%s", *element;

	element = sp_arena_printf(ARENA, "%s[%s]", a->name, k);
	if (a->kind == GLOBAL_STAT)
		add_text(g, block, a, sp_arena_printf(ARENA, "foreach (%s+ in %s) printf(\"%s[%s]: %%d %%d\\n\", %s, @count(%s), @sum(%s));",
							 k, a->name, a->name, format, k, element, element));
	else
		add_text(g, block, a, sp_arena_printf(ARENA, "foreach (%s+ in %s) printf(\"%s[%s]=%s\\n\", %s, %s);", k, a->name,
							 a->name, format, a->type == T_LONG ? "%d" : "%s", k, element));
}

static void show_scalar(struct gen *g, struct node *block, const struct global *a)
{
	if (a->kind == GLOBAL_SCALAR) {
		add_text(g, block, a, sp_arena_printf(ARENA, a->type == T_LONG ? "println(\"%s=\", %s);" : "println(\"%s=<\", %s, \">\");",
							 a->name, a->name));
		return;
	}
	add_text(g, block, a, sp_arena_printf(ARENA, "println(\"%s \", @count(%s), \" \", @sum(%s));", a->name, a->name, a->name));
	add_text(g, block, a, sp_arena_printf(ARENA, "if (@count(%s)) println(@min(%s), \" \", @max(%s), \" \", @avg(%s));", a->name,
						 a->name, a->name, a->name));
}

// Its keys are other ones in each run.
static void show_own(struct gen *g, struct node *block, const struct global *a)
{
	add_text(g, block, a, sp_arena_printf(ARENA, "t = 0; foreach (i in %s) t += %s; println(\"%s \", t);", a->name,
						 as_number(g, a->type, sp_arena_printf(ARENA, "%s[i]", a->name)), a->name));
}

void gen_end(struct gen *g)
{
	struct node *block = g->script->end = node_block(g->tree);

	for (unsigned i = 0; i < g->script->n_globals; i++) {
		const struct global *a = &g->script->globals[i];

		if (a->is_unread || !(g->named >> i & 1))
			continue;
		if (a->is_of_thread) // it is read, first of all: else it would be printed, which shows threads
			add_text_before(g, g->script->bodies[0], a, sp_arena_printf(ARENA, "if (%s[tid()] == 2) println(\"%s 2\");", a->name, a->name));
		else if (a->is_own)
			show_own(g, block, a);
		else if (a->n_keys == 2)
			show_pairs(g, block, a);
		else if (a->n_keys == 1)
			show_array(g, block, a);
		else
			show_scalar(g, block, a);
	}
}
