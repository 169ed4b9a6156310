// SPDX-License-Identifier: GPL-2.0-or-later
/** The kernel as an engine: programs that its verifier takes.
 *
 *  The problem. The verifier follows every path of a program, and refuses what it does not understand: a loop whose end it cannot
 *  see, an address whose bounds it has lost, more than 512 bytes of stack for a whole chain of calls. LLVM knows nothing of that,
 *  and may turn code that was fine into code that is refused.
 *
 *  The idea. The plan has decided what goes where (plan.h). Here are the shapes of code in which the verifier sees that it is
 *  right: a loop is copied, bounded or a callback of bpf_loop (gen_kernel_loop.h), recursive functions are one callback with a stack
 *  of its own (gen_coroutine.h), a sorted walk keeps its rows in scratch memory (gen_walk.h), a wrapping array the order of its
 *  elements (gen_order.h), an aggregate a record for each CPU (gen_stat.h). Where LLVM could undo such a shape, empty assembly
 *  hides a value from it.
 *
 *  The invariant. A program that is refused is a fault of spile, not of the script: what cannot be made to fit has been reported by
 *  plan_kernel.h.
 *
 *  The limits. The stack that LLVM takes for itself is known when machine code has been made (gen_stack.h). */
#ifndef SP_GEN_GEN_KERNEL_H
#define SP_GEN_GEN_KERNEL_H

#include "compiler/gen/core/gen_core.h"

extern const struct gen_engine gen_kernel;

#endif
