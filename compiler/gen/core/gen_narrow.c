// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_narrow.h"

#include "compiler/gen/core/gen_sums.h"

#include <stdbool.h>
#include <string.h>

// A comparison of a number and a constant, with signs or without.
static bool is_check(LLVMValueRef user, LLVMValueRef number, bool is_signed)
{
	LLVMIntPredicate is;

	if (!LLVMIsAICmpInst(user) || LLVMGetOperand(user, 0) != number || !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
		return false;
	is = LLVMGetICmpPredicate(user);
	return is == LLVMIntEQ || is == LLVMIntNE || is_signed == (is == LLVMIntSLT || is == LLVMIntSLE || is == LLVMIntSGT || is == LLVMIntSGE);
}

// With its sign or without it is the same where it is not below 0.
static bool is_index(LLVMValueRef user, LLVMValueRef number, bool is_signed)
{
	if (!LLVMIsAInstruction(user) || LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(user)) != 64)
		return false;
	if (!is_signed)
		return LLVMIsAZExtInst(user);
	return LLVMIsASExtInst(user) || (LLVMIsAZExtInst(user) && gen_sums_is_not_negative(LLVMGetInstructionParent(user), number));
}

static bool is_checked_index(LLVMValueRef number, bool is_signed)
{
	LLVMTypeRef type = LLVMTypeOf(number);
	bool has_check = false, has_index = false;

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || (LLVMGetIntTypeWidth(type) != 8 && LLVMGetIntTypeWidth(type) != 16))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
		has_check |= is_check(LLVMGetUser(use), number, is_signed);
		has_index |= is_index(LLVMGetUser(use), number, is_signed);
	}
	return has_check && has_index;
}

// LLVM would clear the bits where they are needed if it knew what this is.
static LLVMValueRef build_wide(LLVMBuilderRef b, LLVMValueRef number, bool is_signed)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(number))), type = LLVMFunctionType(i64, &i64, 1, false);
	LLVMValueRef wide = is_signed ? LLVMBuildSExt(b, number, i64, "") : LLVMBuildZExt(b, number, i64, ""), code;
	static const char same[] = "=r,0";

	code = LLVMGetInlineAsm(type, (char *)"", 0, (char *)same, strlen(same), false, false, LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(b, type, code, &wide, 1, "");
}

static LLVMValueRef wide_constant(LLVMValueRef constant, LLVMTypeRef wide, bool is_signed)
{
	uint64_t value = is_signed ? (uint64_t)LLVMConstIntGetSExtValue(constant) : LLVMConstIntGetZExtValue(constant);

	return LLVMConstInt(wide, value, is_signed);
}

static void widen(LLVMBuilderRef b, LLVMValueRef number, bool is_signed)
{
	LLVMValueRef at = LLVMGetNextInstruction(number), wide;
	LLVMUseRef next;

	while (LLVMIsAPHINode(at))
		at = LLVMGetNextInstruction(at);
	LLVMPositionBuilderBefore(b, at);
	wide = build_wide(b, number, is_signed);
	for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use))
		if (is_index(LLVMGetUser(use), number, is_signed) && LLVMGetUser(use) != LLVMGetOperand(wide, 0))
			LLVMReplaceAllUsesWith(LLVMGetUser(use), wide);
	for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = next) { // the last ones: they tell which are indexes
		LLVMValueRef check = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (!is_check(check, number, is_signed))
			continue;
		LLVMSetOperand(check, 1, wide_constant(LLVMGetOperand(check, 1), LLVMTypeOf(wide), is_signed));
		LLVMSetOperand(check, 0, wide);
	}
}

void gen_narrow_widen_checked(LLVMBuilderRef builder, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
			for (int is_signed = 0; is_signed < 2; is_signed++)
				if (is_checked_index(i, is_signed))
					widen(builder, i, is_signed);
}
