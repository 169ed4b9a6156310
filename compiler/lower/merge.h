// SPDX-License-Identifier: GPL-2.0-or-later
/** Which sites of a probe statement share one program: a wildcard of thousands of functions loads as one.
 *
 *  A handler that uses something of its site is lowered at each site by itself, and sites whose code comes out equal share a
 *  program. What is compared is the IR itself (ir_equal.h), so there is no difference between them that anyone later could see.
 *  Sites of a handler that uses nothing of them need no comparison, only hooks that are alike.
 *
 *  A site that joins a program leaves nothing behind but its row in the table of sites. */
#ifndef SP_LOWER_MERGE_H
#define SP_LOWER_MERGE_H

#include "compiler/lower/lower_ctx.h"

/** A handler as it is at one of its sites. */
struct instance {
	const struct handler *handler;
	const struct site *site;
	bool can_merge;
	bool has_own_text; // as that of struct lower: sites with the same handler differ
	struct ir_prog prog; // its name, section and sites are not known yet
	uint32_t first_func, n_funcs; // the functions that are copied for it: the newest ones of the unit
};

struct merge_group;

struct merge {
	struct lower *l;
	SP_VEC(struct merge_group *) groups; // in the order in which the first of each came
	struct sp_hash index; // origin and hash of the code -> struct merge_group, a chain
};

void merge_init(struct merge *merge, struct lower *l);
void merge_deinit(struct merge *merge);

/** Can sites of the statement share a program at all? */
bool merge_is_possible(const struct lower *l, const struct handler *handler, const struct site *site);
/** Of an instance that is no more than started: adds the site to the program of an earlier site of the handler, and returns
 *  true. A handler has several sites when its body uses nothing of them (sema/context.c), so the code needs no comparison. */
bool merge_join(struct merge *merge, const struct instance *instance);
/** Adds the site to an equal instance's program, and returns true: the unit's newest functions, which are the instance's, are
 *  gone then. Else the instance becomes a program. */
bool merge_add(struct merge *merge, struct instance *instance);
/** Appends the programs and their sites to the unit. */
void merge_finish(struct merge *merge);

#endif
