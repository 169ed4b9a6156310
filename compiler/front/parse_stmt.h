// SPDX-License-Identifier: GPL-2.0-or-later
/** Statements. */
#ifndef SP_FRONT_PARSE_STMT_H
#define SP_FRONT_PARSE_STMT_H

#include "compiler/front/parser.h"

/** Parses "{ ... }". Never NULL; an empty block after a report. */
struct ast_stmt *parse_block(struct parser *p);

#endif
