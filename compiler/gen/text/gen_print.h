// SPDX-License-Identifier: GPL-2.0-or-later
/** Records with arguments, and sprintf. */
#ifndef SP_GEN_GEN_PRINT_H
#define SP_GEN_GEN_PRINT_H

#include "compiler/gen/core/gen_core.h"

struct gen_format_arg;

void gen_print_emit(struct gen *g, const struct ir_stmt *s);
void gen_print_sprintf(struct gen *g, const struct ir_expr *e, struct gen_str dst);
/** Fills in the record of the format `id` with these values. */
void gen_print_record(struct gen *g, uint32_t id, struct ir_expr **args, const struct gen_format_arg *values,
		      LLVMValueRef record);
/** dst = before, then the number in hexadecimal with 16 digits. */
void gen_print_hex(struct gen *g, struct gen_str dst, const char *before, LLVMValueRef number);

#endif
