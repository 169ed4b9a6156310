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

// What the offset of a place is from.
static LLVMValueRef base_of(LLVMValueRef place, int64_t *offset)
{
	*offset = 0;
	while (is_place(place)) {
		*offset += LLVMConstIntGetSExtValue(LLVMGetOperand(place, 1));
		place = LLVMGetOperand(place, 0);
	}
	return place;
}

// The same address, in front of `at`.
static LLVMValueRef again(struct gen *g, LLVMValueRef value, LLVMValueRef at)
{
	int64_t offset;
	LLVMValueRef base = base_of(value, &offset);

	LLVMPositionBuilderBefore(g->b, at);
	return gen_at(g, LLVMIsAAllocaInst(base) ? base : gen_keep_pointer(g, base), (uint64_t)offset);
}

// A part of the instruction itself, which has 16 bits for an offset.
static bool is_in_instruction(LLVMValueRef i, unsigned operand)
{
	int64_t offset;

	if (LLVMIsAGetElementPtrInst(i))
		return true;
	if (!(LLVMIsALoadInst(i) && operand == 0) && !(LLVMIsAStoreInst(i) && operand == 1))
		return false;
	base_of(LLVMGetOperand(i, operand), &offset);
	return offset <= INT16_MAX && offset >= INT16_MIN;
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
