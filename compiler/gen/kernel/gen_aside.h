// SPDX-License-Identifier: GPL-2.0-or-later
/** A function of the generator's own that code in several places calls, such as "put an element into this wrapping array". It is
 *  made where it is first wanted, in the middle of another function or of none. */
#ifndef SP_GEN_GEN_ASIDE_H
#define SP_GEN_GEN_ASIDE_H

#include "compiler/gen/core/gen_debug.h"

struct gen_aside {
	struct gen_fn fn;
	struct gen_frame none;
	struct gen_debug_scope scope;
	// Where code was made before; NULL: nowhere.
	struct gen_fn *outer;
	struct gen_frame *frame;
	LLVMBasicBlockRef here;
};

/** From here on code goes into the function; it returns a long. */
LLVMValueRef gen_aside_begin(struct gen *g, struct gen_aside *aside, const char *name, const LLVMTypeRef *params,
			     unsigned n_params);
/** The same for a global function, which the verifier follows by itself. `sizes` are those of gen_debug_global: what it gets a pointer to
 *  may be no pointer, for all that the verifier knows. */
LLVMValueRef gen_aside_begin_global(struct gen *g, struct gen_aside *aside, const char *name, const LLVMTypeRef *params,
				    unsigned n_params, const uint32_t *sizes);
/** From here on code goes where it went before. */
void gen_aside_end(struct gen *g, struct gen_aside *aside);

#endif
