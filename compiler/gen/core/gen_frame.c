// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_frame.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_expr.h"

// ---- any activation -----------------------------------------------------------------------------

void gen_frame_allocate(struct gen *g, struct gen_frame *f, size_t n_locals)
{
	f->locals = sp_arena_array(g->arena, LLVMValueRef, n_locals + 1);
	f->local_caps = sp_arena_array(g->arena, uint32_t, n_locals + 1);
}

LLVMValueRef gen_frame_variable(struct gen *g, struct plan_slot slot)
{
	LLVMValueRef place = gen_slot(g, slot);

	return place ? place : gen_variable(g);
}

void gen_frame_open(struct gen *g, struct gen_frame *f, const struct ir_local *locals, size_t n, unsigned n_params,
		    const struct ir_stmt *body)
{
	const struct plan_frame *plan = f->plan;

	g->frame = f;
	if (plan->stack_size)
		f->stack = gen_temp(g, plan->stack_size);
	g->fn->slots_size = SP_MAX(g->fn->slots_size, f->scratch + plan->scratch_size);
	for (size_t i = n_params; i < n; i++) {
		if (locals[i].type != IR_STR) {
			f->locals[i] = gen_frame_variable(g, plan->locals[i]);
			gen_store(g, gen_i64(g, 0), f->locals[i]);
			continue;
		}
		f->local_caps[i] = locals[i].cap;
		f->locals[i] = gen_slot(g, plan->locals[i]);
		if (!f->locals[i])
			f->locals[i] = gen_temp(g, locals[i].cap);
		if (!gen_stmts_sets_first(body, (uint32_t)i))
			gen_words_zero(g, f->locals[i], locals[i].cap);
	}
}

static bool ends_with_return(const struct ir_stmt *s)
{
	while (s && s->next)
		s = s->next;
	return s && s->op == IR_S_RETURN;
}

// What is returned without a RETURN.
static void set_result(struct gen *g, struct gen_frame *f)
{
	if (f->func->type == IR_LONG)
		gen_store(g, gen_i64(g, 0), f->result);
	else if (f->func->type == IR_STR && f->result && !ends_with_return(f->func->body))
		gen_words_zero(g, f->result, f->result_cap);
}

// ---- of called functions ------------------------------------------------------------------------

struct gen_frame_args gen_frame_args(struct gen *g, const struct ir_expr *call)
{
	const struct ir_func *func = &g->unit->funcs.v[call->func];
	struct gen_frame_args args = { .strings = sp_arena_array(g->arena, struct gen_str, func->n_params + 1),
				       .values = sp_arena_array(g->arena, LLVMValueRef, func->n_params + 1) };

	for (unsigned i = 0; i < func->n_params; i++) {
		if (func->locals.v[i].type == IR_STR)
			args.strings[i] = gen_str_address(g, call->args[i]);
		else
			args.values[i] = gen_long(g, call->args[i]);
	}
	return args;
}

LLVMValueRef gen_frame_nest(struct gen *g, uint32_t place)
{
	uint32_t levels = 1, most = g->plan->max_nesting;
	LLVMValueRef depth;

	for (const struct gen_frame *f = g->frame; f->caller; f = f->caller)
		levels++;
	if (!g->fn->is_callee) {
		if (levels > most)
			gen_fail(g, SP_RT_NESTING, place, NULL);
		return gen_i64(g, levels);
	}
	depth = gen_load(g, gen_at(g, g->fn->state, offsetof(struct plan_state, depth)));
	depth = LLVMBuildAdd(g->b, depth, gen_i64(g, levels), "");
	gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntUGT, depth, gen_i64(g, most), ""), SP_RT_NESTING, place, NULL);
	return depth;
}

void gen_frame_pass(struct gen *g, const struct ir_func *func, const struct gen_frame_args *args, LLVMValueRef frame)
{
	uint32_t at = plan_frame_value(func->type, func->cap);

	for (unsigned i = 0; i < func->n_params; i++) {
		const struct ir_local *param = &func->locals.v[i];
		struct gen_str place = { gen_at(g, frame, at), param->cap };

		if (param->type == IR_STR)
			gen_str_copy(g, place, args->strings[i], true);
		else
			gen_store(g, args->values[i], place.ptr);
		at += plan_frame_value(param->type, param->cap);
	}
}

LLVMValueRef gen_frame_take(struct gen *g, const struct ir_func *func, LLVMValueRef frame, const struct gen_str *result)
{
	if (func->type == IR_STR && result)
		gen_str_copy(g, *result, (struct gen_str){ frame, func->cap }, true);
	return func->type == IR_LONG ? gen_load(g, frame) : gen_i64(g, 0);
}

void gen_frame_enter(struct gen *g, struct gen_frame *f, LLVMValueRef frame)
{
	const struct ir_func *func = f->func;
	uint32_t at = plan_frame_value(func->type, func->cap);

	gen_frame_allocate(g, f, func->locals.n);
	for (unsigned i = 0; i < func->n_params; i++) {
		f->locals[i] = gen_at(g, frame, at);
		f->local_caps[i] = func->locals.v[i].cap;
		at += plan_frame_value(func->locals.v[i].type, func->locals.v[i].cap);
	}
	f->result = func->type == IR_VOID ? NULL : frame;
	f->result_cap = func->cap;
}

void gen_frame_body(struct gen *g, struct gen_frame *f)
{
	const struct ir_func *func = f->func;

	gen_frame_open(g, f, func->locals.v, func->locals.n, func->n_params, func->body);
	set_result(g, f);
	gen_stmts(g, func->body);
	gen_goto(g, f->leave);
}

LLVMValueRef gen_frame_behind(struct gen *g, LLVMValueRef base)
{
	LLVMValueRef zero = gen_i64(g, 0);

	return LLVMBuildInBoundsGEP2(g->b, g->i8, base, &zero, 1, "");
}
