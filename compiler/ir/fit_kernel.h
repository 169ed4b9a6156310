// SPDX-License-Identifier: GPL-2.0-or-later
/** What kernel code may not hold, and the features of the target that it needs. */
#ifndef SP_IR_FIT_KERNEL_H
#define SP_IR_FIT_KERNEL_H

#include "compiler/front/diag.h"
#include "compiler/ir/ir.h"

struct fit_env {
	struct ir_unit *unit;
	struct source_map *sources;
	struct diag_ctx *dc;
};

/** Reports what does not fit, and adds to the unit's `features`. Loops have their forms. */
void fit_kernel(const struct fit_env *env);
/** The place in the script, SPAN_NONE when there is none. */
struct span fit_span(const struct fit_env *env, uint32_t place);

#endif
