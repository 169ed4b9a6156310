// SPDX-License-Identifier: GPL-2.0-or-later
/** The print and sprint family: everything becomes a format and the values that it takes. A string that is only printed
 *  is never put together: `print("a" . b)` is a format "a%s" with b. */
#ifndef SP_IR_LOWER_PRINT_H
#define SP_IR_LOWER_PRINT_H

#include "compiler/ir/lower_ctx.h"

/** Emits the record; nothing when there is nothing to print. */
void lower_print(struct lower *l, const struct ast_expr *e);
struct ir_expr *lower_sprint(struct lower *l, const struct ast_expr *e);
/** One text as a record of its own: log() and warn(). */
struct ir_stmt *lower_line(struct lower *l, const struct ast_expr *text, enum sp_format_kind kind, uint32_t place);

#endif
