// SPDX-License-Identifier: GPL-2.0-or-later
/** Loops of the generator's own code over texts. Where the kernel has bpf_loop, the body becomes a function that the
 *  verifier looks at once, however many rounds there are; elsewhere it is a loop in place.
 *
 *  What a body carries from round to round must be in memory whose contents the verifier does not follow (the scratch
 *  frame): as values, each number of rounds would be a state of its own, and all that follows would be verified as often.
 */
#ifndef SP_GEN_GEN_REPEAT_H
#define SP_GEN_GEN_REPEAT_H

#include "compiler/gen/core/gen_core.h"

#define GEN_REPEAT_LIVE 8

struct gen_repeat {
	/** Unique for the code that `body` makes: two with one name share it. */
	const char *name;
	uint32_t trips;
	LLVMValueRef live[GEN_REPEAT_LIVE]; // the pointers and numbers that the body uses, which do not change
	unsigned n_live;
	const void *arg;
	/** Makes one round; an i1: is there another one? `live` are those of the place where it is made. It uses no other
	 *  values of the surrounding code, and cannot fail. */
	LLVMValueRef (*body)(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live);
};

void gen_repeat(struct gen *g, const struct gen_repeat *r);

#endif
