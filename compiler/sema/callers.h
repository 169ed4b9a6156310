// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers that are for some of a site's events alone: calls from certain functions (`.callee`), new processes. The test is in
 *  front of the body. */
#ifndef SP_SEMA_CALLERS_H
#define SP_SEMA_CALLERS_H

#include "compiler/sema/sema.h"

/** The body for a site: `body` itself, or what leaves the handler when the event is another. Callers are looked at when the
 *  function is entered, also for a return. */
struct ast_stmt *callers_guard(struct sp_arena *arena, const struct site *site, const struct abi *abi, struct ast_stmt *body);

/** Warns of what the sites of a program hide from each other. */
void callers_check(const struct sema_opts *opts, const struct program *program);

#endif
