// SPDX-License-Identifier: GPL-2.0-or-later
/** Texts of whole C values (struct pretty). What is only printed goes into the record as it is in memory, read at once, and
 *  becomes text in user space; a string of the script is put together from the parts. */
#ifndef SP_LOWER_PRETTY_H
#define SP_LOWER_PRETTY_H

#include "compiler/lower/lower_print.h"

/** Appends the text of an AST_RESOLVED that has one. */
void lower_pretty_put(struct lower_format *f, const struct ast_expr *e);
/** The same as a string. */
struct ir_expr *lower_pretty_text(struct lower *l, const struct ast_expr *e);

#endif
