// SPDX-License-Identifier: GPL-2.0-or-later
/** Does the verifier know a number of embedded C in each round of a loop, whatever the program reads?
 *
 *  The problem. Of a number that moves in some rounds alone the verifier is told the range, gen_sums.h says why. Where the counter decides in
 *  which rounds, as in `if (i & 1) n++` or `if (++n == 10) n = 0`, it follows one path and knows the number, which the range does not tell. */
#ifndef SP_GEN_KNOWN_H
#define SP_GEN_KNOWN_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#define GEN_MOST_KNOWN 200 // values that are looked at

struct gen_loop {
	LLVMBasicBlockRef head, last;
	bool is_bounded; // the verifier sees that it ends
	bool is_counted; // by its counter alone
	unsigned rounds; // how often it goes back at most; 0: not known, or it goes back in other ways, too
};

/** A function's. */
struct gen_loops {
	const struct gen_loop *v;
	size_t n;
	const LLVMValueRef *forgotten; // variables of their heads of which the verifier is told nothing
	size_t n_forgotten;
};

struct gen_known {
	const struct gen_loops *loops;
	const struct gen_loop *loop; // the one whose rounds are meant; NULL: of no value is known that it is the same in all of them
	LLVMValueRef seen[GEN_MOST_KNOWN]; // known, if all that they are computed from is
	unsigned n_seen; // 0 to begin with
};

/** The loop with that head; NULL: none. */
const struct gen_loop *gen_known_loop(const struct gen_loops *loops, LLVMBasicBlockRef head);

/** Once it is false, what is asked with the same `known` means no more. */
bool gen_known_is(struct gen_known *known, LLVMValueRef value);

/** Does a block end with a condition that decides between two others? */
bool gen_known_is_conditional(LLVMValueRef end);

/** The conditions that decide which of a phi's values it has, where it is not one of a loop's head. */
bool gen_known_way(struct gen_known *known, LLVMValueRef phi);

#endif
