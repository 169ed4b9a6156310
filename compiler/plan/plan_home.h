// SPDX-License-Identifier: GPL-2.0-or-later
/** Homes of strings and keys: on the BPF stack while it lasts, else in the scratch frame. */
#ifndef SP_PLAN_HOME_H
#define SP_PLAN_HOME_H

#include "compiler/plan/plan_calls.h"

/** Sets every home, stack_size and the scratch sizes, those of the unit included. */
void plan_home(struct ir_unit *unit, const struct plan_calls *calls);

#endif
