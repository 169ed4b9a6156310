// SPDX-License-Identifier: GPL-2.0-or-later
/** Aggregates. */
#ifndef SP_LOWER_STAT_H
#define SP_LOWER_STAT_H

#include "compiler/lower/lower_ctx.h"

/** Makes the map one of the global's aggregates: what is kept follows from what the script reads. */
void lower_stat_map(struct lower *l, const struct global *g, struct ir_map *map);
/** Emits `target <<< value`. Returns the value when it is wanted, else NULL. */
struct ir_expr *lower_stat_add(struct lower *l, const struct ast_expr *e, bool wanted);
/** @count(s) and the like; a bucket of a histogram. */
struct ir_expr *lower_stat_get(struct lower *l, const struct ast_expr *e);
/** print(@hist_log(s)), sprint(@hist_log(s)): `e` is the AST_PRINT. */
void lower_stat_print(struct lower *l, const struct ast_expr *e);
struct ir_expr *lower_stat_text(struct lower *l, const struct ast_expr *e);
/** foreach (bucket in @hist_log(s)) */
void lower_stat_foreach(struct lower *l, const struct ast_stmt *s);

#endif
