// SPDX-License-Identifier: GPL-2.0-or-later
/** What the VM's engine remembers while it makes a handler and the functions that this calls. */
#ifndef SP_GEN_GEN_VM_STATE_H
#define SP_GEN_GEN_VM_STATE_H

#include "compiler/gen/core/gen_core.h"

/** Of a handler: how much memory that needs is known when its callees are made, too. */
struct gen_vm {
	LLVMValueRef scratch_call; // gets the memory of the handler and of all frames
	uint32_t own_size; // of the handler
	uint32_t frame_size; // of the largest frame of a callee
};

/** A walk of an array that the code which is being made is in. */
struct gen_vm_walk {
	LLVMValueRef iter; // variable: the iterator; -1: it is closed
	const struct gen_frame *frame; // whose statement it is
};

/** Of a function. */
struct gen_vm_fn {
	LLVMBasicBlockRef entry; // the function's own, also where code of a callback is made
	SP_VEC(LLVMValueRef) frames; // addresses of callees' frames; their offset is known at the end
	SP_VEC(LLVMValueRef) iters; // all variables that hold iterators
	SP_VEC(struct gen_vm_walk) open; // the walks around the place that is being made, innermost last
	SP_VEC(size_t) tries; // the TRYs around it: how many of `iters` there were before each
};

#endif
