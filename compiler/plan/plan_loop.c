// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_loop.h"

#define MAX_UNROLL_TRIPS 32
#define MAX_UNROLL_NODES 512 // of IR, all copies of the body together: of two or three instructions each
#define MAX_UNROLL_COST 16000 // instructions, with those that go through the bytes of strings
#define MAX_TRIPS 100000 // where the counting of rounds gives up: such a loop is never unrolled
// The most instructions, over all rounds, of a loop that the verifier follows round by round. Its own limit is a million
// instructions for the whole program, and each branch of the body may double what it looks at.
#define MAX_BOUNDED_COST 8000
#define MAX_COST (1u << 20)
#define MAX_COPIED 128 // bytes of strings that gen copies without a loop
#define WALK_COST 16 // for each byte of a string that code goes through, which is a loop with branches

struct plan_loop_env {
	struct plan *plan;
	const uint32_t *func_costs; // by function; 0 where it is not known yet: in cycles
};

// `for (i = FROM; i < TO; i += BY)`, also as a while whose last statement steps.
struct counted {
	uint32_t local;
	enum ir_expr_op op;
	int64_t from, to, by;
	const struct ir_stmt *step;
};

struct scan {
	const struct plan_loop_env *env;
	const struct counted *c;
	unsigned nodes;
	unsigned nested; // loops around the statement, inside of this one
	bool is_changed, has_continue;
};

// For how many nodes it stands, by the code that is made of it.
static unsigned nodes_of(const struct plan_loop_env *env, const struct ir_expr *e)
{
	unsigned nodes = 1;

	if (e->op == IR_MATCH) // has a loop of its own, with branches
		return MAX_UNROLL_NODES;
	if (e->op == IR_CALL)
		nodes += SP_MIN(env->func_costs[e->func] / 4, (uint32_t)MAX_UNROLL_NODES);
	if (e->op == IR_STAT_GET || e->op == IR_STAT_TEXT || e->op == IR_SPRINTF)
		nodes += 16;
	if (e->type == IR_STR || e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD || e->op == IR_LOAD)
		nodes += 8;
	return nodes;
}

static void scan_expr(void *ctx, const struct ir_expr *e)
{
	struct scan *scan = ctx;

	scan->nodes += nodes_of(scan->env, e);
}

static void scan_stmt(void *ctx, const struct ir_stmt *s)
{
	struct scan *scan = ctx;

	scan->nodes += s->op == IR_S_EMIT || s->op == IR_S_MAP_SET || s->op == IR_S_STAT_ADD || s->op == IR_S_STAT_PRINT ? 8 : 1;
	if (s->op == IR_S_SET && s->local == scan->c->local && s != scan->c->step)
		scan->is_changed = true;
	else if (s->op == IR_S_CONTINUE && !scan->nested)
		scan->has_continue = true;
	// A loop inside of the body would be copied with it, or sets locals in a way that is not followed here.
	if (s->op == IR_S_LOOP || s->op == IR_S_FOREACH) {
		scan->nodes += MAX_UNROLL_NODES;
		scan->nested++;
	}
	scan->is_changed |= s->op == IR_S_FOREACH;
}

static void scan_leave(void *ctx, const struct ir_stmt *s)
{
	struct scan *scan = ctx;

	if (s->op == IR_S_LOOP || s->op == IR_S_FOREACH)
		scan->nested--;
}

static enum ir_expr_op mirrored(enum ir_expr_op op)
{
	return op == IR_LT   ? IR_GT
	       : op == IR_GT ? IR_LT
	       : op == IR_LE ? IR_GE
	       : op == IR_GE ? IR_LE
			     : op;
}

static bool is_counted(const struct ir_stmt *before, const struct ir_stmt *loop, struct counted *ret)
{
	const struct ir_expr *cond = loop->a, *x, *limit;
	const struct ir_stmt *step = loop->step;

	if (cond->op != IR_LT && cond->op != IR_LE && cond->op != IR_GT && cond->op != IR_GE &&
	    cond->op != IR_NE)
		return false;
	x = cond->a->op == IR_LOCAL ? cond->a : cond->b;
	limit = x == cond->a ? cond->b : cond->a;
	ret->op = x == cond->a ? cond->op : mirrored(cond->op);
	if (x->op != IR_LOCAL || limit->op != IR_CONST)
		return false;
	if (!step)
		for (step = loop->then; step && step->next; step = step->next)
			;
	if (!before || before->op != IR_S_SET || before->local != x->local ||
	    before->a->op != IR_CONST)
		return false;
	if (!step || step->next || step->op != IR_S_SET || step->local != x->local)
		return false;
	if ((step->a->op != IR_ADD && step->a->op != IR_SUB) || step->a->a->op != IR_LOCAL ||
	    step->a->a->local != x->local || step->a->b->op != IR_CONST)
		return false;
	ret->local = x->local;
	ret->from = before->a->value;
	ret->to = limit->value;
	ret->by = step->a->op == IR_ADD ? step->a->b->value : (int64_t)(0 - (uint64_t)step->a->b->value);
	ret->step = step;
	return true;
}

static bool holds(enum ir_expr_op op, int64_t x, int64_t limit)
{
	return op == IR_LT   ? x < limit
	       : op == IR_LE ? x <= limit
	       : op == IR_GT ? x > limit
	       : op == IR_GE ? x >= limit
			     : x != limit;
}

// The number of rounds; 0: there are none, or more than MAX_TRIPS, or it is not known.
static uint32_t count(const struct counted *c)
{
	uint32_t trips = 0;

	for (int64_t x = c->from; holds(c->op, x, c->to);
	     x = (int64_t)((uint64_t)x + (uint64_t)c->by))
		if (++trips > MAX_TRIPS)
			return 0;
	return trips;
}

static uint32_t times(uint32_t cost, uint32_t rounds)
{
	return (uint32_t)SP_MIN((uint64_t)cost * rounds, (uint64_t)MAX_COST);
}

// How many instructions the verifier follows of a loop whose round costs `round`.
static uint32_t loop_cost(const struct plan_loop_env *env, const struct ir_stmt *loop, uint32_t round)
{
	const struct plan_code *code = &env->plan->codes[loop->id];

	if (loop->op == IR_S_FOREACH || code->form == PLAN_LOOP_CALL)
		return round + 16;
	return times(round, code->trips ? code->trips : env->plan->unit->max_action ? env->plan->unit->max_action : MAX_COST);
}

static void decide(const struct plan_loop_env *env, const struct ir_stmt *before, const struct ir_stmt *loop, uint32_t round)
{
	const struct ir_unit *unit = env->plan->unit;
	struct plan_code *code = &env->plan->codes[loop->id];
	bool has_call = target_has(&unit->target, SP_FEATURE_BPF_LOOP);
	struct counted c;
	struct scan scan = { .env = env, .c = &c };
	struct ir_visitor visitor = {
		.ctx = &scan, .expr = scan_expr, .stmt = scan_stmt, .leave = scan_leave
	};
	uint32_t trips;

	code->form = has_call ? PLAN_LOOP_CALL : PLAN_LOOP_BOUNDED;
	if (!is_counted(before, loop, &c))
		return;
	ir_walk_stmts(loop->then, &visitor);
	if (scan.is_changed || (scan.has_continue && !loop->step))
		return;
	trips = count(&c);
	if (!trips || (unit->max_action && trips > unit->max_action))
		return;
	code->trips = trips;
	if (trips <= MAX_UNROLL_TRIPS && trips * scan.nodes <= MAX_UNROLL_NODES && times(round, trips) <= MAX_UNROLL_COST)
		code->form = PLAN_LOOP_UNROLL;
	else if (times(round, trips) <= MAX_BOUNDED_COST)
		code->form = PLAN_LOOP_BOUNDED;
}

// ---- cost: about as many instructions as gen makes, loops within a string's code counted out ----------------------------

struct cost {
	const struct plan_loop_env *env;
	uint32_t sum;
};

static void add_cost(struct cost *cost, uint32_t more)
{
	cost->sum = SP_MIN(cost->sum + more, MAX_COST);
}

static void cost_expr(void *ctx, const struct ir_expr *e)
{
	struct cost *cost = ctx;

	add_cost(cost, 2);
	// A variable's text is copied or gone through by what has it as an operand, word by word: of each a jump is remembered.
	if (e->type == IR_STR)
		add_cost(cost, e->cap <= MAX_COPIED || e->op == IR_LOCAL || e->op == IR_GLOBAL ? e->cap / 4 : e->cap);
	if (e->op == IR_MATCH)
		add_cost(cost, e->a->cap * WALK_COST);
	if (e->op == IR_SPRINTF)
		add_cost(cost, e->cap * WALK_COST);
	if (e->op == IR_CALL)
		add_cost(cost, cost->env->func_costs[e->func]);
}

static uint32_t list_cost(const struct plan_loop_env *env, const struct ir_stmt *list);

static uint32_t expr_cost(const struct plan_loop_env *env, const struct ir_expr *e)
{
	struct cost cost = { .env = env };
	struct ir_visitor visitor = { .ctx = &cost, .expr = cost_expr };

	if (e)
		ir_walk_expr(e, &visitor);
	return cost.sum;
}

static uint32_t stmt_cost(const struct plan_loop_env *env, const struct ir_stmt *before, const struct ir_stmt *s)
{
	uint32_t own = 4 + expr_cost(env, s->a) + expr_cost(env, s->b), nested;

	for (unsigned i = 0; i < s->n_args; i++) {
		own += expr_cost(env, s->args[i]);
		if (s->op == IR_S_EMIT && s->args[i]->type == IR_STR) // where the record goes on depends on its length
			own += s->args[i]->cap;
	}
	nested = list_cost(env, s->then) + list_cost(env, s->otherwise) + list_cost(env, s->step);
	if (s->op == IR_S_LOOP)
		decide(env, before, s, own + nested);
	own = SP_MIN(own + nested, MAX_COST);
	return s->op == IR_S_LOOP || s->op == IR_S_FOREACH ? loop_cost(env, s, own) : own;
}

static uint32_t list_cost(const struct plan_loop_env *env, const struct ir_stmt *list)
{
	const struct ir_stmt *before = NULL;
	uint32_t cost = 0;

	for (const struct ir_stmt *s = list; s; before = s, s = s->next)
		cost = SP_MIN(cost + stmt_cost(env, before, s), MAX_COST);
	return cost;
}

void plan_loop(struct plan *plan, const struct plan_calls *calls)
{
	const struct ir_unit *unit = plan->unit;
	uint32_t *func_costs = sp_calloc(unit->funcs.n + 1, sizeof(*func_costs));
	const struct plan_loop_env env = { plan, func_costs };

	// Expressions need no look: no loop is within one, only the FOREACH of a SEQ.
	for (size_t i = 0; i < unit->funcs.n; i++)
		func_costs[calls->order[i]] = list_cost(&env, unit->funcs.v[calls->order[i]].body);
	sp_vec_each(prog, &unit->progs)
		list_cost(&env, prog->body);
	free(func_costs);
}
