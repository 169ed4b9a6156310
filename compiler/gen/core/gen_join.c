// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_join.h"

#include "compiler/gen/core/gen_engine.h"
#include "runtime/base/util.h"

#define MOST_USES 64 // that are looked at before it is left as it is

struct uses {
	LLVMValueRef seen[MOST_USES];
	unsigned n;
};

// What reckons with a number, and gives one.
static const LLVMOpcode reckons[] = { LLVMPHI, LLVMAdd, LLVMSub, LLVMMul, LLVMAnd, LLVMOr, LLVMXor, LLVMZExt, LLVMSExt, LLVMTrunc };

static bool is_reckoning(LLVMValueRef instruction)
{
	for (unsigned i = 0; i < SP_ARRAY_SIZE(reckons); i++)
		if (LLVMGetInstructionOpcode(instruction) == reckons[i])
			return true;
	return false;
}

static bool is_harmless(struct uses *uses, LLVMValueRef value)
{
	for (unsigned i = 0; i < uses->n; i++)
		if (uses->seen[i] == value)
			return true;
	if (uses->n == MOST_USES)
		return false;
	uses->seen[uses->n++] = value;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool is_stored = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) != value;

		if (!is_stored && !(is_reckoning(user) && is_harmless(uses, user)))
			return false;
	}
	return true;
}

// A block that comes twice brings the same value both times.
static LLVMValueRef brought_before(LLVMValueRef phi, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (LLVMGetIncomingBlock(phi, i) == LLVMGetIncomingBlock(phi, n))
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

static void forget(struct gen *g, LLVMValueRef phi)
{
	struct uses uses = { .n = 0 };

	if (LLVMTypeOf(phi) != g->i64 || !is_harmless(&uses, phi))
		return;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i), before = brought_before(phi, i);

		LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i)));
		LLVMSetOperand(phi, i, before ? before : gen_launder(g, value));
	}
}

void gen_join(struct gen *g)
{
	if (!g->engine->has_verifier)
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
				forget(g, i);
}
