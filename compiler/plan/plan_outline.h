// SPDX-License-Identifier: GPL-2.0-or-later
/** What of a script gets a BPF function of its own. Script functions: those that are large and would otherwise be made
 *  several times in one program; all others are inlined, which is faster. Statements: a jump of BPF reaches 32,767
 *  instructions, and LLVM ends the process at one that is too far, so neighbours in a large body are outlined: they become
 *  functions, which are called in their order. */
#ifndef SP_PLAN_OUTLINE_H
#define SP_PLAN_OUTLINE_H

#include "compiler/plan/plan_calls.h"
#include "compiler/plan/plan_env.h"

/** Decides `outlined` of statements, has_outlined of functions and programs, `size`, is_called_in_kernel, is_followed_once, keeps_context, is_beside_recursion,
 *  is_called_in_user and n_places of functions, keeps_state, keeps_state_in_user and outlines_in_user of programs, and the plan's stacks; the forms of loops are known.
 *  Reports kernel programs that are too large. */
void plan_outline(const struct plan_env *env, const struct plan_calls *calls);

#endif
