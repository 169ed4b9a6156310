// SPDX-License-Identifier: GPL-2.0-or-later
/** ppfunc() and probefunc() in samples (timer.profile, perf.*) and at watchpoints, which are at no function of their own: there they give the function
 *  that was interrupted. At all other sites they are a text of the site. */
#ifndef SP_SEMA_SAMPLED_H
#define SP_SEMA_SAMPLED_H

#include "compiler/sema/program.h"

/** Is the site such a sample? */
bool sampled_is(const struct site *site);
/** Is it ppfunc(), at a sample? `site` may be NULL. */
bool sampled_is_asked(const struct ast_expr *e, const struct site *site);
/** user_mode() ? usymname(addr()) : symname(addr()), in the place of `call`. */
struct ast_expr *sampled_function(struct sp_arena *arena, const struct ast_expr *call);

#endif
