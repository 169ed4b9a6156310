// SPDX-License-Identifier: GPL-2.0-or-later
/** Addresses near what uses them.
 *
 *  The problem. A handler has a few hundred places in scratch memory. LLVM computes the address of each once, and keeps it on the stack
 *  for the next one that needs it, although it is no more than an addition: a large handler has not so much stack.
 *
 *  The idea. In handlers that are made anew because of their stack, each use gets an address of its own, of a base that LLVM
 *  takes for another one: the bases alone are kept. Loads and stores need no address, as theirs is a part of the instruction unless it
 *  is 32 kB and more behind the base. */
#ifndef SP_GEN_GEN_NEAR_H
#define SP_GEN_GEN_NEAR_H

#include "compiler/gen/core/gen_core.h"

/** Notes that the function is one of these. */
void gen_near_note(struct gen *g, LLVMValueRef fn);
/** Of the whole module, after LLVM's passes. */
void gen_near(struct gen *g);

#endif
