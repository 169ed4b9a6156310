// SPDX-License-Identifier: GPL-2.0-or-later
/** Assignments that change the probed program: target variables, @uderef, @uregister. */
#ifndef SP_LOWER_WRITE_H
#define SP_LOWER_WRITE_H

#include "compiler/lower/lower_ctx.h"

/** Is it a target of an assignment that belongs to the probed program? */
bool lower_is_foreign(const struct ast_expr *target);
/** Emits an AST_ASSIGN or AST_INCDEC of such a target; returns its value, NULL when it is not wanted. */
struct ir_expr *lower_write(struct lower *l, const struct ast_expr *e, bool wanted);

#endif
