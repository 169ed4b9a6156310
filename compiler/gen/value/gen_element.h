// SPDX-License-Identifier: GPL-2.0-or-later
/** FOREACH, as far as both engines make it alike: what happens with one element. */
#ifndef SP_GEN_GEN_ELEMENT_H
#define SP_GEN_GEN_ELEMENT_H

#include "compiler/gen/core/gen_core.h"

/** Puts the element into the loop's variables and runs the body. `done`: where BREAK goes, `next`: CONTINUE. */
void gen_element(struct gen *g, const struct ir_stmt *s, LLVMValueRef key, LLVMValueRef value, LLVMBasicBlockRef done,
		 LLVMBasicBlockRef next);
/** How many elements a loop with a limit takes, at least 0. */
LLVMValueRef gen_element_limit(struct gen *g, const struct ir_stmt *s);

#endif
