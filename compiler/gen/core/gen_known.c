// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_known.h"

#include "runtime/base/util.h"

#include <llvm/Config/llvm-config.h>

bool gen_known_is_conditional(LLVMValueRef end)
{
#if LLVM_VERSION_MAJOR >= 23
	return LLVMGetInstructionOpcode(end) == LLVMCondBr;
#else
	return LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end);
#endif
}

#define MOST_BEFORE 64 // blocks that are looked at before one

struct region {
	LLVMBasicBlockRef blocks[MOST_BEFORE];
	unsigned n;
	bool is_too_large, has_first; // the function's first block
};

static bool contains(const struct region *region, LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < region->n; i++)
		if (region->blocks[i] == block)
			return true;
	return false;
}

// The blocks from which a block is reached by ways that do not come by another one.
static void collect(struct region *region, LLVMBasicBlockRef block, LLVMBasicBlockRef without)
{
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMBasicBlockRef from = LLVMIsATerminatorInst(LLVMGetUser(use)) ? LLVMGetInstructionParent(LLVMGetUser(use)) : NULL;

		if (!from || from == without || contains(region, from))
			continue;
		region->is_too_large |= region->n == MOST_BEFORE;
		if (region->is_too_large)
			return;
		region->has_first |= from == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(from));
		region->blocks[region->n++] = from;
		collect(region, from, without);
	}
}

static bool is_known_end(struct gen_known *known, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	return LLVMGetNumSuccessors(end) < 2 || gen_known_is(known, LLVMGetOperand(end, 0));
}

// All ways to the phi's block come by its dominator: from there on conditions decide.
bool gen_known_way(struct gen_known *known, LLVMValueRef phi)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(phi), dominator = NULL, at = block;
	struct region between = { .n = 0 };

	while (!dominator && (at = LLVMGetPreviousBasicBlock(at))) {
		between = (struct region){ .n = 0 };
		collect(&between, block, at);
		if (between.is_too_large)
			return false;
		if (!between.has_first)
			dominator = at;
	}
	if (!dominator || !is_known_end(known, dominator))
		return false;
	for (unsigned i = 0; i < between.n; i++)
		if (!is_known_end(known, between.blocks[i]))
			return false;
	return true;
}

const struct gen_loop *gen_known_loop(const struct gen_loops *loops, LLVMBasicBlockRef head)
{
	for (size_t i = 0; i < loops->n; i++)
		if (loops->v[i].head == head)
			return &loops->v[i];
	return NULL;
}

static bool is_forgotten(const struct gen_known *known, LLVMValueRef phi)
{
	for (size_t i = 0; i < known->loops->n_forgotten; i++)
		if (known->loops->forgotten[i] == phi)
			return true;
	return false;
}

// Of a quotient or a remainder it knows nothing, nor of what is read or called for.
static bool is_followed(LLVMValueRef value)
{
	static const LLVMOpcode followed[] = { LLVMPHI, LLVMSelect, LLVMICmp, LLVMAdd, LLVMSub, LLVMMul, LLVMAnd, LLVMOr, LLVMXor, LLVMShl,
					       LLVMLShr, LLVMAShr, LLVMZExt, LLVMSExt, LLVMTrunc, LLVMFreeze };

	for (size_t i = 0; i < SP_ARRAY_SIZE(followed); i++)
		if (LLVMGetInstructionOpcode(value) == followed[i])
			return true;
	return LLVMIsACallInst(value) && LLVMIsAFunction(LLVMGetCalledValue(value)) && LLVMGetIntrinsicID(LLVMGetCalledValue(value));
}

static bool is_before_loop(const struct gen_known *known, LLVMValueRef value)
{
	LLVMBasicBlockRef block = LLVMIsAInstruction(value) ? LLVMGetInstructionParent(value) : NULL;
	struct region in_loop = { .n = 0 };

	if (!block || !known->loop)
		return LLVMIsAArgument(value);
	collect(&in_loop, known->loop->last, known->loop->head);
	return !in_loop.is_too_large && block != known->loop->head && block != known->loop->last && !contains(&in_loop, block);
}

// A condition on nothing but what was there before the loop is the same in all rounds: the verifier knows it from the first one on.
static bool is_decided_once(const struct gen_known *known, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 1)
		return false;
	return is_before_loop(known, value) || (LLVMIsAICmpInst(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
						is_before_loop(known, LLVMGetOperand(value, 0)));
}

bool gen_known_is(struct gen_known *known, LLVMValueRef value)
{
	int n;

	if (LLVMIsAConstantInt(value) || is_decided_once(known, value))
		return true;
	if (!LLVMIsAInstruction(value) || !is_followed(value) || is_forgotten(known, value))
		return false;
	for (unsigned i = 0; i < known->n_seen; i++)
		if (known->seen[i] == value)
			return true;
	if (known->n_seen == GEN_MOST_KNOWN)
		return false;
	known->seen[known->n_seen++] = value;
	n = LLVMIsACallInst(value) ? (int)LLVMGetNumArgOperands(value) : LLVMGetNumOperands(value);
	for (int i = 0; i < n; i++)
		if (!gen_known_is(known, LLVMGetOperand(value, (unsigned)i)))
			return false;
	return !LLVMIsAPHINode(value) || gen_known_loop(known->loops, LLVMGetInstructionParent(value)) || gen_known_way(known, value);
}
