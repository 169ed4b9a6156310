// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_stmt.h"

#include "compiler/gen/core/gen_callback.h"
#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_extreme.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_lock.h"
#include "compiler/gen/text/gen_print.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/value/gen_expr.h"

void gen_stmts_round(struct gen *g, const struct ir_stmt *s, LLVMBasicBlockRef done, LLVMBasicBlockRef next)
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

static void branch(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef then, otherwise, done;
	bool asks = gen_plan_code(g, s)->asks;

	if (gen_plan_code(g, s)->extreme) {
		gen_extreme(g, gen_plan_code(g, s)->extreme);
		return;
	}
	then = gen_block(g);
	otherwise = gen_block(g);
	done = gen_block(g);
	if (asks)
		gen_lock_take(g);
	gen_condition(g, s->a, then, otherwise);
	gen_enter(g, then);
	if (asks)
		gen_lock_release(g);
	gen_stmts(g, s->then);
	gen_goto(g, done);
	gen_enter(g, otherwise);
	if (asks)
		gen_lock_release(g);
	gen_stmts(g, s->otherwise);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void try(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef done = gen_block(g);
	struct gen_catch catch = { .block = gen_block(g), .is_try = true };
	const struct gen_catch *outer = g->frame->catch;

	if (s->message != IR_NO_LOCAL)
		catch.message = (struct gen_str){ g->frame->locals[s->message],
						  g->frame->local_caps[s->message] };
	g->frame->catch = &catch;
	if (g->engine->flow.try_begin)
		g->engine->flow.try_begin(g);
	gen_stmts(g, s->then);
	g->frame->catch = outer;
	gen_goto(g, done);
	gen_enter(g, catch.block);
	if (g->engine->flow.try_caught)
		g->engine->flow.try_caught(g);
	if (gen_plan_code(g, s)->lets_go)
		gen_lock_release(g);
	gen_stmts(g, s->otherwise);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void set_local(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef local = g->frame->locals[s->local];

	if (s->a->type == IR_STR)
		gen_str_into(g, s->a, (struct gen_str){ local, g->frame->local_caps[s->local] },
			     true);
	else
		gen_store(g, gen_long(g, s->a), local);
}

static void set_global(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_global *global = &g->unit->globals.v[s->global];

	if (global->type == IR_STR)
		gen_str_into(g, s->a, (struct gen_str){ gen_data(g, g->plan->globals[s->global]), global->cap },
			     true);
	else
		gen_store(g, gen_long(g, s->a), gen_data(g, g->plan->globals[s->global]));
}

#define MAX_ERRNO 4095

static void set_result(struct gen *g, const struct ir_stmt *s)
{
	enum sp_prog_kind kind = g->fn->prog->kind;
	LLVMValueRef value = gen_long(g, s->b);

	if (kind == SP_PROG_REGS) {
		gen_call(g, GEN_OVERRIDE_RETURN, 2, g->fn->ctx, value);
		return;
	}
	if (!g->fn->result) {
		gen_bug(g, "a result of a program that has none");
		return;
	}
	if (kind == SP_PROG_NETFILTER) {
		gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntUGT, value, gen_i64(g, 1), ""), SP_RT_VERDICT, s->place, NULL);
	} else if (kind == SP_PROG_REPLACE) {
		gen_fail_if(g, gen_is_zero(g, value), SP_RT_ZERO, s->place, NULL);
	} else {
		gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntSGT, value, gen_i64(g, 0), ""), SP_RT_RESULT, s->place, NULL);
		gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntSLT, value, gen_i64(g, (uint64_t)-MAX_ERRNO), ""), SP_RT_RESULT, s->place, NULL);
	}
	gen_store(g, value, g->fn->result);
}

static void store(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef addr = gen_long(g, s->a), value = gen_long(g, s->b), buffer = gen_temp(g, 8),
		     result;

	if (s->space == IR_SPACE_REGISTERS) {
		gen_store(g, value, LLVMBuildIntToPtr(g->b, addr, g->ptr, ""));
		return;
	}
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

static void jump(struct gen *g, const struct ir_stmt *s, LLVMBasicBlockRef target)
{
	if (gen_plan_code(g, s)->unlocks)
		gen_lock_release(g);
	if (target)
		gen_leave(g, target);
	else
		gen_bug(g, "break or continue outside of a loop");
}

static void give_back(struct gen *g, const struct ir_stmt *s)
{
	if (s->is_loss)
		gen_fail_count(g, s->loss);
	gen_fn_return(g, s->a);
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
		g->engine->map->set(g, s);
		break;
	case IR_S_MAP_DEL:
		g->engine->map->delete(g, s);
		break;
	case IR_S_MAP_CLEAR:
		g->engine->map->clear(g, s);
		break;
	case IR_S_STAT_ADD:
		g->engine->map->stat_add(g, s);
		break;
	case IR_S_STAT_PRINT:
		g->engine->map->stat_print(g, s);
		break;
	case IR_S_STORE:
		(s->space == IR_SPACE_RESULT ? set_result : store)(g, s);
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
		g->engine->flow.loop(g, s);
		break;
	case IR_S_FOREACH:
		g->engine->map->foreach(g, s);
		break;
	case IR_S_BREAK: case IR_S_CONTINUE:
		jump(g, s, s->op == IR_S_BREAK ? g->frame->on_break : g->frame->on_continue);
		break;
	case IR_S_RETURN:
		give_back(g, s);
		break;
	case IR_S_FAIL:
		gen_fail_message(g, s->a, s->place);
		break;
	case IR_S_EXIT: case IR_S_ABORT:
		(s->op == IR_S_EXIT ? gen_fail_exit : gen_fail_abort)(g);
		break;
	case IR_S_TRY:
		try(g, s);
		break;
	}
}

static void marked_stmt(struct gen *g, const struct ir_stmt *s)
{
	bool jumps = s->op == IR_S_BREAK || s->op == IR_S_CONTINUE;
	uint32_t mark = gen_mark(g);

	gen_debug_place(g->debug, s->place);
	if (gen_plan_code(g, s)->locks)
		gen_lock_take(g);
	stmt(g, s);
	if (gen_plan_code(g, s)->unlocks && !jumps)
		gen_lock_release(g);
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

		if (n && !(g->engine->flow.pauses && g->engine->flow.pauses(g, s, n))) {
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
	if (e->op == IR_LOCAL && e->local == local)
		return true;
	for (unsigned i = 0; i < e->n_args; i++)
		if (mentions(e->args[i], local))
			return true;
	return mentions(e->a, local) || mentions(e->b, local) || mentions(e->c, local) ||
	       stmts_mention(e->stmts, local);
}

static bool stmt_mentions(const struct ir_stmt *s, uint32_t local)
{
	if (s->op == IR_S_SET && s->local == local)
		return true;
	if (s->op == IR_S_TRY && s->message == local)
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
		if (s->op == IR_S_SET && s->local == local)
			return !mentions(s->a, local);
		if (stmt_mentions(s, local))
			return false;
	}
	return true;
}
