// SPDX-License-Identifier: GPL-2.0-or-later
/** Warns of globals that the rest of a handler changes (lower/lower_rest.h) and a handler in the kernel reads: it sees the change
 *  late. */
#ifndef SP_PLAN_REST_H
#define SP_PLAN_REST_H

#include "compiler/plan/plan_calls.h"
#include "compiler/plan/plan_env.h"

void plan_rest(const struct plan_env *env, const struct plan_calls *calls);

#endif
