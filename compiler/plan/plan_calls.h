// SPDX-License-Identifier: GPL-2.0-or-later
/** Who calls whom, and what follows from it. */
#ifndef SP_PLAN_CALLS_H
#define SP_PLAN_CALLS_H

#include "compiler/ir/ir.h"

struct plan_callees {
	SP_VEC(uint32_t) v; // functions, each once
};

struct plan_calls {
	struct plan_callees *funcs, *progs; // by index
	uint32_t *order; // every function behind those that it calls, except in cycles
	size_t n_funcs, n_progs;
};

/** Also sets is_recursive, in_kernel and in_user of functions, can_exit and keeps_match of programs (the patterns are known). */
void plan_calls_init(struct plan_calls *calls, struct ir_unit *unit);
/** Sets can_fail of functions and programs. The rounds of loops are counted. */
void plan_calls_fail(const struct plan_calls *calls, struct ir_unit *unit);
void plan_calls_deinit(struct plan_calls *calls);

#endif
