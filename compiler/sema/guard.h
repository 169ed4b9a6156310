// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers that are for some of a site's events alone: calls from certain functions (`.callee`), new processes, or those outside of
 *  pauses. The test is in front of the body. */
#ifndef SP_SEMA_GUARD_H
#define SP_SEMA_GUARD_H

#include "compiler/sema/sema.h"

/** The body for a site: `body` itself, or what leaves the handler when the event is another. Callers are looked at when the
 *  function is entered, also for a return. `probe`: the number of the probe statement. */
struct ast_stmt *guard_body(struct program *program, const struct site *site, const struct abi *abi, unsigned probe,
			    struct ast_stmt *body);
/** The body for a site that does nothing, which is counted, while the runtime wants a pause (--max-overhead). */
struct ast_stmt *guard_pause(struct program *program, const struct site *site, struct ast_stmt *body);
/** What a handler asks, itself or in what it calls, that is only known in the task that hits a probe, so that it cannot run for a
 *  process that runs already (SP_SITE_RUNNING); NULL: nothing. */
const char *guard_needs_task(struct program *program, struct ast_stmt *body);

#endif
