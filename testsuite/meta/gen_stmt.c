// SPDX-License-Identifier: GPL-2.0-or-later
// Statements.
#include "testsuite/meta/gen.h"

#define ARENA (g->tree->arena)

static struct node *stmt(struct gen *g, const char *form, unsigned n_kids, struct node *const *kids)
{
	return node_form(g->tree, T_NONE, form, n_kids, kids);
}

// The kids that are values are computed first, in their order.
static struct node *ordered(struct gen *g, const char *form, unsigned n_kids, struct node *const *kids)
{
	struct node *n = stmt(g, form, n_kids, kids);

	n->order = ORDER_KIDS;
	return n;
}

// The first is what it changes.
static struct node *changing(struct gen *g, const char *form, unsigned n_kids, struct node *const *kids)
{
	return node_of_place(g->tree, T_NONE, form, n_kids, kids);
}

void gen_assign(struct gen *g, struct node *block, const char *name, struct node *value)
{
	block_add(block, ordered(g, sp_arena_printf(ARENA, "%s = \1;", name), 1, &value));
}

struct node *gen_block(struct gen *g, unsigned n)
{
	struct node *block = node_block(g->tree);
	unsigned vars = g->n_vars;

	g->nesting++;
	gen_statements(g, block, n);
	g->nesting--;
	g->n_vars = vars;
	return block;
}

const struct var *gen_assignable(struct gen *g, enum type type)
{
	const struct var *fit[MAX_VARS];
	unsigned n = 0;

	for (unsigned i = 0; i < g->n_vars; i++)
		if (!g->vars[i].is_fixed && g->vars[i].type == type)
			fit[n++] = &g->vars[i];
	return n ? fit[below(g->rng, n)] : NULL;
}

const char *gen_var(struct gen *g, const char *letter, enum type type)
{
	const char *name = sp_arena_printf(ARENA, "%s%s%u", g->func ? g->func->name : "", letter, g->labels++);

	if (g->n_vars < MAX_VARS)
		g->vars[g->n_vars++] = (struct var){ name, type, true, -1 };
	return name;
}

// ---- assignments ----------------------------------------------------------------------------------------------------

static struct node *assign_op(struct gen *g, struct node *target, struct node *value, bool is_kept)
{
	static const char *const long_ops[] = { "+", "-", "*", "&", "|", "^", "<<", ">>" };
	const char *op = target->type == T_STR ? "." : *pick(g->rng, long_ops);
	struct node *n;

	n = changing(g, sp_arena_printf(ARENA, "\1 %s= \2;", op), 2, (struct node *[]){ target, value });
	if (is_kept) // nothing that the value computes changes the variable
		n->alt = sp_arena_printf(ARENA, "\1 = \1 %s (\2);", op);
	return n;
}

static struct node *assign_local(struct gen *g)
{
	enum type type = below(g->rng, 5) < 3 ? T_LONG : T_STR;
	const struct var *v = gen_assignable(g, type);
	unsigned n_assigned = g->n_assigned;
	struct node *target, *value;

	if (!v)
		return NULL;
	target = node_leaf(g->tree, type, v->name);
	if (type == T_LONG && chance(g->rng, 12)) {
		value = stmt(g, below(g->rng, 2) ? "\1++;" : "--\1;", 1, &target);
		value->alt = value->form[0] == 1 ? "\1 += 1;" : "\1 = \1 - 1;";
		return value;
	}
	value = gen_expr(g, type, 3);
	if (chance(g->rng, 30))
		return assign_op(g, target, value, g->n_assigned == n_assigned);
	return changing(g, "\1 = \2;", 2, (struct node *[]){ target, value });
}

static struct node *assign_global(struct gen *g)
{
	enum type type = below(g->rng, 5) < 3 ? T_LONG : T_STR;
	const struct global *a = gen_writable(g, chance(g->rng, 65) ? GLOBAL_ARRAY : GLOBAL_SCALAR, type);
	struct node *target, *value;

	if (!a)
		return NULL;
	target = gen_element(g, a);
	if (type == T_LONG && chance(g->rng, 30))
		return changing(g, below(g->rng, 3) ? "\1++;" : "--\1;", 1, &target);
	value = gen_expr(g, type, 3);
	if (chance(g->rng, 40))
		return assign_op(g, target, value, false);
	return changing(g, "\1 = \2;", 2, (struct node *[]){ target, value });
}

static struct node *assign_unread(struct gen *g)
{
	const struct global *fit[MAX_GLOBALS], *a;
	unsigned n = 0;
	struct node *value;

	for (unsigned i = 0; i < g->script->n_globals; i++)
		if (g->script->globals[i].is_unread)
			fit[n++] = &g->script->globals[i];
	if (!n)
		return NULL;
	a = fit[below(g->rng, n)];
	g->named |= 1u << (a - g->script->globals);
	value = gen_expr(g, a->type, 2);
	if (a->kind == GLOBAL_STAT)
		return ordered(g, sp_arena_printf(ARENA, "%s <<< \1;", a->name), 1, &value);
	return ordered(g, sp_arena_printf(ARENA, a->n_keys ? "%s[\"k\"] = \1;" : "%s = \1;", a->name), 1, &value);
}

static struct node *add_to_stat(struct gen *g)
{
	const struct global *a = gen_writable(g, GLOBAL_STAT, T_NONE);
	struct node *kids[2];

	if (!a)
		return NULL;
	kids[0] = gen_element(g, a);
	kids[1] = gen_expr(g, T_LONG, 2);
	return changing(g, "\1 <<< \2;", 2, kids);
}

static struct node *delete_what(struct gen *g)
{
	unsigned kind = below(g->rng, 6);
	const struct global *a = gen_writable(g, kind == 0 ? GLOBAL_SCALAR : kind == 1 ? GLOBAL_STAT : GLOBAL_ARRAY, T_NONE);
	struct node *e;

	if (!a)
		return NULL;
	e = gen_element(g, a);
	if (a->n_keys == 2 && a->kind == GLOBAL_ARRAY && chance(g->rng, 25)) {
		e = e->kid[1];
		return ordered(g, sp_arena_printf(ARENA, "delete %s[*, \1];", a->name), 1, &e);
	}
	if (a->n_keys && chance(g->rng, 15))
		return stmt(g, sp_arena_printf(ARENA, "delete %s;", a->name), 0, NULL);
	return changing(g, "delete \1;", 1, &e);
}

// ---- output ---------------------------------------------------------------------------------------------------------

// An argument of a print function.
static struct node *printed(struct gen *g)
{
	enum type type = below(g->rng, 5) < 3 ? T_LONG : T_STR;

	return gen_expr(g, type, 2);
}

static struct node *print_format(struct gen *g)
{
	static const char *const longs[] = { "%d", "%d", "%5d", "%-6d|", "%05d", "%+d", "%x", "%#x", "%o", "%u", "%X", "%.3d", "% d", "%p" };
	static const char *const strs[] = { "%s", "%s", "%8s", "%-9s|", "%.3s", "%5.2s" };
	struct sp_buf form = { 0 };
	struct node *kids[MAX_KIDS], *n;
	unsigned n_kids = 1 + below(g->rng, 4);

	sp_buf_puts(&form, "printf(\"");
	for (unsigned i = 0; i < n_kids; i++) {
		kids[i] = printed(g);
		sp_buf_printf(&form, "%s%s", i ? " " : "", kids[i]->type == T_LONG ? *pick(g->rng, longs) : *pick(g->rng, strs));
	}
	sp_buf_puts(&form, "\\n\"");
	for (unsigned i = 0; i < n_kids; i++)
		sp_buf_printf(&form, ", %c", (char)(i + 1));
	sp_buf_puts(&form, ");");
	n = ordered(g, sp_arena_strdup(ARENA, sp_buf_str(&form)), n_kids, kids);
	sp_buf_deinit(&form);
	return n;
}

static struct node *print_stat(struct gen *g)
{
	static const char *const forms[] = {
		"if (@count(\1)) print(@hist_log(\1));",
		"if (@count(\1)) print(@hist_linear(\1, -10, 90, 20));",
		"println(@count(\1), \" \", @hist_log(\1)[66]);",
		"printf(\"%d %d\\n\", @count(\1), @sum(\1));",
	};
	const struct global *a = gen_global(g, GLOBAL_STAT, T_NONE);
	struct node *e;

	if (!a)
		return NULL;
	e = gen_element(g, a);
	return stmt(g, *pick(g->rng, forms), 1, &e);
}

static struct node *print_values(struct gen *g)
{
	struct node *kids[3], *n;
	unsigned which = below(g->rng, 6);

	if (which == 0) {
		n = print_stat(g);
		if (n)
			return n;
	}
	for (unsigned i = 0; i < 3; i++)
		kids[i] = printed(g);
	switch (which) {
	case 1:
		n = ordered(g, "println(\1, \" \", \2);", 2, kids);
		n->alt = "print(\1, \" \", \2, \"\\n\");";
		return n;
	case 2:
		return ordered(g, "printdln(\"/\", \1, \2, \3);", 3, kids);
	case 3:
		n = ordered(g, "println(\1);", 1, kids);
		n->alt = kids[0]->type == T_LONG ? "printf(\"%d\\n\", \1);" : "printf(\"%s\\n\", \1);";
		return n;
	case 4:
		kids[0] = gen_expr(g, T_STR, 2);
		n = ordered(g, "log(\1);", 1, kids);
		n->alt = "println(\1);";
		return n;
	default:
		return below(g->rng, 2) ? print_format(g) : gen_format(g, T_NONE);
	}
}

// ---- branches -------------------------------------------------------------------------------------------------------

static struct node *branch(struct gen *g)
{
	struct node *kids[3], *n;

	kids[0] = gen_condition(g, 2);
	kids[1] = gen_block(g, 1 + below(g->rng, 3));
	if (below(g->rng, 2))
		return ordered(g, "if (\1) \2", 2, kids);
	kids[2] = gen_block(g, 1 + below(g->rng, 2));
	n = ordered(g, "if (\1) \2 else \3", 3, kids);
	n->alt = "if (!(\1)) \3 else \2";
	return n;
}

// What a match found is used where there was one.
static struct node *match_branch(struct gen *g)
{
	struct node *kids[3], *n;
	const char *use, *pattern = gen_pattern(g);
	const struct var *v = gen_assignable(g, T_STR);

	kids[0] = gen_matched(g, 2);
	use = v && below(g->rng, 2) ? sp_arena_printf(ARENA, "%s = matched(0) . sprint(ngroups());", v->name) :
				      "println(matched(0), \" \", ngroups());";
	kids[1] = gen_block(g, below(g->rng, 2));
	n = stmt(g, use, 0, NULL);
	n->next = kids[1]->first;
	kids[1]->first = n;
	kids[1]->last = kids[1]->last ? kids[1]->last : n;
	n = ordered(g, sp_arena_printf(ARENA, "if (\1 =~ \"%s\") \2", pattern), 2, kids);
	n->need[0] = L_SHIFT;
	return n;
}

// ---- foreach --------------------------------------------------------------------------------------------------------

// Rounds of a body that only sums up can be swapped: so any engine's order will do.
static struct node *sum_body(struct gen *g, const char *sum)
{
	struct node *block = node_block(g->tree), *value, *condition, *inner;
	unsigned n = 1 + below(g->rng, 2);
	char op = below(g->rng, 2) ? '+' : '^';

	g->is_plain = true;
	for (unsigned i = 0; i < n; i++) {
		value = gen_expr(g, T_LONG, 2);
		value = stmt(g, sp_arena_printf(ARENA, "%s %c= \1;", sum, op), 1, &value);
		if (below(g->rng, 3) == 0) {
			inner = node_block(g->tree);
			block_add(inner, value);
			condition = gen_condition(g, 2);
			value = stmt(g, "if (\1) \2", 2, (struct node *[]){ condition, inner });
		}
		block_add(block, value);
	}
	g->is_plain = false;
	return block;
}

struct walk {
	const struct global *a;
	const char *keys[MAX_KEYS], *value;
	const char *slice; // one of the two keys; NULL: all elements
	unsigned slice_at; // which
	const char *orders[MAX_KEYS]; // behind the keys
	const char *value_order;
	struct node *limit; // or NULL
};

static void put_keys(struct sp_buf *head, const struct walk *w)
{
	if (w->a->n_keys == 1)
		sp_buf_printf(head, "%s%s", w->keys[0], w->orders[0]);
	else
		sp_buf_printf(head, "[%s%s, %s%s]", w->keys[0], w->orders[0], w->keys[1], w->orders[1]);
	sp_buf_printf(head, " in %s", w->a->name);
	if (w->slice)
		sp_buf_printf(head, w->slice_at ? "[*, %s]" : "[%s, *]", w->slice);
}

// \1 is the body, \2 the limit.
static const char *walk_head(struct gen *g, const struct walk *w)
{
	struct sp_buf head = { 0 };
	const char *form;

	sp_buf_puts(&head, "foreach (");
	if (w->value)
		sp_buf_printf(&head, "%s = ", w->value);
	put_keys(&head, w);
	sp_buf_printf(&head, "%s%s) \1", w->value_order, w->limit ? " limit \2" : "");
	form = sp_arena_strdup(ARENA, sp_buf_str(&head));
	sp_buf_deinit(&head);
	return form;
}

static const char *value_order(struct gen *g, const struct global *a)
{
	static const char *const orders[] = { "+", "-" };
	static const char *const stat_orders[] = { " @count-", " @sum+", " @sum-", " @max-", " @avg+" };

	return a->kind == GLOBAL_STAT ? *pick(g->rng, stat_orders) : *pick(g->rng, orders);
}

static void choose_limit(struct gen *g, struct walk *w)
{
	static const char *const limits[] = { "1", "2", "3", "0" };

	if (below(g->rng, 3))
		return;
	w->limit = below(g->rng, 2) ? node_leaf(g->tree, T_LONG, *pick(g->rng, limits)) : gen_small(g, 2);
}

// In order is what a kernel handler can walk so, and what has one order: a single key, or the one key of a slice that differs. Values
// may be equal, so that in the kernel a walk in their order is one in any order.
static bool choose_order(struct gen *g, struct walk *w)
{
	static const char *const slices[] = { "\"a\"", "\"b\"", "1", "2" };
	static const char *const orders[] = { "+", "-" };
	unsigned n_keys = w->a->n_keys, sorted;

	w->orders[0] = w->orders[1] = w->value_order = "";
	if (n_keys == 2 && below(g->rng, 2)) {
		w->slice_at = below(g->rng, 2);
		w->slice = slices[w->a->keys[w->slice_at] == T_STR ? below(g->rng, 2) : 2 + below(g->rng, 2)];
	}
	if (chance(g->rng, 35) || (!g->script->user_only && !w->a->size))
		return false;
	sorted = w->slice ? !w->slice_at : below(g->rng, n_keys);
	if (chance(g->rng, g->script->user_only ? 50 : 25))
		w->value_order = value_order(g, w->a);
	else
		w->orders[sorted] = *pick(g->rng, orders);
	if (!g->script->user_only && (*w->value_order || (n_keys == 2 && !w->slice)))
		return false;
	choose_limit(g, w);
	return true;
}

static struct node *walk(struct gen *g)
{
	const struct global *a = gen_global(g, chance(g->rng, 75) ? GLOBAL_ARRAY : GLOBAL_STAT, T_NONE);
	const struct var *sum = gen_assignable(g, T_LONG);
	uint32_t was_frozen = g->frozen;
	unsigned vars = g->n_vars;
	struct walk w = { .a = a };
	struct node *kids[2];
	bool is_ordered;

	if (!a || !a->n_keys || a->is_own || !sum)
		return NULL;
	is_ordered = choose_order(g, &w);
	if (a->kind == GLOBAL_ARRAY && below(g->rng, 2))
		w.value = gen_var(g, "v", a->type);
	for (unsigned i = 0; i < a->n_keys; i++)
		w.keys[i] = gen_var(g, "k", a->keys[i]);
	g->frozen |= 1u << (a - g->script->globals);
	if (is_ordered) {
		g->loops++;
		kids[0] = gen_block(g, 1 + below(g->rng, 3));
		g->loops--;
	} else {
		kids[0] = sum_body(g, sum->name);
	}
	kids[1] = w.limit;
	g->frozen = was_frozen;
	g->n_vars = vars;
	return ordered(g, walk_head(g, &w), w.limit ? 2 : 1, kids);
}

// ---- errors and ends ------------------------------------------------------------------------------------------------

static struct node *try_block(struct gen *g)
{
	struct node *kids[2], *n;
	const char *message;
	unsigned vars = g->n_vars;

	g->tries++;
	kids[0] = gen_block(g, 1 + below(g->rng, 4));
	g->tries--;
	if (below(g->rng, 3) == 0) {
		kids[1] = gen_block(g, 1 + below(g->rng, 2));
		return stmt(g, "try \1 catch \2", 2, kids);
	}
	// A message has places of the script in it, which differ from one way of writing it to the other: it is only printed.
	message = sp_arena_printf(ARENA, "%se%u", g->func ? g->func->name : "", g->labels++);
	g->n_vars = vars;
	kids[1] = gen_block(g, below(g->rng, 2));
	n = stmt(g, sp_arena_printf(ARENA, "println(\"caught \", %s);", message), 0, NULL);
	block_add(kids[1], n);
	return stmt(g, sp_arena_printf(ARENA, "try \1 catch (%s) \2", message), 2, kids);
}

static struct node *leave(struct gen *g)
{
	struct node *condition = gen_condition(g, 2), *value;
	const char *how;

	if (g->loops && below(g->rng, 3))
		return ordered(g, below(g->rng, 2) ? "if (\1) break;" : "if (\1) continue;", 1, &condition);
	if (g->func && g->func->kind == FUNC_FREE && g->func->result != T_NONE) {
		value = gen_expr(g, g->func->result, 2);
		return stmt(g, "if (\1) return \2;", 2, (struct node *[]){ condition, value });
	}
	if (g->func && g->func->kind == FUNC_FREE)
		return ordered(g, "if (\1) return;", 1, &condition);
	if (g->tries) {
		how = below(g->rng, 2) ? "if (\1) error(\"raised\");" : "if (\1) error(sprint(\1));";
		return stmt(g, how, 1, &condition);
	}
	if (g->func || g->is_end)
		return NULL;
	return chance(g->rng, 70) ? ordered(g, "if (\1) next;", 1, &condition) :
				    ordered(g, "if (\1) error(\"the end\");", 1, &condition);
}

void gen_many_calls(struct gen *g, struct node *block, const struct function *f)
{
	const struct var *v = f->result == T_NONE ? NULL : gen_assignable(g, f->result);
	unsigned n = 10 + below(g->rng, 30);
	struct node *call;

	for (unsigned i = 0; i < n; i++) {
		call = gen_call_of(g, f);
		if (v)
			call->target = node_leaf(g->tree, v->type, v->name);
		block_add(block, call);
	}
}

static struct node *call(struct gen *g)
{
	unsigned which = below(g->rng, 3);
	enum type type = which == 0 ? T_NONE : which == 1 ? T_LONG : T_STR;
	const struct var *v = type == T_NONE ? NULL : gen_assignable(g, type);
	struct node *n = v || type == T_NONE ? gen_call(g, type) : NULL;

	if (n && v)
		n->target = node_leaf(g->tree, type, v->name);
	return n;
}

struct node *gen_change(struct gen *g)
{
	static struct node *(*const makers[])(struct gen *) = { assign_global, add_to_stat, delete_what, delete_what };

	return (*pick(g->rng, makers))(g);
}

// In which many values have effects.
static struct node *with_effects(struct gen *g)
{
	static struct node *(*const makers[])(struct gen *) = { assign_local, assign_global, assign_global, add_to_stat, print_format, print_format,
								print_values, delete_what, call, leave };
	unsigned was = g->effects;
	struct node *n;

	g->effects = MANY_EFFECTS;
	n = (*pick(g->rng, makers))(g);
	g->effects = was;
	return n;
}

static struct node *nested(struct gen *g)
{
	switch (below(g->rng, 10)) {
	case 0:
	case 1:
		return branch(g);
	case 2:
		return match_branch(g);
	case 3:
	case 4:
		return g->loops < 2 ? gen_loop(g) : NULL;
	case 5:
	case 6:
	case 7:
		return g->loops < 2 ? walk(g) : NULL;
	default:
		return try_block(g);
	}
}

static struct node *statement(struct gen *g)
{
	unsigned which = below(g->rng, 100);
	struct node *n = chance(g->rng, 4) ? gen_value(g, T_NONE) : NULL;

	if (n)
		return n;
	if (chance(g->rng, 10))
		return with_effects(g);
	if (which < 5 && g->nesting < 3)
		return gen_rare_statement(g);
	if (which < 16)
		return assign_local(g);
	if (which < 32)
		return assign_global(g);
	if (which < 35)
		return assign_unread(g);
	if (which < 43)
		return add_to_stat(g);
	if (which < 63)
		return print_values(g);
	if (which < 66)
		return delete_what(g);
	if (which < 72)
		return call(g);
	if (which < 76)
		return leave(g);
	return g->nesting < 3 ? nested(g) : NULL;
}

void gen_statements(struct gen *g, struct node *block, unsigned n)
{
	struct node *s;

	for (unsigned i = 0; i < n; i++) {
		s = statement(g);
		block_add(block, s ? s : print_values(g));
	}
}
