// SPDX-License-Identifier: GPL-2.0-or-later
/** The loops of embedded C. */
#ifndef SP_GEN_EMBED_LOOP_H
#define SP_GEN_EMBED_LOOP_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/** Does one of the function's loops go round until something else than a number of rounds ends it? Each round of a loop ends by a jump
 *  from then on. */
bool gen_embed_has_unbounded_loop(LLVMBuilderRef builder, LLVMValueRef fn);

#endif
