// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_sleep.h"

bool plan_sleep_at_uprobes(const struct ir_unit *unit, const struct ir_prog *prog)
{
	for (unsigned i = 0; i < prog->n_sites; i++) {
		enum sp_site_kind kind = unit->sites.v[prog->first_site + i].kind;

		if (kind != SP_SITE_UPROBE && kind != SP_SITE_URETPROBE)
			return false;
	}
	return prog->n_sites > 0;
}

static void note_call(void *ctx, const struct ir_expr *e)
{
	struct plan *plan = ctx;
	const struct ir_visitor visitor = { .ctx = plan, .expr = note_call };

	if (e->op != IR_CALL || plan->funcs[e->func].is_walked)
		return;
	plan->funcs[e->func].is_walked = true;
	ir_walk_stmts(plan->unit->funcs.v[e->func].body, &visitor);
}

static void look_for_walk(void *ctx, const struct ir_stmt *s)
{
	const struct ir_visitor visitor = { .ctx = ctx, .expr = note_call };

	if (s->op == IR_S_FOREACH)
		ir_walk_stmts(s->then, &visitor);
}

void plan_sleep(struct plan *plan)
{
	const struct ir_visitor walks = { .ctx = plan, .stmt = look_for_walk };

	if (!target_has(&plan->unit->target, SP_FEATURE_SLEEPABLE_UPROBE))
		return;
	ir_walk_unit(plan->unit, &walks);
	for (size_t i = 0; i < plan->unit->progs.n; i++) {
		const struct ir_prog *prog = &plan->unit->progs.v[i];
		struct plan_prog *p = &plan->progs[i];

		// Programs that sleep cannot have arrays of perf events.
		p->may_sleep = p->in_kernel && p->reads_user && !p->reads_counters && !p->lock && plan_sleep_at_uprobes(plan->unit, prog);
		if (p->may_sleep)
			plan->features |= 1ull << SP_FEATURE_SLEEPABLE_UPROBE;
	}
}
