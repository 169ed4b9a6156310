// SPDX-License-Identifier: GPL-2.0-or-later
/** Values that a coroutine spills. A function that is left and entered again at points in its middle finds nothing in registers:
 *  what was computed before a point and is used behind it is kept in memory, so are variables; addresses are computed again. */
#ifndef SP_GEN_GEN_SPILL_H
#define SP_GEN_GEN_SPILL_H

#include "compiler/gen/core/gen_core.h"

/** `points`: the blocks where `fn` may be entered from its first ones. What is kept goes to gen_kernel_fn.variables of g->fn, whose
 *  first block has the variables. */
void gen_spill(struct gen *g, LLVMValueRef fn, const LLVMBasicBlockRef *points, size_t n_points);

#endif
