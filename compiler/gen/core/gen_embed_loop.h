// SPDX-License-Identifier: GPL-2.0-or-later
/** The loops of embedded C, and what both they and those of handlers have summed up. */
#ifndef SP_GEN_EMBED_LOOP_H
#define SP_GEN_EMBED_LOOP_H

#include "compiler/gen/core/gen_core.h"
#include <stdbool.h>

/** Does one of the function's loops go round until something else than a number of rounds ends it? Each round of a loop ends by a jump
 *  from then on. */
bool gen_embed_has_unbounded_loop(LLVMBuilderRef builder, LLVMValueRef fn);

/** Handlers' loops have a counter of their own: lets the verifier forget the other numbers of a round, as it does those of embedded C. After
 *  LLVM's passes. */
void gen_embed_forget_sums(struct gen *g, LLVMValueRef fn);

#endif
