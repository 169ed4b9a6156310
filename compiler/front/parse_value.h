// SPDX-License-Identifier: GPL-2.0-or-later
/** The operands of operators: names, literals, calls, elements, `$targets` with their -> and [] steps. */
#ifndef SP_FRONT_PARSE_VALUE_H
#define SP_FRONT_PARSE_VALUE_H

#include "compiler/front/parser.h"

/** A value with the steps behind it. */
struct ast_expr *parse_value(struct parser *p);
/** An AST_ERROR at the current token, in place of an expression that cannot be parsed. */
struct ast_expr *parse_value_error(struct parser *p);
/** Adjacent string literals glued together; the current token is a string. */
struct ast_expr *parse_string(struct parser *p);
/** Parses "a, b" up to `end`, which is consumed; `open` is the ( or [ before it. `stars`: an element may be `*`: NULL. */
struct ast_list parse_expr_list(struct parser *p, enum tok_kind end, const struct token *open, bool stars);
/** A number literal with an optional minus; false when there is none. */
bool parse_number(struct parser *p, int64_t *ret);

#endif
