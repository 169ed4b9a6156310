// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_frames.h"

#include "compiler/gen/kernel/gen_stack.h"
#include "runtime/base/cleanup.h"

#define OPEN ((void *)1)

struct depths {
	struct sp_hash known; // function -> functions in the longest chain that it begins, + 1; OPEN: it is being looked at
};

static unsigned depth_of(struct depths *d, LLVMValueRef fn);

// What an instruction names is called, by itself or by the helper that gets its address.
static unsigned depth_below(struct depths *d, LLVMValueRef value)
{
	int n = LLVMGetNumOperands(value);
	unsigned most = 0;

	for (int i = 0; i < n; i++) {
		LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
		unsigned depth = 0;

		if (LLVMIsAFunction(operand))
			depth = depth_of(d, operand);
		else if (LLVMIsAConstantExpr(operand))
			depth = depth_below(d, operand);
		most = SP_MAX(most, depth);
	}
	return most;
}

// As gen_stack_chain() finds them in machine code.
static unsigned depth_of(struct depths *d, LLVMValueRef fn)
{
	void **known = sp_hash_insert(&d->known, &fn, sizeof(fn));
	unsigned most = 0;

	if (LLVMIsDeclaration(fn) || *known == OPEN)
		return 0;
	if (*known)
		return (unsigned)(uintptr_t)*known - 1;
	*known = OPEN;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
			unsigned depth = depth_below(d, i);

			most = SP_MAX(most, depth);
		}
	*sp_hash_find(&d->known, &fn, sizeof(fn)) = (void *)(uintptr_t)(most + 2);
	return most + 1;
}

static bool is_unused(LLVMValueRef fn)
{
	return !LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) == LLVMInternalLinkage && !LLVMGetFirstUse(fn);
}

static void drop_unused(LLVMModuleRef mod)
{
	LLVMValueRef next;
	bool any = true;

	while (any) {
		any = false;
		for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = next) {
			next = LLVMGetNextFunction(fn);
			if (!is_unused(fn))
				continue;
			LLVMDeleteFunction(fn);
			any = true;
		}
	}
}

void gen_frames_drop(struct gen *g, uint32_t first, uint32_t end, uint8_t *excess)
{
	struct depths d = { 0 };
	bool any = false;

	for (uint32_t i = first; i < end; i++) {
		LLVMValueRef fn = LLVMGetNamedFunction(g->mod, g->unit->progs.v[i].name);

		if (!g->plan->progs[i].in_kernel || !fn)
			continue;
		excess[i] = depth_of(&d, fn) > GEN_STACK_FRAMES ? GEN_FRAMES : GEN_FITS;
		if (excess[i])
			LLVMDeleteFunction(fn);
		any |= excess[i] != GEN_FITS;
	}
	sp_hash_deinit(&d.known);
	if (any)
		drop_unused(g->mod);
}
