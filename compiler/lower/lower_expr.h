// SPDX-License-Identifier: GPL-2.0-or-later
/** Expressions. */
#ifndef SP_LOWER_EXPR_H
#define SP_LOWER_EXPR_H

#include "compiler/lower/lower_ctx.h"

/** The value. Never NULL: what is broken was reported and gives 0 or "". */
struct ir_expr *lower_expr(struct lower *l, const struct ast_expr *e);
/** For its effects alone: emits statements. */
void lower_effect(struct lower *l, const struct ast_expr *e);

/** `a op b`, with the place of its failure. */
struct ir_expr *lower_apply(struct lower *l, enum ast_binary_op op, struct ir_expr *a, struct ir_expr *b,
			    struct span span);

/** A key. `keep` puts parts that are not plain into temporaries, for keys that are used twice. */
struct ir_expr **lower_key(struct lower *l, const struct ast_list *keys, bool keep);
/** Puts parts of the key into temporaries, in their order: all but variables that neither a part behind them nor `value` (NULL: none)
 *  changes. */
void lower_keep_key(struct lower *l, struct ir_expr **key, unsigned n, struct ir_expr *value);
/** The same in an expression, for a key that is the text of one variable: it is copied when `value` may change it. */
void lower_protect_key(struct lower *l, struct ir_expr **key, unsigned n, struct ir_expr *value);
/** A key that is the text of one variable is read where that stands, behind `value`: may this change it? */
bool lower_changes_key(struct ir_expr *const *key, unsigned n, struct ir_expr *value);
/** Emits `variable = value` for a local or global scalar. */
void lower_store(struct lower *l, const struct ast_expr *target, struct ir_expr *value, uint32_t place);
/** 1 when all parts of a slice that are no `*` (NULL in `parts`) equal these locals; NULL when every part is `*`. */
struct ir_expr *lower_slice_match(struct lower *l, struct ir_expr *const *parts, const uint32_t *locals, unsigned n);
/** 1 when the array has an element of these keys. */
struct ir_expr *lower_has(struct lower *l, uint32_t map, const uint32_t *locals, uint32_t place);
/** The parts of a slice, in temporaries; NULL where it has `*`. */
struct ir_expr **lower_slice(struct lower *l, const struct ast_list *keys);
/** foreach ([temporaries] in the array) with an empty body. */
struct ir_stmt *lower_walk_map(struct lower *l, uint32_t map, uint32_t place);

#endif
