// SPDX-License-Identifier: GPL-2.0-or-later
/** The text of addresses that is made in the kernel: a name of the kernel, or the digits of a stack. */
#ifndef SP_GEN_GEN_KERNEL_SYMBOLS_H
#define SP_GEN_GEN_KERNEL_SYMBOLS_H

#include "compiler/gen/core/gen_core.h"

/** gen_engine_text.symbols */
void gen_kernel_symbols(struct gen *g, const struct ir_expr *e, struct gen_str dst, uint32_t zeros);

#endif
