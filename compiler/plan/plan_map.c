// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_map.h"

#include "compiler/plan/plan_sleep.h"

#define LATE_SIZE (16u << 20) // bytes of keys, which take the kernel some ms when it makes them zero

// On which side of the kernel's boundary code uses an array, and for what.
struct use {
	bool in_kernel, in_user;
	bool adds, sets, deletes; // from there
	bool takes_all; // of its elements, or of an aggregate's records
};

struct users {
	struct use here;
	struct use *uses; // of each array: by any code
	struct use *from_user, *from_kernel; // by code that runs there, too
};

static void note(struct users *users, uint32_t map, struct use use)
{
	struct use *all[] = { &users->uses[map], users->here.in_user ? &users->from_user[map] : NULL,
			      users->here.in_kernel ? &users->from_kernel[map] : NULL };

	for (unsigned i = 0; i < SP_ARRAY_SIZE(all); i++) {
		if (!all[i])
			continue;
		all[i]->in_kernel |= users->here.in_kernel;
		all[i]->in_user |= users->here.in_user;
		all[i]->adds |= use.adds;
		all[i]->sets |= use.sets;
		all[i]->deletes |= use.deletes;
		all[i]->takes_all |= use.takes_all;
	}
}

static void note_expr(void *ctx, const struct ir_expr *e)
{
	if (e->op == IR_MAP_ADD)
		note(ctx, e->map, (struct use){ .adds = true });
	else if (e->op == IR_MAP_GET || e->op == IR_MAP_HAS)
		note(ctx, e->map, (struct use){ 0 });
	else if (e->op == IR_STAT_GET || e->op == IR_STAT_TEXT)
		note(ctx, e->map, (struct use){ .takes_all = true });
}

static void note_stmt(void *ctx, const struct ir_stmt *s)
{
	if (s->op == IR_S_STAT_ADD)
		note(ctx, s->map, (struct use){ .adds = true });
	else if (s->op == IR_S_MAP_SET)
		note(ctx, s->map, (struct use){ .sets = true });
	else if (s->op == IR_S_MAP_DEL || s->op == IR_S_MAP_CLEAR)
		note(ctx, s->map, (struct use){ .deletes = true, .takes_all = s->op == IR_S_MAP_CLEAR });
	else if (s->op == IR_S_FOREACH || s->op == IR_S_STAT_PRINT)
		note(ctx, s->map, (struct use){ .takes_all = true });
}

static bool ends_in_long_text(const struct ir_map *map)
{
	const struct ir_key *last = map->n_keys ? &map->keys[map->n_keys - 1] : NULL;

	return last && last->type == IR_STR && last->size >= 2 * sp_short_text(last->size);
}

// Elsewhere interrupts may be off, where the kernel gives out only what it has set aside: four elements, when they are large. Since Linux
// 6.1 it does so without taking locks; that 6.6 is asked for is what the target can tell.
static bool are_at_uprobes(const struct plan *plan)
{
	const struct ir_unit *unit = plan->unit;

	for (size_t i = 0; i < unit->progs.n; i++)
		if (plan->progs[i].in_kernel && !plan_sleep_at_uprobes(unit, &unit->progs.v[i]))
			return false;
	return target_has(&unit->target, SP_FEATURE_UPROBE_MULTI);
}

static void decide(struct plan *plan, const struct users *users, uint32_t index)
{
	const struct ir_map *map = &plan->unit->maps.v[index];
	const struct use *use = &users->uses[index], *from_user = &users->from_user[index], *from_kernel = &users->from_kernel[index];
	struct plan_map *p = &plan->maps[index];
	bool is_changed = from_user->adds || from_user->sets || from_user->deletes;

	p->is_deleted_from = use->deletes;
	p->is_apart = map->kind == SP_MAP_STAT && use->in_kernel && from_user->adds;
	p->is_ordered_for_user = map->wraps && use->in_kernel && is_changed;
	// An element that user space sets moves: bpf(2) puts a new one in its place, and a pointer to the old one is stale.
	p->is_lasting = map->kind != SP_MAP_STAT && map->value_type == IR_LONG && map->n_keys && !map->wraps && !map->forgets &&
			!use->deletes && !from_user->sets && !from_user->adds;
	p->is_split = use->in_kernel && ends_in_long_text(map) && !map->wraps && !map->forgets && !from_kernel->takes_all &&
		      !(p->is_apart && from_kernel->deletes) && // who would need the key's zeros up to its end
		      target_has(&plan->unit->target, SP_FEATURE_ATOMICS); // that fetch: its elements are counted
	p->is_filled_late = use->in_kernel && map->kind != SP_MAP_STAT && !map->wraps && !map->forgets &&
			    (uint64_t)map->max_entries * map->key_size >= LATE_SIZE && are_at_uprobes(plan);
	if (p->is_filled_late)
		plan->features |= 1ull << SP_FEATURE_UPROBE_MULTI;
	if (p->is_ordered_for_user)
		plan->order_size = SP_MAX(plan->order_size,
					  (uint32_t)sizeof(struct sp_order) + map->key_size + map->value_size);
}

void plan_map(struct plan *plan)
{
	const struct ir_unit *unit = plan->unit;
	struct use *uses = sp_calloc(unit->maps.n + 1, 3 * sizeof(*uses));
	struct users users = { .uses = uses, .from_user = uses + unit->maps.n, .from_kernel = uses + 2 * unit->maps.n };
	struct ir_visitor visitor = { .ctx = &users, .expr = note_expr, .stmt = note_stmt };

	for (size_t i = 0; i < unit->funcs.n; i++) {
		users.here = (struct use){ .in_kernel = plan->funcs[i].in_kernel, .in_user = plan->funcs[i].in_user };
		ir_walk_stmts(unit->funcs.v[i].body, &visitor);
	}
	for (size_t i = 0; i < unit->progs.n; i++) {
		users.here = (struct use){ .in_kernel = plan->progs[i].in_kernel, .in_user = plan->progs[i].in_user };
		ir_walk_stmts(unit->progs.v[i].body, &visitor);
	}
	for (uint32_t i = 0; i < unit->maps.n; i++)
		decide(plan, &users, i);
	free(uses);
}
