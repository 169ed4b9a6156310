// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions of the kernel's programs: what a handler does before it runs, and its memory: the stack, the scratch frame. */
#ifndef SP_GEN_GEN_KERNEL_FN_H
#define SP_GEN_GEN_KERNEL_FN_H

#include "compiler/gen/core/gen_engine.h"

extern const struct gen_engine_fn gen_kernel_fn;

#endif
