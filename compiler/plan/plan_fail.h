// SPDX-License-Identifier: GPL-2.0-or-later
/** Which bodies can fail, and what follows from it for the script's end. */
#ifndef SP_PLAN_FAIL_H
#define SP_PLAN_FAIL_H

#include "compiler/plan/plan_calls.h"

/** Decides fails_in_kernel and fails_in_user of functions and programs. The forms of loops are known. */
void plan_fail(struct plan *plan, const struct plan_calls *calls);
/** May evaluating it fail, in any engine? What functions do is decided. */
bool plan_fail_may(const struct plan *plan, const struct ir_expr *e);
/** Decides can_end and starts_at_once, and is_one_shot and goes_on of programs. The sizes of scratch frames are known. */
void plan_ends(struct plan *plan);

#endif
