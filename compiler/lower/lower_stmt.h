// SPDX-License-Identifier: GPL-2.0-or-later
/** Statements of the script to statements of the IR. */
#ifndef SP_LOWER_STMT_H
#define SP_LOWER_STMT_H

#include "compiler/lower/lower_ctx.h"

/** Appends to the list that is being made. */
void lower_stmt(struct lower *l, const struct ast_stmt *s);

#endif
