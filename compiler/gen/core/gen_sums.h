// SPDX-License-Identifier: GPL-2.0-or-later
/** Between which numbers what grows in some rounds of a loop stays: an index of embedded C, or a pointer that is moved on.
 *
 *  The problem. The verifier follows such an index with each value that it can have in each round, and all that was written through it.
 *
 *  The idea. Where each round adds no more than a constant, and the rounds are known, so is the range: the verifier is told that alone. */
#ifndef SP_GEN_SUMS_H
#define SP_GEN_SUMS_H

#include "compiler/gen/core/gen_known.h"

#include <stdint.h>

/** What a variable of a loop's head can be; of a pointer, in bytes behind `base`, which it has before the loop. */
struct gen_range {
	int64_t low, high;
	LLVMValueRef base; // NULL: a number
};

/** False: not known, or the same on all paths through the rounds, which the verifier follows. A number of 8 bits or fewer
 *  whose range is not known has that of its bits. */
bool gen_sums_range(const struct gen_loops *loops, LLVMValueRef variable, struct gen_range *ret);

/** Do conditions on all ways to a block keep the number in a range, or the one that it is computed from by constants? */
bool gen_sums_is_checked(LLVMBasicBlockRef block, LLVMValueRef number);

bool gen_sums_is_not_negative(LLVMBasicBlockRef block, LLVMValueRef number);

#endif
