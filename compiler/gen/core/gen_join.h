// SPDX-License-Identifier: GPL-2.0-or-later
/** Numbers where the paths of a program join.
 *
 *  The problem. Before Linux 6.8 the verifier keeps a number on the stack as 0, as another number, or as one that it does not know, and
 *  states that differ in that are not the same to it. So each flag, of which one path brings 0 and another one 1, doubles the
 *  paths that it follows from there on, though nobody asks for the flag before it is printed.
 *
 *  The idea. A number that is only stored or reckoned with, in no address, condition or argument, is one that the verifier does not know,
 *  whichever path brings it. LLVM's passes come first, and keep what they know of it. */
#ifndef SP_GEN_GEN_JOIN_H
#define SP_GEN_GEN_JOIN_H

#include "compiler/gen/core/gen_core.h"

/** Of the whole module, after LLVM's passes. */
void gen_join(struct gen *g);

#endif
