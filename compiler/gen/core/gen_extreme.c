// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_extreme.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/value/gen_expr.h"

#define MOST_IN_PLACE 64 // rounds: the verifier follows each

// i1: is the value to be stored?
static LLVMValueRef beats(struct gen *g, const struct plan_extreme *x, LLVMValueRef value, LLVMValueRef now)
{
	LLVMIntPredicate predicate = x->op == IR_GT ? LLVMIntSGT : x->op == IR_GE ? LLVMIntSGE : x->op == IR_LT ? LLVMIntSLT : LLVMIntSLE;

	return x->most_first ? LLVMBuildICmp(g->b, predicate, now, value, "") : LLVMBuildICmp(g->b, predicate, value, now, "");
}

static LLVMValueRef swap(struct gen *g, LLVMValueRef place, LLVMValueRef now, LLVMValueRef value)
{
	LLVMValueRef pair = LLVMBuildAtomicCmpXchg(g->b, place, now, value, LLVMAtomicOrderingSequentiallyConsistent,
						   LLVMAtomicOrderingSequentiallyConsistent, false);

	return LLVMBuildICmp(g->b, LLVMIntEQ, LLVMBuildExtractValue(g->b, pair, 0, ""), now, "");
}

// live: the global; the value; where it is put down that it is decided.
static LLVMValueRef once_more(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	LLVMBasicBlockRef better = gen_block(g), decided = gen_block(g), done = gen_block(g);
	LLVMValueRef now = gen_load_volatile(g, live[0]);

	(void)index;
	gen_branch(g, beats(g, arg, live[1], now), better, decided);
	gen_enter(g, better);
	gen_branch(g, swap(g, live[0], now, live[1]), decided, done);
	gen_enter(g, decided);
	gen_store(g, gen_i64(g, 1), live[2]);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_is_zero(g, gen_load(g, live[2]));
}

// Another handler has stored its own value between.
static void try_again(struct gen *g, const struct plan_extreme *x, LLVMValueRef place, LLVMValueRef value)
{
	static const char *const names[][2] = {
		{ "extreme_gt", "extreme_of_gt" }, { "extreme_ge", "extreme_of_ge" }, { "extreme_lt", "extreme_of_lt" },
		{ "extreme_le", "extreme_of_le" },
	};
	LLVMBasicBlockRef busy = gen_block(g), done = gen_block(g);
	LLVMValueRef decided = gen_temp(g, 8);
	struct gen_repeat rounds = {
		.name = names[x->op == IR_GT ? 0 : x->op == IR_GE ? 1 : x->op == IR_LT ? 2 : 3][x->most_first],
		.trips = SP_MAX(g->unit->max_trylock, 1u), .live = { place, value, decided }, .n_live = 3, .arg = x, .body = once_more,
	};

	if (g->engine->has_verifier && !g->engine->has(g, SP_FEATURE_BPF_LOOP))
		rounds.trips = SP_MIN(rounds.trips, (uint32_t)MOST_IN_PLACE);
	gen_store(g, gen_i64(g, 0), decided);
	gen_repeat(g, &rounds);
	gen_branch(g, gen_is_zero(g, gen_load(g, decided)), busy, done);
	gen_enter(g, busy);
	gen_fail_lost(g, SP_LOSS_BUSY);
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_extreme(struct gen *g, const struct plan_extreme *x)
{
	LLVMBasicBlockRef better = gen_block(g), again = gen_block(g), done = gen_block(g);
	uint32_t mark = gen_mark(g);
	LLVMValueRef value = gen_long(g, x->value), place, now;

	if (x->most->op == IR_GLOBAL)
		place = gen_data(g, g->plan->globals[x->most->global]);
	else
		place = g->engine->map->place(g, x, value, x->or_absent ? NULL : beats(g, x, value, gen_i64(g, 0)), done);
	now = gen_load_volatile(g, place);
	gen_branch(g, beats(g, x, value, now), better, done);
	gen_enter(g, better);
	gen_branch(g, swap(g, place, now, value), done, again);
	gen_enter(g, again);
	try_again(g, x, place, value);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_release(g, mark);
}
