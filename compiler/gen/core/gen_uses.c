// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_uses.h"

#define MOST_USES 64 // that are looked at before a number is left as it is

struct uses {
	LLVMValueRef seen[MOST_USES];
	unsigned n;
	gen_use_judge *judge;
	const void *ctx;
};

static bool are_harmless(struct uses *uses, LLVMValueRef value)
{
	for (unsigned i = 0; i < uses->n; i++)
		if (uses->seen[i] == value)
			return true;
	if (uses->n == MOST_USES)
		return false;
	uses->seen[uses->n++] = value;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		enum gen_use is = uses->judge(uses->ctx, user, value);

		if (is == USE_HARMS || (is == USE_GIVES && !are_harmless(uses, user)))
			return false;
	}
	return true;
}

bool gen_uses_are_harmless(LLVMValueRef value, gen_use_judge *judge, const void *ctx)
{
	struct uses uses = { .judge = judge, .ctx = ctx };

	return are_harmless(&uses, value);
}
