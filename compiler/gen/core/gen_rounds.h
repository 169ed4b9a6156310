// SPDX-License-Identifier: GPL-2.0-or-later
/** Counts the rounds of a loop as its counter does. */
#ifndef SP_GEN_ROUNDS_H
#define SP_GEN_ROUNDS_H

#include <limits.h>
#include <llvm-c/Core.h>
#include <stdbool.h>

#define GEN_SOME_DAY UINT_MAX // after rounds that are not known

/** A variable of the loop's head, the constant that it is in the first round, and what it is in the next one: computed from it by constants. */
struct gen_counter {
	LLVMValueRef variable, first, next;
};

/** The round in which a comparison of what is computed from the counter by constants is `value`, the first one being 1. */
unsigned gen_rounds_until(LLVMValueRef comparison, bool value, const struct gen_counter *counter);

#endif
