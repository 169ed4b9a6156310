// SPDX-License-Identifier: GPL-2.0-or-later
/** Statements. */
#ifndef SP_GEN_GEN_STMT_H
#define SP_GEN_GEN_STMT_H

#include "compiler/gen/core/gen_core.h"

/** A list by `next`. */
void gen_stmts(struct gen *g, const struct ir_stmt *s);
/** One round of a LOOP: its body, then its step, then on to `next`. `done`: where BREAK goes. */
void gen_stmts_round(struct gen *g, const struct ir_stmt *s, LLVMBasicBlockRef done, LLVMBasicBlockRef next);
/** Is this string local written before it is read, in straight code? Then it needs no initial value. */
bool gen_stmts_sets_first(const struct ir_stmt *body, uint32_t local);

#endif
