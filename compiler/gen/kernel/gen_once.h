// SPDX-License-Identifier: GPL-2.0-or-later
/** Loops over the memory of texts that the verifier follows once.
 *
 *  The problem. It follows a loop in all of its rounds for each way to it: a text of 512 bytes is 64 rounds, and a loop of the script around
 *  a few of them makes that a hundred thousand instructions.
 *
 *  The idea. A global function that gets pointers is followed by itself. That takes a frame of the stack: where there is none left, the
 *  loops are in place (plan_prog.has_texts_in_place).
 *
 *  The invariant. The kernel wants that memory to be writable which such a function gets: constants and keys of a walk are not. */
#ifndef SP_GEN_GEN_ONCE_H
#define SP_GEN_GEN_ONCE_H

#include "compiler/gen/core/gen_engine.h"

/** gen_engine_text.once */
LLVMValueRef gen_once(struct gen *g, const struct gen_once *once);

#endif
