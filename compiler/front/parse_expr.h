// SPDX-License-Identifier: GPL-2.0-or-later
/** Expressions. From low to high precedence, as the language has them:
 *
 *      = op= <<<           right     the left side is a variable
 *      ?:                  right
 *      ||                  left
 *      &&                  left
 *      | ^ &               left      each its own level, | the lowest
 *      in                  none      its left side is [a, b] or anything that binds tighter
 *      == != < <= > >= =~ !~  left   one level; what stands right of =~ and !~ is a string literal
 *      << >> >>>           left
 *      .                   left      concatenation binds less than + and -
 *      + -                 left
 *      * / %               left
 *      + - ! ~ ++ -- &     prefix
 *      -> [] ++ --         postfix
 */
#ifndef SP_FRONT_PARSE_EXPR_H
#define SP_FRONT_PARSE_EXPR_H

#include "compiler/front/parser.h"

/** Never NULL: AST_ERROR after a report. */
struct ast_expr *parse_expr(struct parser *p);
/** Adjacent string literals glued together; the current token is a string. */
struct ast_expr *parse_string(struct parser *p);
/** "a, b" up to `end`, which is consumed; `open` is the ( or [ before it. NULL elements for `*` when `stars`. */
struct ast_list parse_expr_list(struct parser *p, enum tok_kind end, const struct token *open, bool stars);
/** A number literal with an optional minus; false when there is none. */
bool parse_number(struct parser *p, int64_t *ret);

/** Tells that an expression with a child of this height was made around the last one. */
void parse_expr_grow(struct parser *p, unsigned child_height);

#endif
