// SPDX-License-Identifier: GPL-2.0-or-later
/** Text of resolved trees: as in the script, fully parenthesised, with target variables as where they live. */
#ifndef SP_SEMA_DUMP_H
#define SP_SEMA_DUMP_H

#include "compiler/sema/program.h"

void dump_expr(struct sp_buf *out, const struct ast_expr *e);
/** Where a variable lives: "kernel ctx+0:8 -> +16". */
void dump_value_place(struct sp_buf *out, const struct site_value *v);
/** One statement a line, indented by tabs. */
void dump_stmt(struct sp_buf *out, const struct ast_stmt *s, int indent);

#endif
