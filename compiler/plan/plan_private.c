// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_private.h"
#include "compiler/plan/plan_who.h"

#include "runtime/base/util.h"

#include <stdlib.h>

struct keys {
	bool in_kernel; // the handler
	uint32_t prog;
	bool samples; // it interrupts others: timer.profile, perf events
	bool moves; // it may be preempted: a uprobe's handler is, in some kernels
	struct keyed {
		uint32_t parts; // bits of the parts of the key that hold a thread so far; CPUs from bit 16 on
		uint32_t prog; // that uses it; SP_NONE: none yet
		bool by_samples, by_several; // handlers
	} *maps;
};

static void touch(struct keys *k, const enum plan_who *locals, uint32_t map, struct ir_expr **args, unsigned n_args, bool only_reads)
{
	uint32_t parts = 0;

	if (!k->in_kernel && only_reads)
		return;
	for (unsigned i = 0; k->in_kernel && i < n_args && i < 16; i++) {
		enum plan_who who = plan_who(locals, args[i]);

		parts |= who == PLAN_WHO_THREAD ? 1u << i : who == PLAN_WHO_CPU && !k->moves ? 0x10000u << i : 0;
	}
	k->maps[map].parts &= parts;
	k->maps[map].by_samples |= k->samples;
	k->maps[map].by_several |= k->maps[map].prog != SP_NONE && k->maps[map].prog != k->prog;
	k->maps[map].prog = k->prog;
}

static void touch_expr(void *ctx, const enum plan_who *locals, const struct ir_expr *e)
{
	if (e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD || e->op == IR_STAT_GET)
		touch(ctx, locals, e->map, e->args, e->n_args, e->op != IR_MAP_ADD);
}

static void touch_stmt(void *ctx, const enum plan_who *locals, const struct ir_stmt *s)
{
	if (ir_stmt_op_has(s->op) & IR_HAS_MAP)
		touch(ctx, locals, s->map, s->args, s->n_args, s->op == IR_S_FOREACH || s->op == IR_S_STAT_PRINT);
}

// ---- handlers ---------------------------------------------------------------------------------------------------------

bool plan_is_concurrent(const struct plan *plan, uint32_t prog)
{
	const struct ir_prog *p = &plan->unit->progs.v[prog];
	enum sp_site_kind kind = p->n_sites ? plan->unit->sites.v[p->first_site].kind : SP_SITE_KIND_COUNT;

	// What a condition's handler reads it reads again soon.
	return plan->progs[prog].in_kernel ||
	       (kind != SP_SITE_BEGIN && kind != SP_SITE_END && kind != SP_SITE_ERROR && kind != SP_SITE_CONDITION);
}

static bool has_site(const struct plan *plan, uint32_t prog, enum sp_site_kind a, enum sp_site_kind b)
{
	const struct ir_prog *p = &plan->unit->progs.v[prog];

	for (unsigned i = 0; i < p->n_sites; i++) {
		enum sp_site_kind kind = plan->unit->sites.v[p->first_site + i].kind;

		if (kind == a || kind == b)
			return true;
	}
	return false;
}

void plan_private(const struct plan *plan, bool *private_ret)
{
	const struct ir_unit *unit = plan->unit;
	struct keys k = { 0 };
	const struct plan_who_visitor visitor = { .ctx = &k, .expr = touch_expr, .stmt = touch_stmt };

	k.maps = sp_calloc(unit->maps.n + 1, sizeof(*k.maps));
	for (size_t i = 0; i < unit->maps.n; i++)
		k.maps[i] = (struct keyed){ .parts = UINT32_MAX, .prog = SP_NONE };
	for (uint32_t i = 0; i < unit->progs.n; i++) {
		if (!plan_is_concurrent(plan, i))
			continue;
		k.prog = i;
		k.in_kernel = plan->progs[i].in_kernel;
		k.samples = has_site(plan, i, SP_SITE_PERF, SP_SITE_PERF);
		k.moves = has_site(plan, i, SP_SITE_UPROBE, SP_SITE_URETPROBE);
		plan_who_walk(plan, &unit->progs.v[i], &visitor);
	}
	// What a handler keeps at a function's entry for another one is by thread, or by processor where that is idle.
	for (size_t i = 0; i < unit->maps.n; i++)
		private_ret[i] = unit->maps.v[i].is_private ||
				 (k.maps[i].parts && !(k.maps[i].by_samples && k.maps[i].by_several));
	free(k.maps);
}
