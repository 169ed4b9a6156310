// SPDX-License-Identifier: GPL-2.0-or-later
/** Expressions with a long as their value. */
#ifndef SP_GEN_GEN_EXPR_H
#define SP_GEN_GEN_EXPR_H

#include "compiler/gen/core/gen_core.h"

/** i64 */
LLVMValueRef gen_long(struct gen *g, const struct ir_expr *e);
/** Jumps by the value's truth; evaluates no more than it must. */
void gen_condition(struct gen *g, const struct ir_expr *e, LLVMBasicBlockRef then,
		   LLVMBasicBlockRef otherwise);
/** For its effect: any type. */
void gen_effect(struct gen *g, const struct ir_expr *e);

#endif
