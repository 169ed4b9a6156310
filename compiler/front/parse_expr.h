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

/** To be called when an expression has been made around the one that was parsed last and around one of `child_height` (0: none):
 *  keeps the height of the tree, and ends the parse when it exceeds PARSER_MAX_DEPTH. */
void parse_expr_grow(struct parser *p, unsigned child_height);

#endif
