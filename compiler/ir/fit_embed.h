// SPDX-License-Identifier: GPL-2.0-or-later
/** Embedded C that needs the kernel's helpers runs in the kernel alone. */
#ifndef SP_IR_FIT_EMBED_H
#define SP_IR_FIT_EMBED_H

#include "compiler/ir/fit_kernel.h"

/** Takes programs out of the user engine that could not run there, and reports those that could run nowhere else. */
void fit_embed(const struct fit_env *env);

#endif
