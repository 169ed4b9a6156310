// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_context.h"

#include "compiler/gen/core/gen_engine.h"

// A value has a size; the address that bpf_get_func_ip tells has none.
static LLVMValueRef read_value(struct gen *g, LLVMValueRef ctx, const struct gen_context *value)
{
	return value->bytes ? gen_load_direct(g, ctx, value->offset, value->bytes) : gen_call(g, GEN_FUNC_IP, 1, ctx);
}

static LLVMValueRef place_of(struct gen *g, const struct gen_fn *fn, size_t index)
{
	return gen_at(g, fn->state, offsetof(struct plan_state, context) + index * sizeof(uint64_t));
}

static LLVMValueRef get(struct gen *g, struct gen_context value)
{
	size_t i = 0;

	if (!g->fn->keeps_context)
		return read_value(g, g->fn->ctx, &value);
	while (i < g->context.n && (g->context.v[i].offset != value.offset || g->context.v[i].bytes != value.bytes))
		i++;
	if (i == PLAN_CONTEXT_VALUES)
		return read_value(g, g->fn->ctx, &value);
	if (i == g->context.n)
		sp_vec_push(&g->context, value);
	return gen_load(g, place_of(g, g->fn, i));
}

LLVMValueRef gen_context_load(struct gen *g, int64_t offset, unsigned bytes)
{
	return get(g, (struct gen_context){ offset, bytes });
}

LLVMValueRef gen_context_func_ip(struct gen *g)
{
	return get(g, (struct gen_context){ 0 });
}

// As numbers: a typed pointer could be none any more when it comes back.
void gen_context_keep(struct gen *g, const struct gen_fn *handler)
{
	if (!g->context.n)
		return;
	LLVMPositionBuilderBefore(g->b, handler->shared);
	LLVMSetCurrentDebugLocation2(g->b, LLVMInstructionGetDebugLoc(handler->shared));
	for (size_t i = 0; i < g->context.n; i++)
		gen_store(g, gen_launder(g, read_value(g, handler->ctx, &g->context.v[i])), place_of(g, handler, i));
	g->context.n = 0;
}
