// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_context.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/text/gen_words.h"

#define USER_STACK (1 << 8) // BPF_F_USER_STACK
#define SKIP_MASK 0xff // BPF_F_SKIP_FIELD_MASK

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
	if (i == PLAN_CONTEXT_VALUES) {
		gen_bug(g, "functions want more of the context than the state has room for");
		return gen_i64(g, 0);
	}
	if (i == g->context.n)
		sp_vec_push(&g->context, value);
	return gen_load(g, place_of(g, g->fn, i));
}

// Of a register with many names the state has the whole.
LLVMValueRef gen_context_load(struct gen *g, int64_t offset, unsigned bytes)
{
	LLVMValueRef word;

	if (!g->fn->keeps_context || g->fn->prog->kind != SP_PROG_REGS || bytes == 8)
		return get(g, (struct gen_context){ offset, bytes });
	word = get(g, (struct gen_context){ offset & ~7LL, 8 });
	return gen_extend(g, LLVMBuildLShr(g->b, word, gen_i64(g, (offset & 7) * 8), ""), bytes * 8, false);
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

// ---- stacks -----------------------------------------------------------------------------------------------------------

static LLVMValueRef stack_at(struct gen *g, unsigned stack, size_t member)
{
	return gen_at(g, g->fn->state, plan_stack_offset(g->plan, stack) + member);
}

static LLVMValueRef get_stack(struct gen *g, LLVMValueRef buffer, uint32_t size, LLVMValueRef n, bool is_user)
{
	LLVMValueRef flags = LLVMBuildAnd(g->b, n, gen_i64(g, SKIP_MASK), "");

	if (is_user)
		flags = LLVMBuildOr(g->b, flags, gen_i64(g, USER_STACK), "");
	return gen_call(g, GEN_GET_STACK, 4, g->fn->ctx, buffer, gen_i64(g, size), flags);
}

static LLVMValueRef smaller(struct gen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, a, b, ""), a, b, "");
}

// One address that may be any.
static LLVMValueRef kept_address(struct gen *g, LLVMValueRef buffer, LLVMValueRef n, unsigned stack)
{
	LLVMBasicBlockRef there = gen_block(g), done = gen_block(g);
	LLVMValueRef size = gen_variable(g), offset, is_there, kept = gen_load(g, stack_at(g, stack, offsetof(struct plan_stack, size)));

	gen_store(g, gen_i64(g, 0), buffer);
	gen_store(g, gen_i64(g, -1), size);
	offset = gen_keep(g, LLVMBuildShl(g->b, LLVMBuildAnd(g->b, n, gen_i64(g, SKIP_MASK), ""), gen_i64(g, 3), ""));
	is_there = LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, (SP_SYMBOLS_PLACES - 1) * 8), "");
	gen_branch(g, LLVMBuildAnd(g->b, is_there, LLVMBuildICmp(g->b, LLVMIntSLT, offset, kept, ""), ""), there, done);
	gen_enter(g, there);
	gen_store(g, gen_load(g, gen_at_index(g, stack_at(g, stack, offsetof(struct plan_stack, addresses)), offset)), buffer);
	gen_store(g, gen_i64(g, 8), size);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, size);
}

LLVMValueRef gen_context_stack(struct gen *g, LLVMValueRef buffer, uint32_t size, LLVMValueRef n, bool is_user)
{
	unsigned stack = is_user ? PLAN_STACK_USER : PLAN_STACK_KERNEL;
	uint64_t before;
	LLVMValueRef kept;

	if (!g->fn->keeps_context)
		return get_stack(g, buffer, size, n, is_user);
	if (size == 8)
		return kept_address(g, buffer, n, stack);
	if (!LLVMIsAConstantInt(n) || LLVMConstIntGetZExtValue(n) + size / 8 > SP_SYMBOLS_PLACES)
		gen_bug(g, "a part of a stack that the state does not have");
	before = LLVMConstIntGetZExtValue(n) * 8;
	gen_words_copy(g, buffer, stack_at(g, stack, offsetof(struct plan_stack, addresses) + before), size, true);
	kept = gen_load(g, stack_at(g, stack, offsetof(struct plan_stack, size)));
	return smaller(g, LLVMBuildSub(g->b, kept, gen_i64(g, (int64_t)before), ""), gen_i64(g, size));
}

void gen_context_forget_stacks(struct gen *g)
{
	for (unsigned stack = PLAN_STACK_KERNEL; stack <= PLAN_STACK_USER; stack <<= 1)
		if (g->plan->stacks & stack)
			gen_store(g, gen_i64(g, 0), stack_at(g, stack, offsetof(struct plan_stack, size)));
}

// Where the stack is empty it is asked for again.
static void take(struct gen *g, unsigned stack)
{
	LLVMBasicBlockRef want = gen_block(g), have = gen_block(g);
	LLVMValueRef size = stack_at(g, stack, offsetof(struct plan_stack, size)), addresses, bytes;

	gen_branch(g, gen_is_zero(g, gen_load(g, size)), want, have);
	gen_enter(g, want);
	addresses = stack_at(g, stack, offsetof(struct plan_stack, addresses));
	bytes = get_stack(g, addresses, SP_SYMBOLS_PLACES * 8, gen_i64(g, 0), stack == PLAN_STACK_USER);
	gen_store(g, gen_forget(g, bytes), size);
	gen_goto(g, have);
	gen_enter(g, have);
}

void gen_context_take_stacks(struct gen *g, uint32_t func)
{
	const struct plan_func *callee = &g->plan->funcs[func];

	if (g->fn->keeps_context || !callee->keeps_context) // what calls this function has done so; it has the context
		return;
	for (unsigned stack = PLAN_STACK_KERNEL; stack <= PLAN_STACK_USER; stack <<= 1)
		if (callee->stacks & stack)
			take(g, stack);
}
