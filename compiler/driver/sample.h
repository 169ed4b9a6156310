// SPDX-License-Identifier: GPL-2.0-or-later
/** Which programs tell of others how much of the stack they take.
 *
 *  The problem. That is known when code has been made, which takes nearly all of the time of a large script; what is too much is
 *  made once more.
 *
 *  The idea. The programs of a probe with a wildcard differ in their aliases, and share the functions that take most of the stack.
 *  So a few of them are made before all are, and with them the largest, which most often are the only ones that take too much. Where
 *  few call functions, the largest are made alone.
 *
 *  The limits. What is foreseen of a program may be wrong: it fits either way, and runs slower than it could. So most of the sample
 *  must agree, and a program that is smaller than all in the sample which are too much is left as it is. */
#ifndef SP_DRIVER_SAMPLE_H
#define SP_DRIVER_SAMPLE_H

#include "compiler/plan/plan.h"

#define SAMPLE_SIZE 8 // of a probe, at least

/** Notes a sample of each probe that has many programs which call functions, and in `is_made` that with the largest programs of each
 *  probe that has many; false: there is none. */
bool sample_take(const struct plan *plan, bool *sample, bool *is_made);
/** Where three quarters of a sample are stackless, so are now the other programs of the probe that are as large as one of those.
 *  Returns how many. */
unsigned sample_foresee(const struct plan *plan, const bool *sample, bool *stackless);

#endif
