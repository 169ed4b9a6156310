// SPDX-License-Identifier: GPL-2.0-or-later
/** Slots of strings, keys and shared numbers: on the BPF stack while there is some, else in the scratch frame. */
#ifndef SP_PLAN_SLOT_H
#define SP_PLAN_SLOT_H

#include "compiler/plan/plan_calls.h"

/** Decides the layouts that programs use, and the sizes of the scratch frame. */
void plan_slots(struct plan *plan, const struct plan_calls *calls);

#endif
