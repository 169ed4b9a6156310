// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_once.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/kernel/gen_aside.h"

#include <stdio.h>

enum { WALK_KEY = 1, N_WALK_PARAMS = 4 }; // of a callback of for_each_map_elem

static bool is_writable(LLVMValueRef ptr)
{
	LLVMValueRef fn;

	while (LLVMIsAGetElementPtrInst(ptr) || (LLVMIsAConstantExpr(ptr) && LLVMGetConstOpcode(ptr) == LLVMGetElementPtr))
		ptr = LLVMGetOperand(ptr, 0);
	if (LLVMIsAGlobalVariable(ptr))
		return !LLVMIsGlobalConstant(ptr);
	fn = LLVMIsAArgument(ptr) ? LLVMGetParamParent(ptr) : NULL;
	return !fn || LLVMCountParams(fn) != N_WALK_PARAMS || LLVMGetParam(fn, WALK_KEY) != ptr;
}

// The pointers may be none, for all that the verifier knows.
static LLVMValueRef make(struct gen *g, const struct gen_once *once, const char *name)
{
	const LLVMTypeRef params[SP_ARRAY_SIZE(once->ptrs)] = { g->ptr, g->ptr };
	const uint32_t sizes[SP_ARRAY_SIZE(once->ptrs)] = { once->size, once->size };
	LLVMValueRef fn, ptrs[SP_ARRAY_SIZE(once->ptrs)] = { NULL };
	struct gen_aside aside;
	LLVMBasicBlockRef out;

	fn = gen_aside_begin_global(g, &aside, name, params, once->n, sizes);
	out = gen_block(g);
	for (unsigned i = 0; i < once->n; i++) {
		LLVMBasicBlockRef more = gen_block(g);

		ptrs[i] = LLVMGetParam(fn, i);
		gen_branch(g, LLVMBuildIsNull(g->b, ptrs[i], ""), out, more);
		gen_enter(g, more);
	}
	LLVMBuildRet(g->b, once->body(g, once, ptrs));
	gen_enter(g, out);
	LLVMBuildRet(g->b, gen_i64(g, 0)); // is never reached
	gen_aside_end(g, &aside);
	return fn;
}

LLVMValueRef gen_once(struct gen *g, const struct gen_once *once)
{
	LLVMValueRef fn;
	char name[128];

	if (!g->fn->plan || !g->fn->prog) // of no handler, as what keeps the order of a wrapping array, which is followed once anyway
		return NULL;
	if (g->fn->plan->has_texts_in_place || !g->engine->has(g, SP_FEATURE_BPF_LOOP)) // whose kernels know the size of what such pointers point at
		return NULL;
	for (unsigned i = 0; i < once->n; i++)
		if (!is_writable(once->ptrs[i]))
			return NULL;
	snprintf(name, sizeof(name), "%s__%s_%u", g->fn->prog->name, once->what, once->size);
	fn = LLVMGetNamedFunction(g->mod, name);
	return fn ? fn : make(g, once, name);
}
