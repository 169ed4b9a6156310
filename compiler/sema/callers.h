// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers that are for calls from certain functions alone (`.callee`): the test in front of the body. */
#ifndef SP_SEMA_CALLERS_H
#define SP_SEMA_CALLERS_H

#include "compiler/sema/sema.h"

/** The body for a site: `body` itself, or what leaves the handler when the site's callers are others. Evaluated at the
 *  function's entry, also for a return. */
struct ast_stmt *callers_guard(struct sp_arena *arena, const struct site *site, struct ast_stmt *body);

/** Warns of what the sites of a program hide from each other. */
void callers_check(const struct sema_opts *opts, const struct program *program);

#endif
