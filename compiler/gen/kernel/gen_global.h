// SPDX-License-Identifier: GPL-2.0-or-later
/** Called functions that the verifier follows once.
 *
 *  The problem. The verifier follows a static function anew at each place that calls it, and takes a million instructions in all:
 *  a large function that is called in sixteen places is refused.
 *
 *  The idea. It follows a global function once, by itself, and knows nothing of its arguments, which must be numbers. So a handler
 *  calls a global function with two: the number of its scratch frame in the map (plan_state.scratch), and where in that frame the
 *  callee's begins. That one looks the scratch frame up again, and has the callee inlined.
 *
 *  The invariant. A function has no context when it is global: one that is passed needs a type for each sort of program. Values of it,
 *  and stacks, are in the state (gen_context.h), for what such a function calls as well. */
#ifndef SP_GEN_GEN_GLOBAL_H
#define SP_GEN_GEN_GLOBAL_H

#include "compiler/gen/core/gen_core.h"

/** Of the handler's callees, which are complete: those with plan_func.is_followed_once. */
void gen_global_make(struct gen *g, struct gen_fn *handler);

#endif
