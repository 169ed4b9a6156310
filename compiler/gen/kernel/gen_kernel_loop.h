// SPDX-License-Identifier: GPL-2.0-or-later
/** Loops in the kernel: the verifier must see that they end, so each has the form that the plan chose. */
#ifndef SP_GEN_GEN_KERNEL_LOOP_H
#define SP_GEN_GEN_KERNEL_LOOP_H

#include "compiler/gen/core/gen_core.h"

void gen_kernel_loop(struct gen *g, const struct ir_stmt *s);

#endif
