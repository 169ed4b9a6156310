// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_stmt.h"

#include "compiler/gen/kernel/gen_callback.h"
#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/kernel/gen_coroutine.h"
#include "compiler/gen/map/gen_map.h"
#include "compiler/gen/text/gen_print.h"
#include "compiler/gen/map/gen_stat.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/map/gen_walk.h"

// ---- loops --------------------------------------------------------------------------------------

// One iteration: the body, then the step, then `next`.
static void iteration(struct gen *g, const struct ir_stmt *s, LLVMBasicBlockRef done,
		      LLVMBasicBlockRef next)
{
	LLVMBasicBlockRef outer_break = g->frame->on_break, outer_continue = g->frame->on_continue;
	LLVMBasicBlockRef step = gen_block(g);

	g->frame->on_break = done;
	g->frame->on_continue = step;
	gen_stmts(g, s->then);
	g->frame->on_break = outer_break;
	g->frame->on_continue = outer_continue;
	gen_goto(g, step);
	gen_enter(g, step);
	gen_stmts(g, s->step);
	gen_goto(g, next);
}

static void unrolled(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef done = gen_block(g);

	for (uint32_t i = 0; i < gen_plan_code(g, s)->trips; i++) {
		LLVMBasicBlockRef next = gen_block(g);

		iteration(g, s, done, next);
		gen_enter(g, next);
	}
	gen_goto(g, done);
	gen_enter(g, done);
}

static void plain_loop(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef head = gen_block(g), body = gen_block(g), done = gen_block(g);

	gen_goto(g, head);
	gen_enter(g, head);
	gen_condition(g, s->a, body, done);
	gen_enter(g, body);
	gen_fail_mark(g, s->place);
	if (gen_plan_code(g, s)->form != PLAN_LOOP_UNROLL)
		gen_fail_spend(g, s->place);
	iteration(g, s, done, head);
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
	iteration(g, s, done, latch);
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
	iteration(g, s, cb.stop, cb.next);
	gen_enter(g, gen_block(g));
	gen_callback_end(g, &cb);
	// One more than are allowed: the last one fails.
	gen_call(g, GEN_LOOP, 4, gen_i64(g, trips ? most : most + 1), cb.fn, cb.closure, gen_i64(g, 0));
	gen_callback_exits(g, &cb);
}

// Each round begins at a point of the coroutine: bpf_loop is what goes round.
static void paused_loop(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef body = gen_block(g), done = gen_block(g), again = gen_coroutine_point(g);

	gen_condition(g, s->a, body, done);
	gen_enter(g, body);
	gen_fail_spend(g, s->place);
	iteration(g, s, done, again);
	gen_enter(g, done);
}

static void loop(struct gen *g, const struct ir_stmt *s)
{
	enum plan_loop_form form;

	if (g->engine == GEN_USER) {
		plain_loop(g, s);
		return;
	}
	form = gen_plan_code(g, s)->form;
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

// ---- others -------------------------------------------------------------------------------------

static void branch(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef then = gen_block(g), otherwise = gen_block(g), done = gen_block(g);

	gen_condition(g, s->a, then, otherwise);
	gen_enter(g, then);
	gen_stmts(g, s->then);
	gen_goto(g, done);
	gen_enter(g, otherwise);
	gen_stmts(g, s->otherwise);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void try(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef done = gen_block(g);
	struct gen_catch catch = { .block = gen_block(g), .is_try = true };
	const struct gen_catch *outer = g->frame->catch;
	size_t first_iter = g->fn->iters.n, open = g->fn->open.n;

	if (s->message >= 0)
		catch.message = (struct gen_str){ g->frame->locals[s->message],
						  g->frame->local_caps[s->message] };
	g->frame->catch = &catch;
	gen_stmts(g, s->then);
	g->frame->catch = outer;
	g->fn->open.n = open;
	gen_goto(g, done);
	gen_enter(g, catch.block);
	gen_fn_iters_drop(g, first_iter);
	gen_stmts(g, s->otherwise);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void set_local(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef local = g->frame->locals[s->index];

	if (s->a->type == IR_STR)
		gen_str_into(g, s->a, (struct gen_str){ local, g->frame->local_caps[s->index] },
			     true);
	else
		gen_store(g, gen_long(g, s->a), local);
}

static void set_global(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_global *global = &g->unit->globals.v[s->index];

	if (global->type == IR_STR)
		gen_str_into(g, s->a, (struct gen_str){ gen_data(g, g->plan->globals[s->index]), global->cap },
			     true);
	else
		gen_store(g, gen_long(g, s->a), gen_data(g, g->plan->globals[s->index]));
}

static void store(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef addr = gen_long(g, s->a), value = gen_long(g, s->b), buffer = gen_temp(g, 8),
		     result;

	if (s->space != IR_SPACE_USER) {
		gen_bug(g, "a store to kernel memory");
		return;
	}
	gen_store(g, gen_i64(g, 0), buffer);
	gen_store_sized(g, value, buffer, s->size);
	result = gen_call(g, GEN_PROBE_WRITE_USER, 3, addr, buffer, gen_i64(g, s->size));
	gen_fail_if(g, LLVMBuildNot(g->b, gen_is_zero(g, result), ""), SP_RT_WRITE_FAULT, s->place,
		    addr);
}

static void jump(struct gen *g, LLVMBasicBlockRef target)
{
	if (target)
		gen_leave(g, target);
	else
		gen_bug(g, "break or continue outside of a loop");
}

static void stmt(struct gen *g, const struct ir_stmt *s)
{
	switch (s->op) {
	case IR_S_SET:
		set_local(g, s);
		break;
	case IR_S_GSET:
		set_global(g, s);
		break;
	case IR_S_MAP_SET:
		gen_map_set(g, s);
		break;
	case IR_S_MAP_DEL:
		gen_map_delete(g, s);
		break;
	case IR_S_MAP_CLEAR:
		gen_walk_clear(g, s);
		break;
	case IR_S_STAT_ADD:
		gen_stat_add(g, s);
		break;
	case IR_S_STAT_PRINT:
		gen_stat_print(g, s);
		break;
	case IR_S_STORE:
		store(g, s);
		break;
	case IR_S_EMIT:
		gen_print_emit(g, s);
		break;
	case IR_S_EVAL:
		gen_effect(g, s->a);
		break;
	case IR_S_IF:
		branch(g, s);
		break;
	case IR_S_LOOP:
		loop(g, s);
		break;
	case IR_S_FOREACH:
		gen_walk_foreach(g, s);
		break;
	case IR_S_BREAK:
		jump(g, g->frame->on_break);
		break;
	case IR_S_CONTINUE:
		jump(g, g->frame->on_continue);
		break;
	case IR_S_RETURN:
		if (s->is_loss)
			gen_fail_count(g, SP_LOSS_UNKEPT);
		gen_fn_return(g, s->a);
		break;
	case IR_S_FAIL:
		gen_fail_message(g, s->a, s->place);
		break;
	case IR_S_EXIT:
		gen_fail_exit(g);
		break;
	case IR_S_ABORT:
		gen_fail_abort(g);
		break;
	case IR_S_TRY:
		try(g, s);
		break;
	}
}

static void marked_stmt(struct gen *g, const struct ir_stmt *s)
{
	uint32_t mark = gen_mark(g);

	gen_debug_place(g->debug, s->place);
	stmt(g, s);
	gen_release(g, mark);
}

// Returns the statement behind them.
static const struct ir_stmt *outlined(struct gen *g, const struct ir_stmt *s)
{
	uint32_t n = gen_plan_code(g, s)->outlined, mark = gen_mark(g);
	struct gen_callback cb;

	gen_callback_begin(g, &cb, "outlined", 1, s->place);
	for (; n; n--, s = s->next)
		marked_stmt(g, s);
	gen_callback_end(g, &cb);
	gen_callback_call(g, &cb);
	gen_callback_exits(g, &cb);
	gen_release(g, mark);
	return s;
}

void gen_stmts(struct gen *g, const struct ir_stmt *s)
{
	while (s) {
		uint32_t n = gen_plan_code(g, s)->outlined;

		if (n && !gen_coroutine_pauses(g, s, n)) {
			s = outlined(g, s);
			continue;
		}
		marked_stmt(g, s);
		s = s->next;
	}
}

// ---- first use ----------------------------------------------------------------------------------

static bool stmts_mention(const struct ir_stmt *s, uint32_t local);

static bool mentions(const struct ir_expr *e, uint32_t local)
{
	if (!e)
		return false;
	if (e->op == IR_LOCAL && e->index == local)
		return true;
	for (unsigned i = 0; i < e->n_args; i++)
		if (mentions(e->args[i], local))
			return true;
	return mentions(e->a, local) || mentions(e->b, local) || mentions(e->c, local) ||
	       stmts_mention(e->stmts, local);
}

static bool stmt_mentions(const struct ir_stmt *s, uint32_t local)
{
	if (s->op == IR_S_SET && s->index == local)
		return true;
	if (s->op == IR_S_TRY && s->message == (int32_t)local)
		return true;
	if (s->op == IR_S_FOREACH) // its variables are anybody's guess from here
		return true;
	for (unsigned i = 0; i < s->n_args; i++)
		if (mentions(s->args[i], local))
			return true;
	return mentions(s->a, local) || mentions(s->b, local) || stmts_mention(s->then, local) ||
	       stmts_mention(s->otherwise, local) || stmts_mention(s->step, local);
}

static bool stmts_mention(const struct ir_stmt *s, uint32_t local)
{
	for (; s; s = s->next)
		if (stmt_mentions(s, local))
			return true;
	return false;
}

bool gen_stmts_sets_first(const struct ir_stmt *body, uint32_t local)
{
	for (const struct ir_stmt *s = body; s; s = s->next) {
		if (s->op == IR_S_SET && s->index == local)
			return !mentions(s->a, local);
		if (stmt_mentions(s, local))
			return false;
	}
	return true;
}
