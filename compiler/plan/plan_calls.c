// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_calls.h"

#define RECURSION_BONUS 10
#define MAX_STEPS 100000 // of the search for the longest chain

// ---- what a body does by itself -----------------------------------------------------------------

// What a function does, its callers do: facts about functions are carried up to every function and program that calls them.
enum {
	EXITS = 1, MATCHES = 2, RECURSES = 4, READS_SITE = 8, READS_USER = 16, COUNTS = 32, EMBEDS = 64, SENDS = 128,
	ASKS_FOR_STACK = 256, ASKS_FOR_USER_STACK = 512,
};

struct facts {
	const struct plan *plan;
	struct plan_callees *callees;
	uint16_t effects;
	const struct embedded_piece *kernel_piece;
};

static unsigned rank(const struct embedded_piece *piece)
{
	if (!piece)
		return 0;
	return piece->kernel_helper && !piece->is_of_runtime ? 4 : (piece->kernel_helper ? 2 : 0) + piece->has_members;
}

// Of two pieces of embedded C, either of which may be NULL, the one that calls what fewer engines have; NULL: all have it.
static const struct embedded_piece *more_bound(const struct embedded_piece *a, const struct embedded_piece *b)
{
	return rank(b) > rank(a) ? b : a;
}

static bool asks_for_match(const struct ir_expr *e)
{
	return e->op == IR_BUILTIN && (e->builtin == BUILTIN_MATCHED || e->builtin == BUILTIN_NGROUPS);
}

static void note_expr(void *ctx, const struct ir_expr *e)
{
	struct facts *f = ctx;

	if (e->op == IR_MATCH || asks_for_match(e))
		f->effects |= MATCHES;
	if (e->op == IR_BUILTIN && e->builtin == BUILTIN_PERF)
		f->effects |= COUNTS;
	if (e->op == IR_SITE)
		f->effects |= READS_SITE;
	if (ir_reads_memory(e) && e->space == IR_SPACE_USER)
		f->effects |= READS_USER;
	if (ir_is_user_stack(e))
		f->effects |= ASKS_FOR_USER_STACK;
	else if (ir_is_stack(e))
		f->effects |= ASKS_FOR_STACK;
	if (e->op == IR_EMBED)
		f->effects |= EMBEDS;
	if (e->op == IR_EMBED && f->plan->embedded->pieces)
		f->kernel_piece = more_bound(f->kernel_piece, &f->plan->embedded->pieces[e->embed]);
	if (e->op != IR_CALL)
		return;
	for (size_t i = 0; i < f->callees->v.n; i++)
		if (f->callees->v.v[i] == e->func)
			return;
	sp_vec_push(&f->callees->v, e->func);
}

static bool sends(const struct ir_stmt *s)
{
	return s->op == IR_S_EMIT || s->op == IR_S_STAT_PRINT;
}

// How many records a run sends by these statements at most: 0, 1, or more.
static unsigned records(const struct ir_stmt *s)
{
	unsigned n = 0;

	for (; s; s = s->next) {
		unsigned then = records(s->then), otherwise = records(s->otherwise);

		n += sends(s) + (s->op == IR_S_IF ? SP_MAX(then, otherwise) : then + otherwise);
		if (s->op == IR_S_LOOP || s->op == IR_S_FOREACH)
			n += then + records(s->step);
	}
	return SP_MIN(n, 2u);
}

static void note_stmt(void *ctx, const struct ir_stmt *s)
{
	struct facts *f = ctx;

	if (s->op == IR_S_EXIT || s->op == IR_S_ABORT)
		f->effects |= EXITS;
	if (sends(s))
		f->effects |= SENDS;
	if (s->op == IR_S_EMIT && f->plan->unit->formats.v[s->format].tells_who)
		f->effects |= READS_SITE;
}

static struct facts look(const struct plan *plan, const struct ir_stmt *body, struct plan_callees *callees)
{
	struct facts facts = { .plan = plan, .callees = callees };
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

// Functions that call nothing are not recursive, nor are those that call such ones alone, and so on. Of the others, which are few,
// each is looked at.
static void find_recursive(const struct plan_calls *calls, struct plan *plan, bool *seen)
{
	bool *settled = sp_calloc(calls->n_funcs + 1, sizeof(*settled));

	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t func = calls->order[i];
		const struct plan_callees *callees = &calls->funcs[func];

		settled[func] = true;
		for (size_t k = 0; k < callees->v.n; k++)
			settled[func] = settled[func] && callees->v.v[k] != func && settled[callees->v.v[k]];
	}
	for (size_t i = 0; i < calls->n_funcs; i++) {
		if (settled[i])
			continue;
		memset(seen, 0, calls->n_funcs * sizeof(*seen));
		plan->funcs[i].is_recursive = can_reach(calls, (uint32_t)i, (uint32_t)i, seen);
	}
	free(settled);
}

// Adds to the caller's facts those of the callee; true when some of them were new.
static bool take_over(struct plan *plan, uint16_t *effects, uint32_t caller, uint32_t callee)
{
	const struct embedded_piece **piece = &plan->funcs[caller].kernel_piece;
	const struct embedded_piece *found = more_bound(*piece, plan->funcs[callee].kernel_piece);
	bool more = effects[callee] & (uint16_t)~effects[caller] || found != *piece;

	effects[caller] |= effects[callee];
	*piece = found;
	return more;
}

// Callees are visited before callers, so one round is enough where no function is recursive. Cycles need more: goes round until
// nothing changes.
static void spread_up(const struct plan_calls *calls, struct plan *plan, uint16_t *effects)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < calls->n_funcs; i++) {
			const struct plan_callees *callees = &calls->funcs[calls->order[i]];

			for (size_t k = 0; k < callees->v.n; k++) {
				changed |= take_over(plan, effects, calls->order[i], callees->v.v[k]);
			}
		}
	}
}

static void reach(const struct plan_calls *calls, struct plan *plan, const struct plan_callees *callees, bool in_kernel,
		  bool in_user)
{
	for (size_t i = 0; i < callees->v.n; i++) {
		struct plan_func *f = &plan->funcs[callees->v.v[i]];

		if ((!in_kernel || f->in_kernel) && (!in_user || f->in_user))
			continue;
		f->in_kernel |= in_kernel;
		f->in_user |= in_user;
		reach(calls, plan, &calls->funcs[callees->v.v[i]], in_kernel, in_user);
	}
}

// The longest chain of calls that begins in one of them, each function counted once, as SystemTap does.
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

// SystemTap's default for MAXNESTING: the depth that the script needs without recursion, plus ten.
static void choose_nesting(const struct plan_calls *calls, struct plan *plan)
{
	bool *on_path = sp_calloc(calls->n_funcs + 1, sizeof(*on_path)), any = false;
	uint32_t most = 0, steps = MAX_STEPS;

	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t chain = longest(calls, (uint32_t)i, on_path, &steps);

		most = SP_MAX(most, chain);
		any |= plan->funcs[i].is_recursive;
	}
	if (!steps) // too many chains to look at
		most = (uint32_t)calls->n_funcs;
	free(on_path);
	plan->needed_nesting = most + 1;
	plan->max_nesting = plan->unit->max_nesting;
	if (!plan->max_nesting)
		plan->max_nesting = plan->needed_nesting + (any ? RECURSION_BONUS : 0);
}

static void look_at_funcs(struct plan_calls *calls, struct plan *plan, uint16_t *effects)
{
	bool *seen = sp_calloc(calls->n_funcs + 1, sizeof(*seen));
	size_t n_ordered = 0;

	for (size_t i = 0; i < calls->n_funcs; i++) {
		struct facts facts = look(plan, plan->unit->funcs.v[i].body, &calls->funcs[i]);

		effects[i] = facts.effects;
		plan->funcs[i].kernel_piece = facts.kernel_piece;
	}
	for (size_t i = 0; i < calls->n_funcs; i++)
		if (!seen[i])
			visit(calls, (uint32_t)i, seen, &n_ordered);
	find_recursive(calls, plan, seen);
	for (size_t i = 0; i < calls->n_funcs; i++)
		effects[i] |= plan->funcs[i].is_recursive ? RECURSES : 0;
	spread_up(calls, plan, effects);
	for (size_t i = 0; i < calls->n_funcs; i++) {
		struct plan_func *func = &plan->funcs[i];

		func->recurses = effects[i] & RECURSES;
		func->reads_site = effects[i] & READS_SITE;
		func->stacks |= effects[i] & ASKS_FOR_STACK ? PLAN_STACK_KERNEL : 0;
		func->stacks |= effects[i] & ASKS_FOR_USER_STACK ? PLAN_STACK_USER : 0;
	}
	free(seen);
}

static void look_at_progs(struct plan_calls *calls, struct plan *plan, const uint16_t *effects)
{
	for (size_t i = 0; i < calls->n_progs; i++) {
		struct plan_prog *prog = &plan->progs[i];
		struct facts facts = look(plan, plan->unit->progs.v[i].body, &calls->progs[i]);
		uint16_t all = facts.effects;
		bool sends_again = records(plan->unit->progs.v[i].body) > 1;

		prog->kernel_piece = facts.kernel_piece;
		for (size_t k = 0; k < calls->progs[i].v.n; k++) {
			uint32_t callee = calls->progs[i].v.v[k];

			all |= effects[callee];
			sends_again |= effects[callee] & SENDS;
			prog->kernel_piece = more_bound(prog->kernel_piece, plan->funcs[callee].kernel_piece);
		}
		if ((prog->kernel_piece || (all & COUNTS)) && prog->in_kernel)
			prog->in_user = false;
		prog->can_exit = all & EXITS;
		prog->sends_again = prog->in_kernel && sends_again;
		prog->keeps_match = (all & MATCHES) && plan->match_size;
		prog->reads_site = all & READS_SITE;
		prog->reads_user = all & READS_USER;
		prog->embeds = all & EMBEDS;
		prog->reads_counters = all & COUNTS;
		prog->recurses = all & RECURSES;
		reach(calls, plan, &calls->progs[i], prog->in_kernel, prog->in_user);
	}
	// What the rest of a handler says of its site, the record tells.
	for (size_t i = 0; i < calls->n_progs; i++) {
		uint32_t rest = plan->unit->progs.v[i].deferral.rest;

		if (rest != SP_NONE && plan->progs[rest].reads_site)
			plan->progs[i].reads_site = true;
	}
}

void plan_calls_init(struct plan_calls *calls, struct plan *plan)
{
	uint16_t *effects = sp_calloc(plan->unit->funcs.n + 1, sizeof(*effects));

	calls->n_funcs = plan->unit->funcs.n;
	calls->n_progs = plan->unit->progs.n;
	calls->funcs = sp_calloc(calls->n_funcs + 1, sizeof(*calls->funcs));
	calls->progs = sp_calloc(calls->n_progs + 1, sizeof(*calls->progs));
	calls->order = sp_calloc(calls->n_funcs + 1, sizeof(*calls->order));
	look_at_funcs(calls, plan, effects);
	choose_nesting(calls, plan);
	look_at_progs(calls, plan, effects);
	free(effects);
}

// ---- callbacks ----------------------------------------------------------------------------------

struct callbacks {
	const struct plan *plan;
	bool found;
};

static void look_for_callback(void *ctx, const struct ir_stmt *s)
{
	struct callbacks *c = ctx;

	c->found |= plan_is_callback(c->plan, s);
}

bool plan_has_callback(const struct plan *plan, const struct ir_stmt *body)
{
	struct callbacks c = { .plan = plan };
	struct ir_visitor visitor = { .ctx = &c, .stmt = look_for_callback };

	ir_walk_stmts(body, &visitor);
	return c.found;
}

// struct plan_state also counts the loop rounds that a called function has spent, and the frames of recursive functions.
static bool needs_state(const struct plan *plan, const struct plan_callees *callees)
{
	for (size_t i = 0; i < callees->v.n; i++) {
		const struct plan_func *f = &plan->funcs[callees->v.v[i]];

		if (f->calls_back || f->is_called_in_kernel || (f->is_recursive && f->in_kernel))
			return true;
	}
	return false;
}

void plan_calls_back(const struct plan_calls *calls, struct plan *plan)
{
	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t index = calls->order[i];
		struct plan_func *f = &plan->funcs[index];

		f->calls_back = (f->in_kernel && (f->has_outlined || plan_has_callback(plan, plan->unit->funcs.v[index].body))) ||
				needs_state(plan, &calls->funcs[index]);
	}
	for (size_t i = 0; i < calls->n_progs; i++) {
		struct plan_prog *p = &plan->progs[i];

		p->calls_back = p->in_kernel && (needs_state(plan, &calls->progs[i]) || p->has_outlined ||
						 plan_has_callback(plan, plan->unit->progs.v[i].body));
	}
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
