// SPDX-License-Identifier: GPL-2.0-or-later
/** Who calls whom, and what follows from it. */
#ifndef SP_IR_FIT_CALLS_H
#define SP_IR_FIT_CALLS_H

#include "compiler/ir/ir.h"

struct fit_callees {
	SP_VEC(uint32_t) v; // functions, each once
};

struct fit_calls {
	struct fit_callees *funcs, *progs; // by index
	uint32_t *order; // every function behind those that it calls, except in cycles
	size_t n_funcs, n_progs;
};

/** Also sets is_recursive, in_kernel and in_user of functions, can_exit and keeps_match of programs (the patterns are known). */
void fit_calls_init(struct fit_calls *calls, struct ir_unit *unit);
/** Sets can_fail of functions and programs. The rounds of loops are counted. */
void fit_calls_fail(const struct fit_calls *calls, struct ir_unit *unit);
void fit_calls_deinit(struct fit_calls *calls);

#endif
