// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_rounds.h"

#include <stdint.h>

#define MOST_ROUNDS 100000 // that are counted

static uint64_t cut(uint64_t number, LLVMTypeRef type)
{
	unsigned bits = LLVMGetIntTypeWidth(type);

	return bits < 64 ? number & ((UINT64_C(1) << bits) - 1) : number;
}

static int64_t with_sign(uint64_t number, LLVMTypeRef type)
{
	unsigned unused = 64 - LLVMGetIntTypeWidth(type);

	return (int64_t)(number << unused) >> unused;
}

// What is computed from a counter by constants alone, where the counter is that number.
static uint64_t computed(LLVMValueRef number, LLVMValueRef counter, uint64_t is)
{
	LLVMValueRef from;
	uint64_t value, by;

	if (number == counter)
		return is;
	from = LLVMGetOperand(number, 0);
	value = computed(from, counter, is);
	if (LLVMIsACallInst(number)) // that LLVM or the verifier knows no more of it
		return value;
	if (LLVMGetInstructionOpcode(number) == LLVMSExt)
		value = (uint64_t)with_sign(value, LLVMTypeOf(from));
	if (LLVMIsACastInst(number))
		return cut(value, LLVMTypeOf(number));
	by = LLVMConstIntGetZExtValue(LLVMGetOperand(number, 1));
	value = LLVMGetInstructionOpcode(number) == LLVMAdd ? value + by : LLVMGetInstructionOpcode(number) == LLVMSub ? value - by : value | by;
	return cut(value, LLVMTypeOf(number));
}

static bool holds(LLVMIntPredicate is, uint64_t a, uint64_t b, LLVMTypeRef type)
{
	switch (is) {
	default:
	case LLVMIntEQ:
		return a == b;
	case LLVMIntNE:
		return a != b;
	case LLVMIntULT:
		return a < b;
	case LLVMIntULE:
		return a <= b;
	case LLVMIntUGT:
		return a > b;
	case LLVMIntUGE:
		return a >= b;
	case LLVMIntSLT:
		return with_sign(a, type) < with_sign(b, type);
	case LLVMIntSLE:
		return with_sign(a, type) <= with_sign(b, type);
	case LLVMIntSGT:
		return with_sign(a, type) > with_sign(b, type);
	case LLVMIntSGE:
		return with_sign(a, type) >= with_sign(b, type);
	}
}

unsigned gen_rounds_until(LLVMValueRef comparison, bool value, const struct gen_counter *counter)
{
	LLVMValueRef number = LLVMGetOperand(comparison, 0);
	uint64_t end = LLVMConstIntGetZExtValue(LLVMGetOperand(comparison, 1)), is = LLVMConstIntGetZExtValue(counter->first);

	for (unsigned round = 1; round < MOST_ROUNDS; round++, is = computed(counter->next, counter->variable, is))
		if (holds(LLVMGetICmpPredicate(comparison), computed(number, counter->variable, is), end, LLVMTypeOf(number)) == value)
			return round;
	return GEN_SOME_DAY;
}
