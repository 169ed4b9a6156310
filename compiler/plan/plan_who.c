// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_who.h"

#include "runtime/base/util.h"

#include <stdlib.h>

struct search {
	const struct plan *plan;
	unsigned *n_sets;
	bool *is_read; // so far, of the body's statements
};

enum plan_who plan_who(const enum plan_who *locals, const struct ir_expr *e)
{
	if (e->op == IR_BUILTIN && e->builtin == BUILTIN_TID)
		return PLAN_WHO_THREAD;
	if (e->op == IR_BUILTIN && e->builtin == BUILTIN_CPU)
		return PLAN_WHO_CPU;
	return e->op == IR_LOCAL ? locals[e->local] : PLAN_WHO_NONE;
}

static void note_read(void *ctx, const struct ir_expr *e)
{
	struct search *s = ctx;

	if (e->op == IR_LOCAL)
		s->is_read[e->local] = true;
}

static void note_set(void *ctx, const struct ir_stmt *st)
{
	struct search *s = ctx;

	if (st->op == IR_S_SET)
		s->n_sets[st->local]++;
	if (st->op != IR_S_FOREACH)
		return;
	for (unsigned i = 0; i < s->plan->unit->maps.v[st->map].n_keys; i++)
		s->n_sets[st->foreach.keys[i]]++;
	if (st->foreach.value != IR_NO_LOCAL)
		s->n_sets[st->foreach.value]++;
}

// if (!thread) thread = -1 - cpu(): all idle threads are thread 0, and each stays on its processor
static bool names_idle_thread(const struct ir_stmt *st, uint32_t thread)
{
	const struct ir_stmt *set;
	const struct ir_expr *idle;

	if (!st || st->op != IR_S_IF || st->a->op != IR_LNOT || st->a->a->op != IR_LOCAL || st->a->a->local != thread || st->otherwise)
		return false;
	set = st->then;
	if (!set || set->op != IR_S_SET || set->local != thread || set->next)
		return false;
	idle = set->a;
	return idle->op == IR_SUB && idle->a->op == IR_CONST && idle->a->value == -1 && idle->b->op == IR_BUILTIN &&
	       idle->b->builtin == BUILTIN_CPU;
}

static enum plan_who who_is_set(const struct search *s, const enum plan_who *locals, const struct ir_stmt *st)
{
	enum plan_who who;

	if (st->op != IR_S_SET || s->is_read[st->local])
		return PLAN_WHO_NONE;
	who = plan_who(locals, st->a);
	if (s->n_sets[st->local] == 1)
		return who;
	return who == PLAN_WHO_THREAD && s->n_sets[st->local] == 2 && names_idle_thread(st->next, st->local) ? who : PLAN_WHO_NONE;
}

// Of each local variable of a body, the first of which are parameters. To be freed.
static enum plan_who *find_locals(const struct plan *plan, const struct ir_stmt *body, size_t n_locals)
{
	enum plan_who *locals = sp_calloc(n_locals + 1, sizeof(*locals)), who;
	struct search s = { plan, sp_calloc(n_locals + 1, sizeof(*s.n_sets)), sp_calloc(n_locals + 1, sizeof(*s.is_read)) };
	const struct ir_visitor sets = { .ctx = &s, .stmt = note_set }, reads = { .ctx = &s, .expr = note_read };

	ir_walk_stmts(body, &sets);
	for (const struct ir_stmt *st = body; st; st = st->next) {
		struct ir_stmt alone = *st;

		alone.next = NULL;
		ir_walk_stmts(&alone, &reads);
		who = who_is_set(&s, locals, st);
		if (who)
			locals[st->local] = who;
	}
	free(s.n_sets);
	free(s.is_read);
	return locals;
}

// ---- handlers ---------------------------------------------------------------------------------------------------------

struct walk {
	const struct plan *plan;
	const struct plan_who_visitor *visitor;
	const enum plan_who *locals; // of the body that is walked
	bool *seen; // functions
};

static void walk_body(struct walk *w, const struct ir_stmt *body, size_t n_locals);

static void walk_expr(void *ctx, const struct ir_expr *e)
{
	struct walk *w = ctx;
	const struct ir_func *func;

	w->visitor->expr(w->visitor->ctx, w->locals, e);
	if (e->op != IR_CALL || w->seen[e->func])
		return;
	w->seen[e->func] = true;
	func = &w->plan->unit->funcs.v[e->func];
	walk_body(w, func->body, func->locals.n);
}

static void walk_stmt(void *ctx, const struct ir_stmt *s)
{
	const struct walk *w = ctx;

	w->visitor->stmt(w->visitor->ctx, w->locals, s);
}

static void walk_body(struct walk *w, const struct ir_stmt *body, size_t n_locals)
{
	const struct ir_visitor visitor = { .ctx = w, .expr = walk_expr, .stmt = walk_stmt };
	const enum plan_who *outer = w->locals;
	enum plan_who *locals = find_locals(w->plan, body, n_locals);

	w->locals = locals;
	ir_walk_stmts(body, &visitor);
	w->locals = outer;
	free(locals);
}

void plan_who_walk(const struct plan *plan, const struct ir_prog *prog, const struct plan_who_visitor *visitor)
{
	struct walk w = { .plan = plan, .visitor = visitor, .seen = sp_calloc(plan->unit->funcs.n + 1, sizeof(*w.seen)) };

	walk_body(&w, prog->body, prog->locals.n);
	free(w.seen);
}
