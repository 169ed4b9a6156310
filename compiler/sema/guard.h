// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers that are for some of a site's events alone: calls from certain functions (`.callee`), new processes. The test is in
 *  front of the body. */
#ifndef SP_SEMA_GUARD_H
#define SP_SEMA_GUARD_H

#include "compiler/sema/sema.h"

/** The body for a site: `body` itself, or what leaves the handler when the event is another. Callers are looked at when the
 *  function is entered, also for a return. */
struct ast_stmt *guard_body(struct sp_arena *arena, const struct site *site, const struct abi *abi, struct ast_stmt *body);

#endif
