// SPDX-License-Identifier: GPL-2.0-or-later
/** Who calls whom, and what follows from it. */
#ifndef SP_PLAN_CALLS_H
#define SP_PLAN_CALLS_H

#include "compiler/plan/plan.h"

struct plan_callees {
	SP_VEC(uint32_t) v; // functions, each once
};

struct plan_calls {
	struct plan_callees *funcs, *progs; // by index
	uint32_t *order; // callees before callers, but in cycles
	size_t n_funcs, n_progs;
};

/** Decides is_recursive, recurses, stacks, in_kernel, in_user and kernel_piece of functions, can_exit, sends_again, keeps_match, reads_site, reads_user and
 *  kernel_piece of programs, and max_nesting; the patterns are known. Takes programs with a kernel_piece out of the user engine. */
void plan_calls_init(struct plan_calls *calls, struct plan *plan);
/** Decides calls_back of functions and programs: loops have their forms, and it is known what is outlined. */
void plan_calls_back(const struct plan_calls *calls, struct plan *plan);
/** Is the statement's body a function that a helper calls back? */
static inline bool plan_is_callback(const struct plan *plan, const struct ir_stmt *s)
{
	return s->op == IR_S_FOREACH || (s->op == IR_S_LOOP && plan->codes[s->id].form == PLAN_LOOP_CALL);
}

bool plan_has_callback(const struct plan *plan, const struct ir_stmt *body);
void plan_calls_deinit(struct plan_calls *calls);

#endif
