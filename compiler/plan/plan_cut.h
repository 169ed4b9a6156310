// SPDX-License-Identifier: GPL-2.0-or-later
/** What of a script gets a BPF function of its own. Script functions: those that are large and would otherwise be made
 *  several times in one program; all others are inlined, which is faster. Parts: a jump of BPF reaches 32,767 instructions,
 *  and LLVM ends the process at one that is too far, so the statements of a large body are given to functions, which are
 *  called in their order. */
#ifndef SP_PLAN_CUT_H
#define SP_PLAN_CUT_H

#include "compiler/plan/plan_calls.h"
#include "compiler/plan/plan_kernel.h"

/** Sets `part` of statements, `is_parted` of functions and programs, `size`, `is_own_in_kernel`, `is_own_in_user` and
 *  `n_places` of functions, `keeps_state` of programs; the forms of loops are known. Reports kernel programs that are too
 *  large. */
void plan_cut(const struct plan_env *fit, const struct plan_calls *calls);

#endif
