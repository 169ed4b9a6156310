// SPDX-License-Identifier: GPL-2.0-or-later
/** What the script does with each of its arrays. */
#ifndef SP_PLAN_MAP_H
#define SP_PLAN_MAP_H

#include "compiler/plan/plan.h"

/** When it is known which functions run where. */
void plan_map(struct plan *plan);

#endif
