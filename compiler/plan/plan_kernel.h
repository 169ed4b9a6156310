// SPDX-License-Identifier: GPL-2.0-or-later
/** What kernel code may not hold, and the features of the target that it needs. */
#ifndef SP_PLAN_KERNEL_H
#define SP_PLAN_KERNEL_H

#include "compiler/plan/plan_env.h"

/** Reports what does not fit, and decides the plan's `features`, tells_site of programs, and reads_cpus. Loops have their forms, bodies their slots. */
void plan_kernel(const struct plan_env *env);

#endif
