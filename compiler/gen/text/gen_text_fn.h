// SPDX-License-Identifier: GPL-2.0-or-later
/** The builtins that look through strings, or make new ones of them. */
#ifndef SP_GEN_GEN_TEXT_FN_H
#define SP_GEN_GEN_TEXT_FN_H

#include "compiler/gen/core/gen_core.h"

/** A builtin that gives a string, put at `dst` with zeros behind. */
void gen_text_fn_string(struct gen *g, const struct ir_expr *e, struct gen_str dst);
/** Those that give a number. */
LLVMValueRef gen_text_fn_byte(struct gen *g, const struct ir_expr *e);
LLVMValueRef gen_text_fn_strpos(struct gen *g, const struct ir_expr *e);
LLVMValueRef gen_text_fn_strtol(struct gen *g, const struct ir_expr *e);

#endif
