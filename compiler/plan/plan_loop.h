// SPDX-License-Identifier: GPL-2.0-or-later
/** Loops: how often they run, when that can be told, and what form they take in kernel code. */
#ifndef SP_PLAN_LOOP_H
#define SP_PLAN_LOOP_H

#include "compiler/plan/plan_calls.h"

/** Decides `form` and `trips` of every loop. */
void plan_loop(struct plan *plan, const struct plan_calls *calls);

#endif
