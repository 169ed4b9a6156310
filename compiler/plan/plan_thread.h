// SPDX-License-Identifier: GPL-2.0-or-later
/** Arrays whose only key is the current thread, `start[tid()]`: the kernel keeps their elements with the thread itself, where they are
 *  found without a hash, and are made and deleted for a third of the price.
 *
 *  That is an array of numbers which handlers in the kernel alone use, each time by the current thread (plan_who.h), and which nobody walks, clears or
 *  prints. Nothing limits the number of its elements, an element goes with its thread, and each processor's idle thread has one of its
 *  own, though all of these have tid 0. */
#ifndef SP_PLAN_THREAD_H
#define SP_PLAN_THREAD_H

#include "compiler/plan/plan.h"

/** Decides is_of_thread of maps, for which is_lasting and is_split mean nothing then. It must be known which functions run where. */
void plan_thread(struct plan *plan);

#endif
