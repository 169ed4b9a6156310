// SPDX-License-Identifier: GPL-2.0-or-later
/** Stacks, and the text of addresses. */
#ifndef SP_GEN_GEN_SYMBOLS_H
#define SP_GEN_GEN_SYMBOLS_H

#include "compiler/gen/text/gen_str.h"

/** Fills in the struct sp_symbols of a late SYMBOLS. `address`: the value of its operand; NULL: of the stack. */
void gen_symbols_fill(struct gen *g, const struct ir_expr *e, LLVMValueRef address, LLVMValueRef place);
/** The text of one that is not late; in the kernel only of those that the plan lets through. */
void gen_symbols_text(struct gen *g, const struct ir_expr *e, struct gen_str dst);
/** The builtins __stack(n) and __ustack(n). */
LLVMValueRef gen_symbols_frame(struct gen *g, const struct ir_expr *e);

#endif
