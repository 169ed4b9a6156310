// SPDX-License-Identifier: GPL-2.0-or-later
/** The thread that traces under the user engine. The kernel ties a tracee to one thread, and lets go of it without
 *  disturbing it only when that thread ends: a thread that sleeps would find its sleep interrupted otherwise. */
#ifndef SP_RUNTIME_TRACER_H
#define SP_RUNTIME_TRACER_H

#include "runtime/base/err.h"

struct tracer;

struct sp_err *tracer_start(struct tracer **ret);
/** Runs `run` there, while this thread waits. */
void tracer_call(struct tracer *tracer, void (*run)(void *ctx), void *ctx);
/** NULL is fine. Ends the thread. */
void tracer_end(struct tracer *tracer);

#endif
