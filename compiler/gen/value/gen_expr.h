// SPDX-License-Identifier: GPL-2.0-or-later
/** Expressions with a long as their value. The others of this folder make what has one in both engines: elements of arrays, and
 *  numbers of 128 bits.
 *
 *  Each operation of the IR is a case of gen_long() or a row of its table of builtins, and becomes LLVM instructions at once. What
 *  an engine does in its own way, as reading an element, is asked of the engine's table (core/gen_engine.h). Operands come first,
 *  in the order that ir.h names, as they may fail: then code goes on at the enclosing TRY (core/gen_fail.h). */
#ifndef SP_GEN_GEN_EXPR_H
#define SP_GEN_GEN_EXPR_H

#include "compiler/gen/core/gen_core.h"

/** i64 */
LLVMValueRef gen_long(struct gen *g, const struct ir_expr *e);
/** Jumps by the value's truth; evaluates no more than it must. */
void gen_condition(struct gen *g, const struct ir_expr *e, LLVMBasicBlockRef then,
		   LLVMBasicBlockRef otherwise);
/** `which`: 0 where the condition holds, else 1. */
typedef LLVMValueRef (*gen_choice_fn)(struct gen *g, const void *ctx, int which);
/** One of two numbers, of which only the one that is chosen is computed. */
LLVMValueRef gen_choose(struct gen *g, const struct ir_expr *cond, gen_choice_fn value, const void *ctx);
/** For its effect: any type. */
void gen_effect(struct gen *g, const struct ir_expr *e);

#endif
