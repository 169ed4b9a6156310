// SPDX-License-Identifier: GPL-2.0-or-later
/** Arrays of which no two handlers that run at the same time touch one element: `start[tid()]`, `busy[cpu()]`. */
#ifndef SP_PLAN_PRIVATE_H
#define SP_PLAN_PRIVATE_H

#include "compiler/plan/plan.h"

/** Does the handler run while handlers in the kernel do? begin, end and error run alone. */
bool plan_is_concurrent(const struct plan *plan, uint32_t prog);
/** `private_ret`, by map: in all handlers that run in the kernel, the same part of the key is the current thread, or the processor;
 *  handlers outside of the kernel only read it, and no sample (timer.profile) can interrupt another handler that uses it. Handlers of
 *  interrupts can: what they share with others by such a key is not protected. */
void plan_private(const struct plan *plan, bool *private_ret);

#endif
