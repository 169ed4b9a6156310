// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_loop.h"

#include "compiler/gen/core/gen_callback.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/kernel/gen_coroutine.h"
#include "compiler/gen/value/gen_expr.h"

static void unrolled(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef done = gen_block(g);

	for (uint32_t i = 0; i < gen_plan_code(g, s)->trips; i++) {
		LLVMBasicBlockRef next = gen_block(g);

		gen_stmts_round(g, s, done, next);
		gen_enter(g, next);
	}
	gen_goto(g, done);
	gen_enter(g, done);
}

// A count of our own is what the verifier sees the end by. It is looked at where the loop goes back, because kernels
// before 6.6 want a conditional jump there and LLVM may put the loop's other test elsewhere.
static void bounded(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef head = gen_block(g), latch = gen_block(g), done = gen_block(g), body, over;
	LLVMValueRef count = gen_variable(g), next, more;
	uint32_t trips = gen_plan_code(g, s)->trips;

	gen_store(g, gen_i64(g, 0), count);
	gen_goto(g, head);
	gen_enter(g, head);
	if (!trips) {
		body = gen_block(g);
		gen_condition(g, s->a, body, done);
		gen_enter(g, body);
	}
	gen_fail_spend(g, s->place);
	gen_stmts_round(g, s, done, latch);
	gen_enter(g, latch);
	next = gen_keep(g, LLVMBuildAdd(g->b, gen_load(g, count), gen_i64(g, 1), ""));
	gen_store(g, next, count);
	if (trips) {
		more = LLVMBuildICmp(g->b, LLVMIntULT, next, gen_i64(g, trips), "");
		gen_branch(g, more, head, done);
	} else {
		// Is never reached: MAXACTION has failed before.
		more = LLVMBuildICmp(g->b, LLVMIntULE, next,
				     gen_i64(g, gen_fail_max_action(g->unit)), "");
		over = gen_block(g);
		gen_branch(g, more, head, over);
		gen_enter(g, over);
		gen_fail(g, SP_RT_MAXACTION, s->place, NULL);
		gen_goto(g, done);
	}
	gen_enter(g, done);
}

static void called_back(struct gen *g, const struct ir_stmt *s)
{
	uint32_t trips = gen_plan_code(g, s)->trips, most = trips ? trips : gen_fail_max_action(g->unit);
	struct gen_callback cb;
	LLVMBasicBlockRef body;

	gen_callback_begin(g, &cb, "loop", 2, s->place);
	if (!trips) {
		body = gen_block(g);
		gen_condition(g, s->a, body, cb.stop);
		gen_enter(g, body);
	}
	gen_fail_spend(g, s->place);
	gen_stmts_round(g, s, cb.stop, cb.next);
	gen_enter(g, gen_block(g));
	gen_callback_end(g, &cb);
	// One more than are allowed: the last one fails.
	gen_callback_loop(g, &cb, gen_i64(g, trips ? most : most + 1));
}

// Each round begins at a point of the coroutine: bpf_loop is what goes round.
static void paused_loop(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef body = gen_block(g), done = gen_block(g), again = gen_coroutine_point(g);

	gen_condition(g, s->a, body, done);
	gen_enter(g, body);
	gen_fail_spend(g, s->place);
	gen_stmts_round(g, s, done, again);
	gen_enter(g, done);
}

void gen_kernel_loop(struct gen *g, const struct ir_stmt *s)
{
	enum plan_loop_form form = gen_plan_code(g, s)->form;

	if (form != PLAN_LOOP_UNROLL && gen_coroutine_pauses(g, s, 1)) {
		paused_loop(g, s);
		return;
	}
	switch (form) {
	case PLAN_LOOP_UNROLL:
		unrolled(g, s);
		break;
	case PLAN_LOOP_NONE:
	case PLAN_LOOP_BOUNDED:
		bounded(g, s);
		break;
	case PLAN_LOOP_CALL:
		called_back(g, s);
		break;
	}
}
