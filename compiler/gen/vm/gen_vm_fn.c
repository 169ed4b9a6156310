// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/vm/gen_vm_fn.h"

#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_frame.h"
#include "compiler/gen/vm/gen_vm_state.h"
#include "compiler/gen/vm/gen_vm_walk.h"
#include "runtime/abi/uservm.h"

#include <stdio.h>

// ---- handlers -----------------------------------------------------------------------------------

static LLVMValueRef add(struct gen *g, const struct ir_prog *prog, uint32_t index)
{
	LLVMValueRef fn = gen_function(g, prog->name, LLVMFunctionType(g->i64, &g->ptr, 1, false), prog->place);
	char section[64];

	snprintf(section, sizeof(section), "p%u", index); // as object_user_read wants it
	LLVMSetSection(fn, section);
	return fn;
}

static void begin(struct gen *g)
{
	g->fn->vm = sp_arena_new(g->arena, struct gen_vm_fn);
	g->fn->vm->entry = g->fn->entry;
}

static void enter(struct gen *g, LLVMBasicBlockRef out)
{
	struct gen_fn *fn = g->fn;

	(void)out;
	g->vm->scratch_call = gen_call(g, SP_VM_SCRATCH, 1, gen_i64(g, 0));
	fn->scratch = LLVMBuildIntToPtr(g->b, g->vm->scratch_call, g->ptr, "");
	fn->temps = gen_frame_behind(g, fn->scratch);
	if (fn->plan->keeps_state_in_user)
		gen_fn_share_with_callees(g, gen_temp(g, plan_calls_state_size(g->plan)));
	if (fn->plan->outlines_in_user)
		gen_fn_share_with_callbacks(g);
}

// Where gen_temp's memory and the callees' frames begin is known when all slots are.
static void end(struct gen *g)
{
	struct gen_fn *fn = g->fn;
	const struct ir_func *func = g->frame->func;
	uint32_t slots = SP_ALIGN_UP(fn->slots_size, 8), size = slots + fn->temps_size;

	LLVMSetOperand(fn->temps, 1, gen_i64(g, slots));
	sp_vec_each(frame, &fn->vm->frames)
		LLVMSetOperand(*frame, 1, gen_i64(g, size));
	if (func)
		g->vm->frame_size = SP_MAX(g->vm->frame_size, plan_frame_head(func) + size);
	else
		g->vm->own_size = size;
	sp_vec_deinit(&fn->vm->frames);
	sp_vec_deinit(&fn->vm->iters);
	sp_vec_deinit(&fn->vm->open);
	sp_vec_deinit(&fn->vm->tries);
}

// The memory of the handler and of the deepest chain of calls.
static void finish(struct gen *g, struct gen_fn *handler)
{
	uint32_t most = g->plan->max_nesting;
	uint32_t depth = handler->plan->recurses ? most : (uint32_t)SP_MIN(g->callees.n, (size_t)most);
	uint64_t size = g->vm->own_size + (uint64_t)g->vm->frame_size * depth;

	if (size > SP_VM_MAX_SCRATCH)
		gen_fn_report_depth(g, handler, g->vm->frame_size, SP_VM_MAX_SCRATCH);

	if (size) {
		LLVMSetOperand(g->vm->scratch_call, 0, gen_i64(g, size));
	} else {
		LLVMReplaceAllUsesWith(g->vm->scratch_call, gen_i64(g, 0));
		LLVMInstructionEraseFromParent(g->vm->scratch_call);
	}
	*g->vm = (struct gen_vm){ 0 };
}

// ---- called functions ---------------------------------------------------------------------------

static LLVMValueRef call(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	if (g->plan->funcs[e->func].is_called_in_user)
		return gen_fn_call_own(g, e, result);
	return gen_fn_call_inlined(g, e, result);
}

// Behind what the caller has of the memory.
static LLVMValueRef callee_frame(struct gen *g, uint32_t func)
{
	LLVMValueRef frame = gen_frame_behind(g, g->fn->scratch);

	(void)func;
	sp_vec_push(&g->fn->vm->frames, frame);
	return frame;
}

static void callee_enter(struct gen *g, const struct ir_func *func, LLVMValueRef frame)
{
	struct gen_fn *fn = g->fn;
	LLVMValueRef match;

	fn->goes_on = gen_at(g, fn->state, offsetof(struct plan_state, goes_on));
	match = gen_load(g, gen_at(g, fn->state, offsetof(struct plan_state, match)));
	fn->match = LLVMBuildIntToPtr(g->b, match, g->ptr, "");
	fn->scratch = gen_at(g, frame, plan_frame_head(func));
	fn->temps = gen_frame_behind(g, fn->scratch);
}

static void callee_end(struct gen *g, enum gen_end end)
{
	if (end == GEN_END_FAILED) // who called it may go on
		gen_vm_walk_failed(g);
	LLVMBuildRet(g->b, gen_i64(g, end));
}

// ---- what a function uses -----------------------------------------------------------------------

// The machine counts across a handler and its callees.
static LLVMValueRef budget(struct gen *g)
{
	return gen_data(g, offsetof(struct sp_control, user_left));
}

static LLVMValueRef tokens(struct gen *g)
{
	return gen_data(g, g->plan->tokens_offset);
}

const struct gen_engine_fn gen_vm_fn = {
	.add = add,
	.begin = begin,
	.end = end,
	.enter = enter,
	.finish = finish,
	.call = call,
	.callee_frame = callee_frame,
	.callee_enter = callee_enter,
	.callee_end = callee_end,
	.closure = gen_temp,
	.budget = budget,
	.tokens = tokens,
};
