// SPDX-License-Identifier: GPL-2.0-or-later
/** String expressions. Every string in memory has zeros behind its NUL up to its capacity, except in records. */
#ifndef SP_GEN_GEN_STR_H
#define SP_GEN_GEN_STR_H

#include "compiler/gen/core/gen_core.h"

/** Puts the value at `dst`. `padded`: with zeros up to its capacity. */
void gen_str_into(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded);
/** Puts the value at `dst`, with zeros up to sp_short_text(dst.cap) bytes when it ends in these, else up to its capacity, which is more. */
void gen_str_into_short(struct gen *g, const struct ir_expr *e, struct gen_str dst);
/** Where the value is: the variable, the constant, or the expression's slot. */
struct gen_str gen_str_address(struct gen *g, const struct ir_expr *e);

void gen_str_copy(struct gen *g, struct gen_str dst, struct gen_str src, bool padded);
/** Not just up to the NUL: memory (LOADMEM). */
void gen_str_copy_all(struct gen *g, struct gen_str dst, struct gen_str src);
void gen_str_literal(struct gen *g, struct gen_str dst, const char *text, uint32_t len, bool padded);

/** An i1: EQ NE LT LE GT GE of two strings. */
LLVMValueRef gen_str_compare(struct gen *g, const struct ir_expr *e);
/** The same of two strings in memory, zero behind their NUL where `op` is one of equality. */
LLVMValueRef gen_str_order(struct gen *g, enum ir_expr_op op, struct gen_str a, struct gen_str b);
/** The comparison of two numbers that such an operator is. */
LLVMIntPredicate gen_str_predicate(enum ir_expr_op op, bool is_signed);
LLVMValueRef gen_str_length(struct gen *g, const struct ir_expr *e);
/** An i1 */
LLVMValueRef gen_str_is_empty(struct gen *g, const struct ir_expr *e);

#endif
