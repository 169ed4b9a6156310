// SPDX-License-Identifier: GPL-2.0-or-later
/** A function of the generator's own that is made while another one is, or for itself: what several places call. */
#ifndef SP_GEN_GEN_ASIDE_H
#define SP_GEN_GEN_ASIDE_H

#include "compiler/gen/core/gen_debug.h"

struct gen_aside {
	struct gen_fn fn;
	struct gen_frame none;
	struct gen_debug_scope scope;
	// What the builder was at; NULL: nothing.
	struct gen_fn *outer;
	struct gen_frame *frame;
	LLVMBasicBlockRef here;
};

/** From here on code goes into the function; it returns a long. */
LLVMValueRef gen_aside_begin(struct gen *g, struct gen_aside *aside, const char *name, const LLVMTypeRef *params,
			     unsigned n_params);
/** Back where the builder was. */
void gen_aside_end(struct gen *g, struct gen_aside *aside);

#endif
