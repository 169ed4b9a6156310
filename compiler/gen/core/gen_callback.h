// SPDX-License-Identifier: GPL-2.0-or-later
/** Code that a helper calls back, or that is called once where it stands: outlined. It is made like any other code, between
 *  begin and end; what it uses of the function around it is found at the end, and goes through a closure on that function's
 *  stack. A jump to a block of
 *  the function around it (break out of an outer loop, return, a failure) ends the walk, and is then made there. */
#ifndef SP_GEN_GEN_CALLBACK_H
#define SP_GEN_GEN_CALLBACK_H

#include "compiler/gen/core/gen_core.h"

struct gen_callback {
	LLVMValueRef fn; // what the helper is given
	LLVMValueRef closure; // and what it hands on
	LLVMBasicBlockRef next, stop; // go on with the next call; no further calls
	// Of the function around it.
	LLVMValueRef outer_fn;
	LLVMBasicBlockRef outer_entry, outer_body, outer_block;
	LLVMValueRef how; // variable: number of the exit that was taken; 0: none
	SP_VEC(LLVMBasicBlockRef) exits;
	struct gen_debug_scope *scope;
};

/** The callback has `n_params` parameters; the last one is the closure. */
void gen_callback_begin(struct gen *g, struct gen_callback *cb, const char *name, unsigned n_params, uint32_t place);
/** Back in the function around it, where the caller calls the helper ... */
void gen_callback_end(struct gen *g, struct gen_callback *cb);
/** (or, of one parameter, itself) */
void gen_callback_call(struct gen *g, const struct gen_callback *cb);
/** ... and then has the jumps out made. Releases `cb`. */
void gen_callback_exits(struct gen *g, struct gen_callback *cb);

#endif
