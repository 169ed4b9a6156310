// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_join.h"

#include "compiler/gen/core/gen_loops.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_uses.h"
#include "runtime/base/util.h"

// What reckons with a number, and gives one.
static const LLVMOpcode reckons[] = { LLVMPHI, LLVMSelect, LLVMAdd, LLVMSub, LLVMMul, LLVMAnd, LLVMOr, LLVMXor, LLVMShl, LLVMLShr, LLVMAShr,
				      LLVMZExt, LLVMSExt, LLVMTrunc };

static bool is_reckoning(LLVMValueRef instruction)
{
	for (unsigned i = 0; i < SP_ARRAY_SIZE(reckons); i++)
		if (LLVMGetInstructionOpcode(instruction) == reckons[i])
			return true;
	return false;
}

// No condition depends on it, either: of a way that depends on it the verifier would know less than of each value.
static enum gen_use only_reckons(const void *ctx, LLVMValueRef user, LLVMValueRef value)
{
	(void)ctx;
	if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) != value)
		return USE_ENDS;
	return is_reckoning(user) ? USE_GIVES : USE_HARMS;
}

// A block that comes twice brings the same value both times.
static LLVMValueRef brought_before(LLVMValueRef phi, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (LLVMGetIncomingBlock(phi, i) == LLVMGetIncomingBlock(phi, n))
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

// It may be the address of a variable, which is still a pointer to the verifier.
static LLVMValueRef forgotten_of(struct gen *g, LLVMValueRef value)
{
	return gen_forget(g, LLVMIsAConstantInt(value) ? value : gen_launder(g, value));
}

static void forget_brought(struct gen *g, LLVMValueRef phi)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i), before = brought_before(phi, i);

		LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i)));
		LLVMSetOperand(phi, i, before ? before : forgotten_of(g, value));
	}
}

// A choice becomes a branch.
static void forget_chosen(struct gen *g, LLVMValueRef select)
{
	LLVMPositionBuilderBefore(g->b, select);
	for (unsigned i = 1; i <= 2; i++)
		LLVMSetOperand(select, i, forgotten_of(g, LLVMGetOperand(select, i)));
}

// So does a condition that becomes a number. That is forgotten at once, not only where it is used.
static bool is_flag(struct gen *g, LLVMValueRef i)
{
	return (LLVMIsAZExtInst(i) || LLVMIsASExtInst(i)) && LLVMTypeOf(LLVMGetOperand(i, 0)) == g->i1;
}

static void forget_flag(struct gen *g, LLVMValueRef flag)
{
	LLVMValueRef forgotten, kept;

	LLVMPositionBuilderBefore(g->b, LLVMGetNextInstruction(flag));
	forgotten = gen_forget(g, flag);
	kept = gen_keep(g, forgotten);
	LLVMReplaceAllUsesWith(flag, kept);
	LLVMSetOperand(forgotten, 0, flag);
}

static void look_at(struct gen *g, LLVMValueRef i)
{
	if ((!LLVMIsAPHINode(i) && !LLVMIsASelectInst(i) && !is_flag(g, i)) || LLVMTypeOf(i) != g->i64 ||
	    !gen_uses_are_harmless(i, only_reckons, NULL))
		return;
	if (LLVMIsAPHINode(i))
		forget_brought(g, i);
	else if (LLVMIsASelectInst(i))
		forget_chosen(g, i);
	else
		forget_flag(g, i);
}

void gen_join(struct gen *g)
{
	if (!g->engine->has_verifier)
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f)) {
		gen_loops_forget_sums(g, f);
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
				look_at(g, i);
	}
}
