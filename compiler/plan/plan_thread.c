// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_thread.h"
#include "compiler/plan/plan_who.h"

#include "runtime/base/util.h"

#include <stdlib.h>

struct search {
	const struct ir_unit *unit;
	bool is_current; // `tid()` is a thread that the kernel's helper takes, in this handler
	struct found {
		bool by_thread, otherwise; // how it is used
	} *maps;
};

static void note(struct search *s, const enum plan_who *locals, uint32_t map, struct ir_expr **args, bool is_one)
{
	bool by_thread = s->is_current && is_one && s->unit->maps.v[map].n_keys && plan_who(locals, args[0]) == PLAN_WHO_THREAD;

	s->maps[map].by_thread |= by_thread;
	s->maps[map].otherwise |= !by_thread;
}

static void note_expr(void *ctx, const enum plan_who *locals, const struct ir_expr *e)
{
	if (ir_expr_op_has(e->op) & IR_HAS_MAP)
		note(ctx, locals, e->map, e->args, e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD);
}

static void note_stmt(void *ctx, const enum plan_who *locals, const struct ir_stmt *st)
{
	if (ir_stmt_op_has(st->op) & IR_HAS_MAP)
		note(ctx, locals, st->map, st->args, st->op == IR_S_MAP_SET || st->op == IR_S_MAP_DEL);
}

// An iterator's handler runs in spile's own thread, a packet's in any; those of security hooks have other helpers.
static bool knows_thread(enum sp_prog_kind kind)
{
	return kind == SP_PROG_REGS || kind == SP_PROG_FENTRY || kind == SP_PROG_FEXIT || kind == SP_PROG_RAW_TP ||
	       kind == SP_PROG_TYPED_TP || kind == SP_PROG_TP || kind == SP_PROG_PERF;
}

static bool can_be(const struct ir_map *map)
{
	return map->kind == SP_MAP_HASH && map->value_type == IR_LONG && map->n_keys == 1 && map->keys[0].type == IR_LONG && !map->wraps &&
	       !map->is_unread;
}

void plan_thread(struct plan *plan)
{
	const struct ir_unit *unit = plan->unit;
	struct search s = { .unit = unit };
	const struct plan_who_visitor visitor = { .ctx = &s, .expr = note_expr, .stmt = note_stmt };

	if (!target_has(&unit->target, SP_FEATURE_TASK_STORAGE))
		return;
	s.maps = sp_calloc(unit->maps.n + 1, sizeof(*s.maps));
	for (size_t i = 0; i < unit->progs.n; i++) {
		s.is_current = plan->progs[i].in_kernel && knows_thread(unit->progs.v[i].kind);
		plan_who_walk(plan, &unit->progs.v[i], &visitor);
	}
	for (size_t i = 0; i < unit->maps.n; i++) {
		struct plan_map *p = &plan->maps[i];

		p->is_of_thread = can_be(&unit->maps.v[i]) && s.maps[i].by_thread && !s.maps[i].otherwise;
		if (!p->is_of_thread)
			continue;
		p->is_lasting = p->is_split = false;
		plan->features |= 1ull << SP_FEATURE_TASK_STORAGE;
	}
	free(s.maps);
}
