// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_calls.h"

#define RECURSION_BONUS 10
#define MAX_STEPS 100000 // of the search for the longest chain

// ---- what a body does by itself -----------------------------------------------------------------

// What a caller does, too, when a function that it calls does it.
enum { EXITS = 1, MATCHES = 2, RECURSES = 4 };

struct facts {
	struct plan_callees *callees;
	uint8_t effects;
};

static bool asks_for_match(const struct ir_expr *e)
{
	return e->op == IR_BUILTIN && (e->index == BUILTIN_MATCHED || e->index == BUILTIN_NGROUPS);
}

static void note_expr(void *ctx, struct ir_expr *e)
{
	struct facts *f = ctx;

	if (e->op == IR_MATCH || asks_for_match(e))
		f->effects |= MATCHES;
	if (e->op != IR_CALL)
		return;
	for (size_t i = 0; i < f->callees->v.n; i++)
		if (f->callees->v.v[i] == e->index)
			return;
	sp_vec_push(&f->callees->v, e->index);
}

static void note_stmt(void *ctx, struct ir_stmt *s)
{
	struct facts *f = ctx;

	if (s->op == IR_S_EXIT || s->op == IR_S_ABORT)
		f->effects |= EXITS;
}

static struct facts look(struct ir_stmt *body, struct plan_callees *callees)
{
	struct facts facts = { .callees = callees };
	struct ir_visitor visitor = { .ctx = &facts, .expr = note_expr, .stmt = note_stmt };

	ir_walk_stmts(body, &visitor);
	return facts;
}

// ---- what follows from calls --------------------------------------------------------------------

// Callees first.
static void visit(struct plan_calls *calls, uint32_t func, bool *seen, size_t *n_ordered)
{
	const struct plan_callees *callees = &calls->funcs[func];

	seen[func] = true;
	for (size_t i = 0; i < callees->v.n; i++)
		if (!seen[callees->v.v[i]])
			visit(calls, callees->v.v[i], seen, n_ordered);
	calls->order[(*n_ordered)++] = func;
}

static bool can_reach(const struct plan_calls *calls, uint32_t from, uint32_t to, bool *seen)
{
	const struct plan_callees *callees = &calls->funcs[from];

	seen[from] = true;
	for (size_t i = 0; i < callees->v.n; i++) {
		uint32_t callee = callees->v.v[i];
		if (callee == to || (!seen[callee] && can_reach(calls, callee, to, seen)))
			return true;
	}
	return false;
}

// Until nothing changes: cycles need more than one round.
static void spread_up(const struct plan_calls *calls, uint8_t *effects)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < calls->n_funcs; i++) {
			const struct plan_callees *callees = &calls->funcs[calls->order[i]];

			for (size_t k = 0; k < callees->v.n; k++) {
				uint32_t callee = callees->v.v[k];
				uint8_t more = effects[callee] & (uint8_t)~effects[calls->order[i]];

				effects[calls->order[i]] |= more;
				changed |= more;
			}
		}
	}
}

static void reach(const struct plan_calls *calls, struct ir_unit *unit,
		  const struct plan_callees *callees, bool in_kernel, bool in_user)
{
	for (size_t i = 0; i < callees->v.n; i++) {
		struct ir_func *f = &unit->funcs.v[callees->v.v[i]];
		if ((!in_kernel || f->in_kernel) && (!in_user || f->in_user))
			continue;
		f->in_kernel |= in_kernel;
		f->in_user |= in_user;
		reach(calls, unit, &calls->funcs[callees->v.v[i]], in_kernel, in_user);
	}
}

// The longest chain of calls, each function once, that begins in one of them; SystemTap counts so.
static uint32_t longest(const struct plan_calls *calls, uint32_t func, bool *on_path, uint32_t *steps)
{
	const struct plan_callees *callees = &calls->funcs[func];
	uint32_t most = 0;

	for (size_t i = 0; i < callees->v.n && *steps; i++) {
		uint32_t callee = callees->v.v[i], behind;

		if (on_path[callee])
			continue;
		--*steps;
		on_path[callee] = true;
		behind = 1 + longest(calls, callee, on_path, steps);
		most = SP_MAX(most, behind);
		on_path[callee] = false;
	}
	return most;
}

// As in SystemTap: what the script needs, and ten more for recursion.
static void choose_nesting(const struct plan_calls *calls, struct ir_unit *unit)
{
	bool *on_path = sp_calloc(unit->funcs.n + 1, sizeof(*on_path)), any = false;
	uint32_t most = 0, steps = MAX_STEPS;

	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t chain = longest(calls, (uint32_t)i, on_path, &steps);

		most = SP_MAX(most, chain);
		any |= unit->funcs.v[i].is_recursive;
	}
	if (!steps) // too many chains to look at
		most = (uint32_t)calls->n_funcs;
	free(on_path);
	if (!unit->max_nesting)
		unit->max_nesting = most + 1 + (any ? RECURSION_BONUS : 0);
}

void plan_calls_init(struct plan_calls *calls, struct ir_unit *unit)
{
	uint8_t *effects = sp_calloc(unit->funcs.n + 1, sizeof(*effects));
	bool *seen = sp_calloc(unit->funcs.n + 1, sizeof(*seen));
	size_t n_ordered = 0;

	calls->n_funcs = unit->funcs.n;
	calls->n_progs = unit->progs.n;
	calls->funcs = sp_calloc(calls->n_funcs + 1, sizeof(*calls->funcs));
	calls->progs = sp_calloc(calls->n_progs + 1, sizeof(*calls->progs));
	calls->order = sp_calloc(calls->n_funcs + 1, sizeof(*calls->order));
	for (size_t i = 0; i < calls->n_funcs; i++) {
		struct facts facts = look(unit->funcs.v[i].body, &calls->funcs[i]);

		effects[i] = facts.effects;
	}
	for (size_t i = 0; i < calls->n_funcs; i++)
		if (!seen[i])
			visit(calls, (uint32_t)i, seen, &n_ordered);
	for (size_t i = 0; i < calls->n_funcs; i++) {
		memset(seen, 0, calls->n_funcs * sizeof(*seen));
		unit->funcs.v[i].is_recursive = can_reach(calls, (uint32_t)i, (uint32_t)i, seen);
		effects[i] |= unit->funcs.v[i].is_recursive ? RECURSES : 0;
	}
	spread_up(calls, effects);
	for (size_t i = 0; i < calls->n_funcs; i++)
		unit->funcs.v[i].recurses = effects[i] & RECURSES;
	choose_nesting(calls, unit);
	for (size_t i = 0; i < calls->n_progs; i++) {
		struct ir_prog *prog = &unit->progs.v[i];
		struct facts facts = look(prog->body, &calls->progs[i]);

		for (size_t k = 0; k < calls->progs[i].v.n; k++)
			facts.effects |= effects[calls->progs[i].v.v[k]];
		prog->can_exit = facts.effects & EXITS;
		prog->keeps_match = (facts.effects & MATCHES) && unit->match_size;
		reach(calls, unit, &calls->progs[i], prog->in_kernel, prog->in_user);
	}
	free(effects);
	free(seen);
}

// ---- what can fail -------------------------------------------------------------------------------

static void look_for_failing_expr(void *ctx, struct ir_expr *e)
{
	bool *fails = ctx;

	if (e->op == IR_DIV || e->op == IR_MOD || e->op == IR_UDIV || e->op == IR_UMOD)
		*fails |= e->b->op != IR_CONST || e->b->imm == 0;
	else if (e->op == IR_LOAD)
		*fails |= e->space != IR_SPACE_TASK && !e->b;
	else if (e->op == IR_LOADSTR)
		*fails |= e->b == NULL;
	else if (e->op == IR_STAT_GET)
		*fails |= e->stat != SP_STAT_COUNT && e->stat != SP_STAT_SUM;
	else
		*fails |= e->op == IR_MAP_ADD || e->op == IR_LOADMEM || asks_for_match(e) ||
			  (e->op == IR_BUILTIN && e->index == BUILTIN_TASK_CURRENT);
}

static void look_for_failing_stmt(void *ctx, struct ir_stmt *s)
{
	bool *fails = ctx;

	*fails |= s->op == IR_S_MAP_SET || s->op == IR_S_STAT_ADD || s->op == IR_S_STAT_PRINT || s->op == IR_S_STORE ||
		  s->op == IR_S_FAIL || (s->op == IR_S_LOOP && !s->trips); // MAXACTION
}

static bool can_fail(const struct ir_unit *unit, struct ir_stmt *body, const struct plan_callees *callees)
{
	bool fails = false;
	struct ir_visitor visitor = { .ctx = &fails, .expr = look_for_failing_expr, .stmt = look_for_failing_stmt };

	ir_walk_stmts(body, &visitor);
	for (size_t i = 0; i < callees->v.n; i++)
		fails |= unit->funcs.v[callees->v.v[i]].can_fail;
	return fails;
}

void plan_calls_fail(const struct plan_calls *calls, struct ir_unit *unit)
{
	for (size_t i = 0; i < calls->n_funcs; i++) {
		struct ir_func *f = &unit->funcs.v[calls->order[i]];

		// MAXNESTING: so the rest of a cycle, which comes later, does not matter.
		f->can_fail = f->is_recursive || can_fail(unit, f->body, &calls->funcs[calls->order[i]]);
	}
	for (size_t i = 0; i < calls->n_progs; i++)
		unit->progs.v[i].can_fail = can_fail(unit, unit->progs.v[i].body, &calls->progs[i]);
}

void plan_calls_deinit(struct plan_calls *calls)
{
	for (size_t i = 0; i < calls->n_funcs; i++)
		sp_vec_deinit(&calls->funcs[i].v);
	for (size_t i = 0; i < calls->n_progs; i++)
		sp_vec_deinit(&calls->progs[i].v);
	free(calls->funcs);
	free(calls->progs);
	free(calls->order);
}
