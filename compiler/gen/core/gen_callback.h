// SPDX-License-Identifier: GPL-2.0-or-later
/** Code that is a function of LLVM of its own, although it stands in the middle of another one's: what a helper calls back, and
 *  statements that are outlined, which are called once.
 *
 *  The idea. The code is made like any other, between begin and end. What it uses of the function around it is found at the end,
 *  and goes through a closure: memory that the caller fills, whose address the helper hands on. A jump to a block of the
 *  function around it (break out of an outer loop, return, a failure) puts down its number and ends the walk; behind that it is
 *  made. Such a function is for one place. One of the generator's own code that many places use is shared: its callers fill
 *  the closure, it uses nothing else, and no jump leaves it (gen_repeat.h). */
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
	LLVMValueRef how; // variable: number of the exit that was taken; 0: none. NULL: it is shared
	LLVMValueRef no_exit; // the store of that 0
	SP_VEC(LLVMBasicBlockRef) exits;
	struct gen_debug_scope *scope;
};

/** The callback has `n_params` parameters; the last one is the closure. */
void gen_callback_begin(struct gen *g, struct gen_callback *cb, const char *name, unsigned n_params, uint32_t place);
/** One of bpf_loop that is shared: its parameters are an index and the closure, where its callers store such values as these are;
 *  `inside_ret` gets those that it finds there. */
void gen_callback_begin_shared(struct gen *g, struct gen_callback *cb, const char *name, const LLVMValueRef *values,
			       unsigned n, LLVMValueRef *inside_ret);
/** Back in the function around it, where the caller calls the helper ... */
void gen_callback_end(struct gen *g, struct gen_callback *cb);
/** (or, of one parameter, itself) */
void gen_callback_call(struct gen *g, const struct gen_callback *cb);
/** ... and then has the jumps out made. Releases `cb`. */
void gen_callback_exits(struct gen *g, struct gen_callback *cb);
/** Both: bpf_loop, and the jumps. */
void gen_callback_loop(struct gen *g, struct gen_callback *cb, LLVMValueRef rounds);

#endif
