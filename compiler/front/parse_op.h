// SPDX-License-Identifier: GPL-2.0-or-later
/** Operators that begin with @, and the functions of the print family, whose arguments have a syntax of their own. */
#ifndef SP_FRONT_PARSE_OP_H
#define SP_FRONT_PARSE_OP_H

#include "compiler/front/parser.h"

/** Parses an operator; the current token is TOK_AT. */
struct ast_expr *parse_operator(struct parser *p);

/** Is it the name of one of print, sprintf, ...? */
bool parse_op_is_print(const struct token *token);
struct ast_expr *parse_print(struct parser *p);

bool parse_op_is_hist(const struct token *token);
/** @hist_log(x), @hist_linear(x, low, high, step), with an optional [bucket]. */
struct ast_expr *parse_hist(struct parser *p);
/** Is it one of @count, @sum, @min, @max and @avg, by which foreach can sort? */
bool parse_op_stat(const struct token *token, enum ast_stat_op *ret);

/** Reports embedded code, which `what` describes, in a script that may not have any (not in guru mode, and not of the library). */
void parse_op_check_embedded(struct parser *p, struct span span, const char *what);

#endif
