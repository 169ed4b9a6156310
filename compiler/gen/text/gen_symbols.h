// SPDX-License-Identifier: GPL-2.0-or-later
/** Stacks, and addresses that are printed as names. */
#ifndef SP_GEN_GEN_SYMBOLS_H
#define SP_GEN_GEN_SYMBOLS_H

#include "compiler/gen/text/gen_str.h"

/** Fills in the struct sp_symbols of a late SYMBOLS. `address`: the value of its operand; NULL: of the stack. */
void gen_symbols_fill(struct gen *g, const struct ir_expr *e, LLVMValueRef address, LLVMValueRef place);
/** Puts the addresses of the stack that SYMBOLS asks for into SP_SYMBOLS_PLACES places. Returns their bytes. */
LLVMValueRef gen_symbols_stack(struct gen *g, const struct ir_expr *e, LLVMValueRef places);
/** The builtins __stack(n) and __ustack(n). */
LLVMValueRef gen_symbols_frame(struct gen *g, const struct ir_expr *e);

#endif
