// SPDX-License-Identifier: GPL-2.0-or-later
/** What the steps of planning share. */
#ifndef SP_PLAN_ENV_H
#define SP_PLAN_ENV_H

#include "compiler/plan/plan.h"

struct plan_env {
	const struct ir_unit *unit;
	struct plan *plan; // that is being made
	const struct source_map *sources;
	struct diag_ctx *dc;
};

/** The place in the script, SPAN_NONE when there is none. */
static inline struct span plan_span(const struct plan_env *env, uint32_t place)
{
	return ir_place_span(place == IR_NO_PLACE ? NULL : &env->unit->places.v[place], env->sources);
}

#endif
