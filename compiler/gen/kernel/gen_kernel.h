// SPDX-License-Identifier: GPL-2.0-or-later
/** The kernel as an engine: programs that its verifier takes. */
#ifndef SP_GEN_GEN_KERNEL_H
#define SP_GEN_GEN_KERNEL_H

#include "compiler/gen/core/gen_core.h"

extern const struct gen_engine gen_kernel;

#endif
