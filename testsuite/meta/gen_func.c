// SPDX-License-Identifier: GPL-2.0-or-later
// Functions: each calls those before it, and maybe itself.
#include "testsuite/meta/gen.h"

#define ARENA (g->tree->arena)

static void add_params(struct gen *g, struct function *f, bool is_fixed)
{
	static const char *const letters[MAX_PARAMS] = { "p", "q", "r" };

	for (unsigned i = 0; i < f->n_params; i++) {
		f->types[i] = below(g->rng, 5) < 3 ? T_LONG : T_STR;
		f->params[i] = sp_arena_printf(ARENA, "%s%s", f->name, letters[i]);
	}
	if (f->is_recursive)
		f->types[0] = T_LONG;
	for (unsigned i = 0; i < f->n_params; i++)
		g->vars[g->n_vars++] = (struct var){ f->params[i], f->types[i], is_fixed || (f->is_recursive && i == 0),
						     f->kind == FUNC_EXPR ? (int)i : -1 };
}

// All are assigned before anything else, so that the function can stand where it is called.
static void add_locals(struct gen *g, struct function *f)
{
	struct node *value;
	const char *name;

	for (unsigned i = 0; i < 2; i++) {
		enum type type = i ? T_STR : T_LONG;

		name = sp_arena_printf(ARENA, "%s%s", f->name, i ? "s" : "a");
		value = gen_leaf(g, type);
		gen_assign(g, f->body, name, value);
		g->vars[g->n_vars++] = (struct var){ name, type, false, -1 };
	}
}

// Ends the recursion: `if (f < 1) return ...`; the call of itself is made of smaller arguments.
static void add_base(struct gen *g, struct function *f)
{
	struct node *kids[1], *n;
	const char *form = f->value ? "if (%s < 1) return \1;" : "if (%s < 1) return;";

	kids[0] = gen_leaf(g, f->result == T_NONE ? T_LONG : f->result);
	n = node_form(g->tree, T_NONE, sp_arena_printf(ARENA, form, f->params[0]), f->value ? 1 : 0, kids);
	block_add(f->body, n);
}

static struct node *call_itself(struct gen *g, struct function *f)
{
	struct node *args[MAX_PARAMS];

	args[0] = node_leaf(g->tree, T_LONG, sp_arena_printf(ARENA, "%s - 1", f->params[0]));
	args[0]->level = L_ADD;
	for (unsigned i = 1; i < f->n_params; i++)
		args[i] = gen_expr(g, f->types[i], 1);
	return node_call(g->tree, f, args);
}

static void make_body(struct gen *g, struct function *f, unsigned n_statements)
{
	struct node *self, *change;

	f->body = node_block(g->tree);
	f->value = f->result == T_NONE ? NULL : node_leaf(g->tree, f->result, "");
	if (f->is_recursive)
		add_base(g, f);
	add_locals(g, f);
	change = chance(g->rng, 40) ? gen_change(g) : NULL; // for those that call it in a key, as an operand
	if (change)
		block_add(f->body, change);
	gen_statements(g, f->body, n_statements);
	if (f->result == T_NONE) {
		if (f->is_recursive)
			block_add(f->body, call_itself(g, f));
		return;
	}
	f->value = gen_expr(g, f->result, 2);
	if (f->is_recursive) {
		self = call_itself(g, f);
		f->value = f->result == T_LONG ? node_binary(g->tree, T_LONG, L_ADD, "+", f->value, self) :
						 node_binary(g->tree, T_STR, L_CONCAT, ".", self, f->value);
	}
}

static struct function *make_function(struct gen *g, const char *name, bool is_big)
{
	struct function *f = sp_arena_new(ARENA, struct function);
	unsigned kind = below(g->rng, 10), type = below(g->rng, 10);

	f->name = name;
	if (is_big)
		kind = 4 + kind % 5; // neither one expression nor recursive
	f->kind = kind < 4 ? FUNC_EXPR : kind < 7 ? FUNC_LINEAR : FUNC_FREE;
	f->is_recursive = kind == 9;
	f->result = type < 5 ? T_LONG : type < 8 || f->kind == FUNC_EXPR ? T_STR : T_NONE;
	f->n_params = below(g->rng, MAX_PARAMS + 1);
	f->n_params = f->is_recursive ? SP_MAX(f->n_params, 1u) : f->n_params;
	// A parameter that is not used, and a result that depends on nothing, have no type by themselves.
	f->is_typed = true;
	g->func = f;
	g->n_vars = g->labels = g->writes = 0;
	g->is_recursive = f->is_recursive;
	add_params(g, f, f->kind == FUNC_EXPR);
	if (f->kind == FUNC_EXPR)
		f->value = gen_expr(g, f->result, 3);
	else
		make_body(g, f, is_big ? 12 + below(g->rng, 12) : 1 + below(g->rng, 4));
	f->writes = g->writes;
	f->is_recursive = g->is_recursive;
	g->func = NULL;
	g->n_vars = 0;
	return f;
}

void gen_functions(struct gen *g, unsigned n)
{
	static const char *const names[MAX_FUNCS] = { "fa", "fb", "fc", "fd", "fe", "ff" };
	struct script *s = g->script;

	for (unsigned i = 0; i < n; i++) {
		s->funcs[i] = make_function(g, names[i], i == 0 && g->wants->has_big_function);
		s->n_funcs = g->n_callable = i + 1;
	}
}
