// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan.h"

#include "compiler/plan/plan_cut.h"
#include "compiler/plan/plan_embed.h"
#include "compiler/plan/plan_home.h"
#include "compiler/plan/plan_kernel.h"
#include "compiler/plan/plan_loop.h"
#include "compiler/plan/plan_map.h"
#include "compiler/plan/plan_regex.h"

// spile_data: the control block, the programs' counters, then the scalars.
static void lay_out(struct ir_unit *unit)
{
	uint32_t offset = sizeof(struct sp_control);

	unit->losses_offset = offset;
	offset += (uint32_t)(SP_LOSS_COUNT * unit->progs.n * sizeof(uint64_t));
	sp_vec_each(g, &unit->globals) {
		g->offset = offset;
		offset += g->type == IR_STR ? g->cap : 8;
	}
	unit->tokens_offset = offset;
	offset += unit->tokens_size;
	unit->order_offset = unit->order_size ? offset : 0;
	unit->data_size = offset + unit->order_size;
}

static void find_site(void *ctx, struct ir_expr *e)
{
	bool *found = ctx;

	*found |= e->op == IR_SITE;
}

// A function that asks for its site makes all programs with several sites find theirs.
static void spread_site(struct ir_unit *unit)
{
	bool found = false;
	struct ir_visitor visitor = { .ctx = &found, .expr = find_site };

	sp_vec_each(func, &unit->funcs)
		ir_walk_stmts(func->body, &visitor);
	sp_vec_each(prog, &unit->progs)
		prog->reads_site |= found;
}

// How many elements a sorted walk has to keep apart; 0: too many, or an order that only user space has.
static void choose_rows(void *ctx, struct ir_stmt *s)
{
	const struct ir_unit *unit = ctx;
	const struct ir_map *map;
	int64_t rows;

	if (s->op != IR_S_FOREACH || !s->foreach.sort_dir || plan_sorts_variance(s))
		return;
	map = &unit->maps.v[s->index];
	rows = map->max_entries;
	if (s->foreach.limit && s->foreach.limit->op == IR_CONST)
		rows = SP_MAX(SP_MIN(rows, s->foreach.limit->imm), 1);
	s->rows = rows <= plan_walk_most(map) ? (uint32_t)rows : 0;
}

void plan_make(struct ir_unit *unit, struct source_map *sources, struct diag_ctx *dc)
{
	struct plan_env env = { unit, sources, dc };
	struct plan_calls calls;
	struct ir_visitor rows = { .ctx = unit, .stmt = choose_rows };

	plan_embed(&env);
	plan_regex(&env);
	plan_calls_init(&calls, unit);
	spread_site(unit);
	plan_map(unit);
	plan_loop(unit, &calls);
	plan_calls_fail(&calls, unit);
	plan_cut(&env, &calls);
	sp_vec_each(func, &unit->funcs)
		ir_walk_stmts(func->body, &rows);
	sp_vec_each(prog, &unit->progs)
		ir_walk_stmts(prog->body, &rows);
	plan_home(unit, &calls);
	plan_kernel(&env);
	lay_out(unit);
	plan_calls_deinit(&calls);
}

void plan_lean(struct ir_unit *unit)
{
	struct plan_calls calls;

	plan_calls_init(&calls, unit);
	plan_home(unit, &calls);
	plan_calls_deinit(&calls);
}
