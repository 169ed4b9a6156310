// SPDX-License-Identifier: GPL-2.0-or-later
/** Embedded C that needs the kernel's helpers runs in the kernel alone. */
#ifndef SP_PLAN_EMBED_H
#define SP_PLAN_EMBED_H

#include "compiler/plan/plan_env.h"

/** Reports programs whose embedded C needs the kernel, but which cannot run there. Called after plan_calls. */
void plan_embed(const struct plan_env *env);

#endif
