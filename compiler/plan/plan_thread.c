// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_thread.h"
#include "compiler/plan/plan_who.h"

#include "runtime/base/util.h"

#include <stdlib.h>

struct search {
	const struct plan *plan;
	bool is_current; // `tid()` is a thread that the kernel's helper takes, where it is called from now
	bool *seen; // functions that this handler calls
	enum plan_who *locals; // of the body that is looked at
	struct found {
		bool by_thread, otherwise; // how it is used
	} *maps;
};

static void note(struct search *s, uint32_t map, struct ir_expr **args, bool is_one)
{
	bool by_thread = s->is_current && is_one && s->plan->unit->maps.v[map].n_keys && plan_who(s->locals, args[0]) == PLAN_WHO_THREAD;

	s->maps[map].by_thread |= by_thread;
	s->maps[map].otherwise |= !by_thread;
}

static void note_body(struct search *s, const struct ir_stmt *body, size_t n_locals);

static void note_expr(void *ctx, const struct ir_expr *e)
{
	struct search *s = ctx;

	if (ir_expr_op_has(e->op) & IR_HAS_MAP)
		note(s, e->map, e->args, e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD);
	if (e->op != IR_CALL || s->seen[e->func])
		return;
	s->seen[e->func] = true;
	note_body(s, s->plan->unit->funcs.v[e->func].body, s->plan->unit->funcs.v[e->func].locals.n);
}

static void note_stmt(void *ctx, const struct ir_stmt *st)
{
	if (ir_stmt_op_has(st->op) & IR_HAS_MAP)
		note(ctx, st->map, st->args, st->op == IR_S_MAP_SET || st->op == IR_S_MAP_DEL);
}

static void note_body(struct search *s, const struct ir_stmt *body, size_t n_locals)
{
	const struct ir_visitor visitor = { .ctx = s, .expr = note_expr, .stmt = note_stmt };
	enum plan_who *outer = s->locals;

	s->locals = plan_who_locals(s->plan, body, n_locals);
	ir_walk_stmts(body, &visitor);
	free(s->locals);
	s->locals = outer;
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
	struct search s = { .plan = plan };

	if (!target_has(&unit->target, SP_FEATURE_TASK_STORAGE))
		return;
	s.seen = sp_calloc(unit->funcs.n + 1, sizeof(*s.seen));
	s.maps = sp_calloc(unit->maps.n + 1, sizeof(*s.maps));
	for (size_t i = 0; i < unit->progs.n; i++) {
		memset(s.seen, 0, unit->funcs.n * sizeof(*s.seen));
		s.is_current = plan->progs[i].in_kernel && knows_thread(unit->progs.v[i].kind);
		note_body(&s, unit->progs.v[i].body, unit->progs.v[i].locals.n);
	}
	for (size_t i = 0; i < unit->maps.n; i++) {
		struct plan_map *p = &plan->maps[i];

		p->is_of_thread = can_be(&unit->maps.v[i]) && s.maps[i].by_thread && !s.maps[i].otherwise;
		if (!p->is_of_thread)
			continue;
		p->is_lasting = p->is_split = false;
		plan->features |= 1ull << SP_FEATURE_TASK_STORAGE;
	}
	free(s.seen);
	free(s.maps);
}
