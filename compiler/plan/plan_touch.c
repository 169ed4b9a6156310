// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_touch.h"

#include "compiler/ir/ir_equal.h"
#include "compiler/plan/plan_private.h"
#include "runtime/base/util.h"

#include <stdlib.h>

static uint8_t sum(uint8_t a, uint8_t b)
{
	return (uint8_t)SP_MIN(a + b, TOUCH_MANY);
}

static void add(struct touch *into, struct touch more)
{
	into->reads = sum(into->reads, more.reads);
	into->adds = sum(into->adds, more.adds);
	into->fetches = sum(into->fetches, more.fetches);
	into->sets = sum(into->sets, more.sets);
}

static void add_all(const struct touches *t, struct touch *into, const struct touch *more)
{
	for (uint32_t i = 0; i < t->n; i++)
		add(&into[i], more[i]);
}

// ---- expressions ------------------------------------------------------------------------------------------------------

// One number for each processor is read of these; others need several that belong together.
static bool is_one_number(enum sp_stat stat)
{
	return stat == SP_STAT_COUNT || stat == SP_STAT_SUM || stat == SP_STAT_MIN || stat == SP_STAT_MAX;
}

static void add_embed(const struct touches *t, const struct ir_expr *e, struct touch *into)
{
	const struct ir_embed *embed = &t->plan->unit->embeds.v[e->embed];

	for (unsigned i = 0; i < e->n_args && i < embed->n_args; i++)
		if (e->args[i]->op == IR_GLOBAL)
			add(&into[e->args[i]->global], (struct touch){ .reads = embed->args[i].reads,
								       .sets = embed->args[i].writes });
}

static void add_here(const struct touches *t, const struct ir_expr *e, struct touch *into)
{
	const struct touch added = { .adds = 1, .fetches = e->want != IR_WANT_NONE };

	if (e->op == IR_GLOBAL)
		add(&into[e->global], (struct touch){ .reads = 1 });
	else if (e->op == IR_GLOBAL_ADD)
		add(&into[e->global], added);
	else if (e->op == IR_MAP_ADD)
		add(&into[touches_map(t->plan, e->map)], added);
	else if (e->op == IR_MAP_GET || e->op == IR_MAP_HAS)
		add(&into[touches_map(t->plan, e->map)], (struct touch){ .reads = 1 });
	else if (e->op == IR_STAT_GET)
		add(&into[touches_map(t->plan, e->map)], (struct touch){ .reads = is_one_number(e->stat) ? 1 : TOUCH_MANY });
	else if (e->op == IR_CALL && t->funcs[e->func])
		add_all(t, into, t->funcs[e->func]);
}

void touches_add_expr(const struct touches *t, const struct ir_expr *e, struct touch *into)
{
	if (!e)
		return;
	if (e->op == IR_EMBED) {
		add_embed(t, e, into);
		return;
	}
	add_here(t, e, into);
	for (unsigned i = 0; i < e->n_args; i++)
		touches_add_expr(t, e->args[i], into);
	touches_add_expr(t, e->a, into);
	touches_add_expr(t, e->b, into);
	touches_add_expr(t, e->c, into);
	touches_add(t, e->stmts, into);
}

// ---- one operation ----------------------------------------------------------------------------------------------------

// Computed once or twice, it is the same.
static bool is_steady(const struct ir_expr *e)
{
	bool is_thread = e->op == IR_BUILTIN && (e->builtin == BUILTIN_PID || e->builtin == BUILTIN_TID || e->builtin == BUILTIN_CPU ||
						 e->builtin == BUILTIN_EXECNAME || e->builtin == BUILTIN_UID || e->builtin == BUILTIN_GID);
	bool is_computed = e->op >= IR_NEG && e->op <= IR_ZEXT;

	if (!is_thread && !is_computed && e->op != IR_CONST && e->op != IR_LITERAL && e->op != IR_LOCAL && e->op != IR_FIXUP &&
	    e->op != IR_CTX && e->op != IR_REG && e->op != IR_SITE && e->op != IR_LOAD)
		return false;
	return (!e->a || is_steady(e->a)) && (!e->b || is_steady(e->b)) && (!e->c || is_steady(e->c));
}

static bool is_same_value(const struct ir_unit *unit, const struct ir_expr *a, const struct ir_expr *b)
{
	return is_steady(a) && ir_expr_equal(unit, a, b);
}

// `get`: MAP_GET or MAP_HAS.
static bool is_same_element(const struct plan *plan, const struct ir_expr *get, const struct ir_stmt *set)
{
	if (set->op != IR_S_MAP_SET || get->map != set->map || !plan->maps[set->map].is_lasting)
		return false;
	for (unsigned i = 0; i < set->n_args; i++)
		if (!is_same_value(plan->unit, get->args[i], set->args[i]))
			return false;
	return true;
}

static bool is_of(const struct plan *plan, const struct ir_expr *most, const struct ir_stmt *set)
{
	if (most->op == IR_GLOBAL)
		return set->op == IR_S_GSET && most->global == set->global;
	return most->op == IR_MAP_GET && is_same_element(plan, most, set);
}

bool plan_extreme(const struct plan *plan, const struct ir_stmt *s, struct plan_extreme *ret)
{
	const struct ir_expr *e = s->a;
	struct plan_extreme x = { .set = s->then };

	if (s->op != IR_S_IF || s->otherwise || !s->then || s->then->next)
		return false;
	// Who reads such an element's number before it is there sees two stores.
	if (e->op == IR_LOR && e->a->op == IR_LNOT && e->a->a->op == IR_MAP_HAS && is_same_element(plan, e->a->a, s->then) &&
	    !plan->maps[s->then->map].is_direct) {
		x.or_absent = true;
		e = e->b;
	}
	if (e->op != IR_GT && e->op != IR_GE && e->op != IR_LT && e->op != IR_LE)
		return false;
	x.op = e->op;
	x.most_first = is_of(plan, e->a, s->then);
	x.most = x.most_first ? e->a : e->b;
	x.value = x.most_first ? e->b : e->a;
	if (x.value->type != IR_LONG || !is_of(plan, x.most, s->then) || !is_same_value(plan->unit, x.value, s->then->a))
		return false;
	*ret = x;
	return true;
}

uint32_t plan_extreme_global(const struct plan *plan, const struct plan_extreme *x)
{
	return x->most->op == IR_GLOBAL ? x->most->global : touches_map(plan, x->most->map);
}

static unsigned kind_of(const struct plan_extreme *x)
{
	bool is_greater = x->op == IR_GT || x->op == IR_GE;

	return (is_greater != x->most_first) + 2 * x->or_absent;
}

static void note_stmt(void *ctx, const struct ir_stmt *s)
{
	struct touches *t = ctx;
	struct plan_extreme x;

	if (s->op == IR_S_GSET)
		t->changes[s->global].sets++;
	else if (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL || s->op == IR_S_MAP_CLEAR)
		t->changes[touches_map(t->plan, s->map)].sets++;
	if (plan_extreme(t->plan, s, &x))
		t->changes[plan_extreme_global(t->plan, &x)].extremes[kind_of(&x)]++;
}

static void note_expr(void *ctx, const struct ir_expr *e)
{
	struct touches *t = ctx;

	if (e->op == IR_GLOBAL_ADD)
		t->changes[e->global].sets++;
	else if (e->op == IR_MAP_ADD)
		t->changes[touches_map(t->plan, e->map)].sets++;
	for (unsigned i = 0; e->op == IR_EMBED && i < e->n_args; i++)
		if (e->args[i]->op == IR_GLOBAL)
			t->changes[e->args[i]->global].sets++;
}

static void look_at_changes(struct touches *t)
{
	const struct ir_visitor visitor = { .ctx = t, .expr = note_expr, .stmt = note_stmt };
	const struct ir_unit *unit = t->plan->unit;

	for (size_t i = 0; i < unit->funcs.n; i++)
		ir_walk_stmts(unit->funcs.v[i].body, &visitor);
	for (uint32_t i = 0; i < unit->progs.n; i++)
		if (plan_is_concurrent(t->plan, i))
			ir_walk_stmts(unit->progs.v[i].body, &visitor);
}

// Two that look for the largest commute, as long as nobody does anything else to it. Else it tells what it reads.
static struct touch of_extreme(const struct touches *t, const struct plan_extreme *x)
{
	const struct touch_changes *c = &t->changes[plan_extreme_global(t->plan, x)];
	bool commutes = c->sets == c->extremes[kind_of(x)];

	return (struct touch){ .adds = 1, .fetches = !commutes };
}

// ---- statements -------------------------------------------------------------------------------------------------------

static struct touch *none(const struct touches *t)
{
	return sp_calloc(t->n + 1, sizeof(struct touch));
}

// One of both runs.
static void add_branches(const struct touches *t, const struct ir_stmt *s, struct touch *into)
{
	struct touch *then = none(t), *otherwise = none(t);

	touches_add(t, s->then, then);
	touches_add(t, s->otherwise, otherwise);
	for (uint32_t i = 0; i < t->n; i++)
		add(&into[i], (struct touch){ .reads = SP_MAX(then[i].reads, otherwise[i].reads),
					      .adds = SP_MAX(then[i].adds, otherwise[i].adds),
					      .fetches = SP_MAX(then[i].fetches, otherwise[i].fetches),
					      .sets = SP_MAX(then[i].sets, otherwise[i].sets) });
	free(then);
	free(otherwise);
}

static void add_loop(const struct touches *t, const struct ir_stmt *s, struct touch *into)
{
	struct touch *round = none(t);

	touches_add_expr(t, s->a, round);
	touches_add(t, s->then, round);
	touches_add(t, s->step, round);
	for (unsigned i = 0; i < TOUCH_MANY; i++)
		add_all(t, into, round);
	free(round);
}

void touches_add_one(const struct touches *t, const struct ir_stmt *s, struct touch *into)
{
	bool has_map = ir_stmt_op_has(s->op) & IR_HAS_MAP;
	struct touch *of_map = has_map ? &into[touches_map(t->plan, s->map)] : NULL;
	struct plan_extreme x;

	if (plan_extreme(t->plan, s, &x)) {
		add(&into[plan_extreme_global(t->plan, &x)], of_extreme(t, &x));
		return;
	}
	for (unsigned i = 0; i < s->n_args; i++)
		touches_add_expr(t, s->args[i], into);
	touches_add_expr(t, s->foreach.limit, into);
	if (s->op == IR_S_LOOP || s->op == IR_S_FOREACH) {
		add_loop(t, s, into);
	} else {
		touches_add_expr(t, s->a, into);
		touches_add_expr(t, s->b, into);
	}
	if (s->op == IR_S_IF) {
		add_branches(t, s, into);
	} else if (s->op == IR_S_TRY) {
		touches_add(t, s->then, into);
		touches_add(t, s->otherwise, into);
	} else if (s->op == IR_S_GSET) {
		add(&into[s->global], (struct touch){ .sets = 1 });
	} else if (s->op == IR_S_STAT_ADD) {
		add(of_map, (struct touch){ .adds = 1 });
	} else if (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL) {
		add(of_map, (struct touch){ .sets = 1 });
	} else if (s->op == IR_S_MAP_CLEAR) {
		add(of_map, (struct touch){ .sets = TOUCH_MANY });
	} else if (has_map) { // FOREACH, STAT_PRINT
		add(of_map, (struct touch){ .reads = TOUCH_MANY });
	}
}

void touches_add(const struct touches *t, const struct ir_stmt *list, struct touch *into)
{
	for (const struct ir_stmt *s = list; s; s = s->next)
		touches_add_one(t, s, into);
}

// ---- functions --------------------------------------------------------------------------------------------------------

// A recursive function comes to itself again: what it does counts more with each round, up to TOUCH_MANY.
static bool look_at(struct touches *t, uint32_t func)
{
	struct touch *now = none(t);
	bool changed;

	touches_add(t, t->plan->unit->funcs.v[func].body, now);
	changed = memcmp(now, t->funcs[func], t->n * sizeof(*now));
	free(t->funcs[func]);
	t->funcs[func] = now;
	return changed;
}

void touches_init(struct touches *t, const struct plan *plan, const struct plan_calls *calls)
{
	*t = (struct touches){ .plan = plan, .n = touches_map(plan, (uint32_t)plan->unit->maps.n) };
	t->changes = sp_calloc(t->n + 1, sizeof(*t->changes));
	look_at_changes(t);
	t->funcs = sp_calloc(calls->n_funcs + 1, sizeof(*t->funcs));
	for (size_t i = 0; i < calls->n_funcs; i++)
		t->funcs[i] = none(t);
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < calls->n_funcs; i++)
			changed |= look_at(t, calls->order[i]) && plan->funcs[calls->order[i]].is_recursive;
	}
}

void touches_deinit(struct touches *t)
{
	for (size_t i = 0; i < t->plan->unit->funcs.n; i++)
		free(t->funcs[i]);
	free(t->funcs);
	free(t->changes);
}

const char *plan_global_name(const struct ir_unit *unit, uint32_t global)
{
	const struct ir_map *map;

	if (global < unit->globals.n)
		return unit->globals.v[global].is_private ? NULL : unit->globals.v[global].name;
	map = &unit->maps.v[global - unit->globals.n];
	return map->is_private ? NULL : map->label;
}
