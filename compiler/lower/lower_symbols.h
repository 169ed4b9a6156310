// SPDX-License-Identifier: GPL-2.0-or-later
/** Text of addresses and stacks: symname(), backtrace() and the like. */
#ifndef SP_LOWER_SYMBOLS_H
#define SP_LOWER_SYMBOLS_H

#include "compiler/lower/lower_ctx.h"

/** A call of such a builtin; NULL: it is another one. */
struct ir_expr *lower_symbols(struct lower *l, const struct ast_expr *e);
/** A call of __stack(n) or __ustack(n). */
struct ir_expr *lower_frame(struct lower *l, const struct ast_expr *e);
/** Bytes that a late SYMBOLS takes in a record. */
uint32_t lower_symbols_size(const struct ir_expr *e);

#endif
