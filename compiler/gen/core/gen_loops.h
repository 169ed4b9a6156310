// SPDX-License-Identifier: GPL-2.0-or-later
/** Loops as the verifier follows them, round by round: those of embedded C, and those of handlers. */
#ifndef SP_GEN_LOOPS_H
#define SP_GEN_LOOPS_H

#include "compiler/gen/core/gen_core.h"
#include <stdbool.h>

/** Does one of the loops of embedded C go round until something else than a number of rounds ends it? Each round of a loop ends by a jump
 *  from then on. */
bool gen_loops_are_unbounded(LLVMBuilderRef builder, LLVMValueRef fn);

/** Handlers' loops have a counter of their own: lets the verifier forget the other numbers of a round, as gen_loops_are_unbounded() does for
 *  embedded C. After LLVM's passes. */
void gen_loops_forget_sums(struct gen *g, LLVMValueRef fn);

#endif
