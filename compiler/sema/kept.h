// SPDX-License-Identifier: GPL-2.0-or-later
/** Texts of target variables that only the runtime can make, when it prints them: those with floating point numbers, as of
 *  $all$ with a `double` in it. In println($all$) the handler hands on the bytes; in `s = $all$` it would need the text, which is
 *  refused, and for which @defined($all$) says no. */
#ifndef SP_SEMA_KEPT_H
#define SP_SEMA_KEPT_H

#include "compiler/sema/sema.h"

/** Does the body use the text of a target variable, or a list such as $$vars$, for more than printing it? */
bool kept_in(struct ast_stmt **body, const struct ast_expr *target);

/** Refuses such uses of texts that no handler can make. */
void kept_check(const struct sema_opts *opts, struct program *program);

#endif
