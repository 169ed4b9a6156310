// SPDX-License-Identifier: GPL-2.0-or-later
/** `if (x > most) most = x`, as one operation. */
#ifndef SP_GEN_GEN_EXTREME_H
#define SP_GEN_GEN_EXTREME_H

#include "compiler/gen/core/gen_core.h"

void gen_extreme(struct gen *g, const struct plan_extreme *x);

#endif
