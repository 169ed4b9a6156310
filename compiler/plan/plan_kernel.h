// SPDX-License-Identifier: GPL-2.0-or-later
/** What kernel code may not hold, and the features of the target that it needs. */
#ifndef SP_PLAN_KERNEL_H
#define SP_PLAN_KERNEL_H

#include "compiler/front/diag.h"
#include "compiler/ir/ir.h"

struct plan_env {
	struct ir_unit *unit;
	struct source_map *sources;
	struct diag_ctx *dc;
};

/** Reports what does not fit, and adds to the unit's `features`. Loops have their forms. */
void plan_kernel(const struct plan_env *env);
/** The place in the script, SPAN_NONE when there is none. */
struct span plan_span(const struct plan_env *env, uint32_t place);

#endif
