// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_aside.h"

#include "compiler/gen/core/gen_engine.h"

static LLVMValueRef begin(struct gen *g, struct gen_aside *aside, const char *name, const LLVMTypeRef *params, unsigned n_params,
			  bool is_global, const uint32_t *sizes)
{
	LLVMTypeRef type = LLVMFunctionType(g->i64, (LLVMTypeRef *)(uintptr_t)params, n_params, false);

	*aside = (struct gen_aside){ .outer = g->fn, .frame = g->frame };
	if (g->fn) {
		aside->here = LLVMGetInsertBlock(g->b);
		aside->fn.prog = g->fn->prog;
		aside->fn.plan = g->fn->plan;
		aside->fn.prog_index = g->fn->prog_index;
	}
	aside->fn.fn = LLVMAddFunction(g->mod, name, type);
	LLVMSetLinkage(aside->fn.fn, is_global ? LLVMExternalLinkage : LLVMInternalLinkage);
	g->fn = &aside->fn;
	g->frame = &aside->none;
	aside->fn.entry = gen_block(g);
	aside->fn.body = gen_block(g);
	if (is_global)
		gen_debug_global(g->debug, aside->fn.fn, name, n_params, sizes, &aside->scope);
	else
		gen_debug_callback(g->debug, aside->fn.fn, name, n_params, IR_NO_PLACE, &aside->scope);
	g->engine->fn->begin(g);
	LLVMPositionBuilderAtEnd(g->b, aside->fn.body);
	return aside->fn.fn;
}

LLVMValueRef gen_aside_begin(struct gen *g, struct gen_aside *aside, const char *name, const LLVMTypeRef *params,
			     unsigned n_params)
{
	return begin(g, aside, name, params, n_params, false, NULL);
}

LLVMValueRef gen_aside_begin_global(struct gen *g, struct gen_aside *aside, const char *name, const LLVMTypeRef *params,
				    unsigned n_params, const uint32_t *sizes)
{
	return begin(g, aside, name, params, n_params, true, sizes);
}

void gen_aside_end(struct gen *g, struct gen_aside *aside)
{
	LLVMPositionBuilderAtEnd(g->b, aside->fn.entry);
	gen_goto(g, aside->fn.body);
	g->engine->fn->end(g);
	gen_debug_leave(g->debug, &aside->scope);
	g->fn = aside->outer;
	g->frame = aside->frame;
	if (aside->here)
		LLVMPositionBuilderAtEnd(g->b, aside->here);
}
