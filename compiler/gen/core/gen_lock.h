// SPDX-License-Identifier: GPL-2.0-or-later
/** The lock of the globals that a handler touches (plan_lock.h). It is taken and released in the handler's own function; every way
 *  out of that releases it. */
#ifndef SP_GEN_GEN_LOCK_H
#define SP_GEN_GEN_LOCK_H

#include "compiler/gen/core/gen_core.h"

/** At the handler's beginning. */
void gen_lock_begin(struct gen *g);
/** The handler is over, and counted, when it cannot have the lock. */
void gen_lock_take(struct gen *g);
void gen_lock_release(struct gen *g);
/** At its end, wherever code comes from. */
void gen_lock_end(struct gen *g);

#endif
