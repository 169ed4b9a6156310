// SPDX-License-Identifier: GPL-2.0-or-later
/** Statements. */
#ifndef SP_LOWER_STMT_H
#define SP_LOWER_STMT_H

#include "compiler/lower/lower_ctx.h"

void lower_stmt(struct lower *l, const struct ast_stmt *s);
/** As a list of its own. NULL (or an empty statement) gives NULL. */
struct ir_stmt *lower_stmt_list(struct lower *l, const struct ast_stmt *s);

#endif
