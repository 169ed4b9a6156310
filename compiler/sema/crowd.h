// SPDX-License-Identifier: GPL-2.0-or-later
/** A wildcard whose handler comes out otherwise at more sites than a script may have programs: that is known when enough sites have been
 *  resolved for a look, long before all are resolved, typed and lowered.
 *
 *  What is counted is what no later pass makes equal: programs of one place, and handlers that surely print, by what they print. So
 *  nothing is refused here that plan/plan.c would take; it refuses what is not counted here. */
#ifndef SP_SEMA_CROWD_H
#define SP_SEMA_CROWD_H

#include "compiler/sema/sema.h"

#include "runtime/base/hash.h"

struct crowd {
	struct sp_hash seen; // what is printed
	size_t n; // programs that there will be at least
	size_t n_sites; // where they were looked for
};

void crowd_deinit(struct crowd *crowd);

/** Counts the resolved body of a handler at one more of its sites. */
void crowd_add(struct crowd *crowd, const struct site *site, const struct ast_stmt *body);
/** Are there more programs already than a script may have? */
bool crowd_is_full(const struct crowd *crowd);
/** Could there be as many at `n_sites` sites, as far as one knows? */
bool crowd_may_fill(const struct crowd *crowd, size_t n_sites);
/** Reports that it is full. */
void crowd_report(const struct crowd *crowd, const struct sema_opts *opts, const struct handler *handler);

#endif
