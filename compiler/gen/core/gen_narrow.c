// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_narrow.h"

#include <stdbool.h>
#include <string.h>

// A comparison without signs of a number and a constant.
static bool is_check(LLVMValueRef user, LLVMValueRef number)
{
	LLVMIntPredicate is;

	if (!LLVMIsAICmpInst(user) || LLVMGetOperand(user, 0) != number || !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
		return false;
	is = LLVMGetICmpPredicate(user);
	return is == LLVMIntULT || is == LLVMIntULE || is == LLVMIntUGT || is == LLVMIntUGE || is == LLVMIntEQ || is == LLVMIntNE;
}

static bool is_index(LLVMValueRef user)
{
	return LLVMIsAZExtInst(user) && LLVMGetIntTypeWidth(LLVMTypeOf(user)) == 64;
}

static bool is_checked_index(LLVMValueRef number)
{
	LLVMTypeRef type = LLVMTypeOf(number);
	bool has_check = false, has_index = false;

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || (LLVMGetIntTypeWidth(type) != 8 && LLVMGetIntTypeWidth(type) != 16))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
		has_check |= is_check(LLVMGetUser(use), number);
		has_index |= is_index(LLVMGetUser(use));
	}
	return has_check && has_index;
}

// LLVM would clear the bits where they are needed if it knew what this is.
static LLVMValueRef build_wide(LLVMBuilderRef b, LLVMValueRef number)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(number))), type = LLVMFunctionType(i64, &i64, 1, false);
	LLVMValueRef wide = LLVMBuildZExt(b, number, i64, ""), code;
	static const char same[] = "=r,0";

	code = LLVMGetInlineAsm(type, (char *)"", 0, (char *)same, strlen(same), false, false, LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(b, type, code, &wide, 1, "");
}

static void widen(LLVMBuilderRef b, LLVMValueRef number)
{
	LLVMValueRef at = LLVMGetNextInstruction(number), wide;
	LLVMUseRef next;

	while (LLVMIsAPHINode(at))
		at = LLVMGetNextInstruction(at);
	LLVMPositionBuilderBefore(b, at);
	wide = build_wide(b, number);
	for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (is_check(user, number)) {
			LLVMSetOperand(user, 1, LLVMConstInt(LLVMTypeOf(wide), LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)), false));
			LLVMSetOperand(user, 0, wide);
		} else if (is_index(user) && user != LLVMGetOperand(wide, 0)) {
			LLVMReplaceAllUsesWith(user, wide);
		}
	}
}

void gen_narrow_widen_checked(LLVMBuilderRef builder, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
			if (is_checked_index(i))
				widen(builder, i);
}
