// SPDX-License-Identifier: GPL-2.0-or-later
/** What the parts of the walk share (gen_unwind.h): a round of it, and shorthands. */
#ifndef SP_GEN_GEN_UNWIND_FRAME_H
#define SP_GEN_GEN_UNWIND_FRAME_H

#include "compiler/gen/core/gen_core.h"
#include "runtime/abi/unwind.h"

#define UNWIND(name) offsetof(struct sp_unwind_state, name)

struct unwind_key {
	struct sp_unwind_key file; // or a number
	struct sp_unwind_wanted wanted;
};

/** One round: a frame. */
struct unwind_frame {
	LLVMValueRef state; // a struct sp_unwind_state
	LLVMValueRef key; // a struct unwind_key on the stack: before Linux 6.2 memory that a function is given is no key of a map, and no value
	LLVMValueRef at; // the instruction that the frame is at
	LLVMValueRef table; // of the file that holds it
	LLVMValueRef info; // the row
	LLVMValueRef cfa;
	LLVMBasicBlockRef end, next; // the stack ends here; the caller is known
	LLVMBasicBlockRef by_pointer; // a frame pointer is hoped for
};

/** Where a member of a structure of the kernel is; 0: it has none. */
LLVMValueRef gen_unwind_frame_offset(struct gen *g, enum plan_unwind_fixup which);
/** Reads such a member, to UNWIND(...); what it gives is 0 when it cannot be read. */
LLVMValueRef gen_unwind_frame_member(struct gen *g, const struct unwind_frame *f, LLVMValueRef base, enum plan_unwind_fixup which, uint64_t to,
				  unsigned size);

/** Code goes on where the condition holds, else to `otherwise`. */
void gen_unwind_frame_only_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef otherwise);

static inline LLVMValueRef unwind_get(struct gen *g, const struct unwind_frame *f, uint64_t member)
{
	return gen_load(g, gen_at(g, f->state, member));
}

static inline void unwind_set(struct gen *g, const struct unwind_frame *f, uint64_t member, LLVMValueRef value)
{
	gen_store(g, value, gen_at(g, f->state, member));
}

static inline LLVMValueRef unwind_is(struct gen *g, LLVMValueRef value, int64_t number)
{
	return LLVMBuildICmp(g->b, LLVMIntEQ, value, gen_i64(g, number), "");
}

#endif
