// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_near.h"

#define NOTE "spile-near"

void gen_near_note(struct gen *g, LLVMValueRef fn)
{
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateStringAttribute(g->ctx, NOTE, strlen(NOTE), "", 0));
}

static bool is_noted(LLVMValueRef fn)
{
	return LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, NOTE, strlen(NOTE));
}

static bool is_place(LLVMValueRef value)
{
	return LLVMIsAGetElementPtrInst(value) && LLVMGetNumOperands(value) == 2 && LLVMIsAConstantInt(LLVMGetOperand(value, 1));
}

// The same address, in front of `at`.
static LLVMValueRef again(struct gen *g, LLVMValueRef value, LLVMValueRef at)
{
	LLVMValueRef base = value;
	int64_t offset = 0;

	while (is_place(base)) {
		offset += LLVMConstIntGetSExtValue(LLVMGetOperand(base, 1));
		base = LLVMGetOperand(base, 0);
	}
	LLVMPositionBuilderBefore(g->b, at);
	return gen_at(g, LLVMIsAAllocaInst(base) ? base : gen_keep_pointer(g, base), (uint64_t)offset);
}

// A part of the instruction itself.
static bool is_in_instruction(LLVMValueRef i, unsigned operand)
{
	return (LLVMIsALoadInst(i) && operand == 0) || (LLVMIsAStoreInst(i) && operand == 1) || LLVMIsAGetElementPtrInst(i);
}

static void look_at(struct gen *g, LLVMValueRef i)
{
	for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
		LLVMValueRef value = LLVMGetOperand(i, k), at = i;

		if (LLVMValueIsBasicBlock(value) || !is_place(value) || is_in_instruction(i, k))
			continue;
		if (LLVMIsAPHINode(i))
			at = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(i, k));
		LLVMSetOperand(i, k, again(g, value, at));
	}
}

void gen_near(struct gen *g)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = is_noted(f) ? LLVMGetFirstBasicBlock(f) : NULL; block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
				look_at(g, i);
}
