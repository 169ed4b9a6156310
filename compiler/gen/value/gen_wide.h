// SPDX-License-Identifier: GPL-2.0-or-later
/** Unsigned numbers of several 64-bit words, the lowest first, which BPF has no instructions for: exact sums of squares,
 *  and the variance that comes of them. */
#ifndef SP_GEN_GEN_WIDE_H
#define SP_GEN_GEN_WIDE_H

#include "compiler/gen/core/gen_core.h"

#define GEN_WIDE_VARIANCE_SIZE 56 // of the memory for a division

/** 1 when a < b: the carry of an addition of b that gave a. */
LLVMValueRef gen_wide_carry(struct gen *g, LLVMValueRef a, LLVMValueRef b);
/** Adds x * y << 64 * at; what does not fit is lost. */
void gen_wide_add_product(struct gen *g, LLVMValueRef *words, unsigned n, LLVMValueRef x, LLVMValueRef y, unsigned at);

/** What is known of the values that went into an aggregate. */
struct gen_moments {
	LLVMValueRef count, sum[2], squares[3];
};
/** (count * squares - sum^2) / (count * (count - 1)), at most INT64_MAX; 0 of less than two values. `work`:
 *  GEN_WIDE_VARIANCE_SIZE bytes of the scratch frame. */
LLVMValueRef gen_wide_variance(struct gen *g, const struct gen_moments *m, LLVMValueRef work);

#endif
