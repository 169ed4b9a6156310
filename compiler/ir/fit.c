// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/fit.h"

#include "compiler/ir/fit_home.h"
#include "compiler/ir/fit_kernel.h"
#include "compiler/ir/fit_loop.h"

// spile_data: the control block, two counters a program, then the scalars.
static void lay_out(struct ir_unit *unit)
{
	uint32_t offset = sizeof(struct sp_control),
		 counters = (uint32_t)(unit->progs.n * sizeof(uint64_t));

	unit->drops_offset = offset;
	unit->skips_offset = offset + counters;
	offset += 2 * counters;
	sp_vec_each(g, &unit->globals) {
		g->offset = offset;
		offset += g->type == IR_STR ? g->cap : 8;
	}
	unit->data_size = offset;
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

void ir_fit(struct ir_unit *unit, struct source_map *sources, struct diag_ctx *dc)
{
	struct fit_env env = { unit, sources, dc };
	struct fit_calls calls;

	fit_calls_init(&calls, unit);
	spread_site(unit);
	sp_vec_each(func, &unit->funcs)
		fit_loop(unit, func->body);
	sp_vec_each(prog, &unit->progs)
		fit_loop(unit, prog->body);
	fit_home(unit, &calls);
	fit_kernel(&env);
	lay_out(unit);
	fit_calls_deinit(&calls);
}
