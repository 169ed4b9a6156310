// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/fit.h"

#include "compiler/ir/fit_cut.h"
#include "compiler/ir/fit_embed.h"
#include "compiler/ir/fit_home.h"
#include "compiler/ir/fit_kernel.h"
#include "compiler/ir/fit_loop.h"
#include "compiler/ir/fit_map.h"
#include "compiler/ir/fit_regex.h"

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

	if (s->op != IR_S_FOREACH || !s->foreach.sort_dir || fit_sorts_variance(s))
		return;
	map = &unit->maps.v[s->index];
	rows = map->max_entries;
	if (s->foreach.limit && s->foreach.limit->op == IR_CONST)
		rows = SP_MAX(SP_MIN(rows, s->foreach.limit->imm), 1);
	s->rows = rows <= fit_walk_most(map) ? (uint32_t)rows : 0;
}

void ir_fit(struct ir_unit *unit, struct source_map *sources, struct diag_ctx *dc)
{
	struct fit_env env = { unit, sources, dc };
	struct fit_calls calls;
	struct ir_visitor rows = { .ctx = unit, .stmt = choose_rows };

	fit_embed(&env);
	fit_regex(&env);
	fit_calls_init(&calls, unit);
	spread_site(unit);
	fit_map(unit);
	fit_loop(unit, &calls);
	fit_calls_fail(&calls, unit);
	fit_cut(&env, &calls);
	sp_vec_each(func, &unit->funcs)
		ir_walk_stmts(func->body, &rows);
	sp_vec_each(prog, &unit->progs)
		ir_walk_stmts(prog->body, &rows);
	fit_home(unit, &calls);
	fit_kernel(&env);
	lay_out(unit);
	fit_calls_deinit(&calls);
}

void ir_fit_lean(struct ir_unit *unit)
{
	struct fit_calls calls;

	fit_calls_init(&calls, unit);
	fit_home(unit, &calls);
	fit_calls_deinit(&calls);
}
