// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_unwind_frame.h"

LLVMValueRef gen_unwind_frame_offset(struct gen *g, enum plan_unwind_fixup which)
{
	return gen_load_volatile(g, gen_fixup(g, g->plan->unwind_fixup + which));
}

LLVMValueRef gen_unwind_frame_member(struct gen *g, const struct unwind_frame *f, LLVMValueRef base, enum plan_unwind_fixup which, uint64_t to,
				  unsigned size)
{
	LLVMValueRef place = gen_at(g, f->state, to);

	gen_call(g, GEN_READ_KERNEL, 3, place, gen_i64(g, size), LLVMBuildAdd(g->b, base, gen_unwind_frame_offset(g, which), ""));
	return gen_load_volatile(g, place);
}

void gen_unwind_frame_only_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef otherwise)
{
	LLVMBasicBlockRef then = gen_block(g);

	gen_branch(g, cond, then, otherwise);
	gen_enter(g, then);
}
