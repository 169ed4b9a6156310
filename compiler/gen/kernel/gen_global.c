// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_global.h"

#include "compiler/gen/kernel/gen_aside.h"
#include "compiler/gen/kernel/gen_kernel_def.h"

#include <stdio.h>
#include <string.h>

enum { FRAME, STATE, CTX, N_ARGS }; // of a callee

static LLVMValueRef as_pointer(struct gen *g, LLVMValueRef address)
{
	return LLVMBuildIntToPtr(g->b, address, g->ptr, "");
}

// long f(number, offset), as a callee: 0, or enum gen_end.
static LLVMValueRef make(struct gen *g, const struct gen_fn *handler, const struct gen_callee *callee)
{
	static const char always[] = "alwaysinline";
	const LLVMTypeRef params[2] = { g->i64, g->i64 };
	uint32_t most = g->plan->scratch_size - (uint32_t)sizeof(struct sp_scratch_head) - g->plan->tokens_size -
			g->layout->funcs[callee->func].whole_size;
	LLVMValueRef fn, key, state, offset, args[N_ARGS];
	LLVMBasicBlockRef fits, found, out;
	struct gen_aside aside;
	char name[96];

	snprintf(name, sizeof(name), "%s__function_%u_global", handler->prog->name, callee->func);
	fn = gen_aside_begin_global(g, &aside, name, params, 2, NULL);
	fits = gen_block(g);
	found = gen_block(g);
	out = gen_block(g);
	key = gen_area(g, 8);
	offset = gen_forget(g, LLVMGetParam(fn, 1));
	gen_store_sized(g, LLVMGetParam(fn, 0), key, sizeof(uint32_t));
	state = as_pointer(g, gen_call(g, GEN_MAP_LOOKUP, 2, gen_kernel_def_scratch(g), key));
	gen_branch(g, gen_is_zero(g, state), out, found);
	gen_enter(g, found);
	// Behind the call: a copy that LLVM keeps on the stack over it has no bounds for the verifier of Linux 6.1.
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, most), ""), fits, out);
	gen_enter(g, fits);
	args[STATE] = gen_at(g, state, sizeof(struct sp_scratch_head) + g->plan->tokens_size);
	args[FRAME] = gen_at_index(g, args[STATE], offset);
	args[CTX] = LLVMConstNull(g->ptr);
	LLVMBuildRet(g->b, LLVMBuildCall2(g->b, LLVMGlobalGetValueType(callee->fn), callee->fn, args, N_ARGS, ""));
	LLVMAddAttributeAtIndex(callee->fn, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(g->ctx, LLVMGetEnumAttributeKindForName(always, strlen(always)), 0));
	gen_enter(g, out);
	LLVMBuildRet(g->b, gen_i64(g, 0)); // is never reached
	gen_aside_end(g, &aside);
	return fn;
}

static void call(struct gen *g, LLVMValueRef old, LLVMValueRef fn)
{
	LLVMValueRef frame = LLVMGetOperand(old, FRAME), state = LLVMGetOperand(old, STATE), args[2], new;

	LLVMPositionBuilderBefore(g->b, old);
	LLVMSetCurrentDebugLocation2(g->b, LLVMInstructionGetDebugLoc(old));
	args[0] = gen_load(g, gen_at(g, state, offsetof(struct plan_state, scratch)));
	args[1] = LLVMBuildSub(g->b, gen_address(g, frame), gen_address(g, state), "");
	new = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
	LLVMReplaceAllUsesWith(old, new);
	LLVMInstructionEraseFromParent(old);
}

// Those that do not call the global one yet do.
static void call_all(struct gen *g, const struct gen_callee *callee)
{
	SP_VEC(LLVMValueRef) calls = { 0 };

	for (LLVMUseRef use = LLVMGetFirstUse(callee->fn); use; use = LLVMGetNextUse(use))
		if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(use))) != callee->global)
			sp_vec_push(&calls, LLVMGetUser(use));
	sp_vec_each(old, &calls)
		call(g, *old, callee->global);
	sp_vec_deinit(&calls);
}

static void make_global(struct gen *g, const struct gen_fn *handler, struct gen_callee *callee)
{
	callee->global = make(g, handler, callee);
	call_all(g, callee);
	sp_vec_each(named, &g->named)
		if (named->fn == callee->fn)
			named->fn = callee->global;
	sp_vec_each(shared, &g->shared)
		if (shared->fn == callee->fn)
			shared->global = callee->global;
}

void gen_global_make(struct gen *g, struct gen_fn *handler)
{
	sp_vec_each(shared, &g->shared)
		if (shared->global)
			call_all(g, shared);
	sp_vec_each(callee, &g->callees)
		if (g->plan->funcs[callee->func].is_followed_once && !LLVMGetFirstUse(LLVMGetParam(callee->fn, CTX)))
			make_global(g, handler, callee);
}
