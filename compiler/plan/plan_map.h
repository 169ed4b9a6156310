// SPDX-License-Identifier: GPL-2.0-or-later
/** What the script does with each of its arrays. */
#ifndef SP_PLAN_MAP_H
#define SP_PLAN_MAP_H

#include "compiler/plan/plan.h"

/** Decides is_lasting, is_apart and is_ordered_for_user of maps. It must be known which functions run where. */
void plan_map(struct plan *plan);

#endif
