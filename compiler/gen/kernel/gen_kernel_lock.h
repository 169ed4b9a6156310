// SPDX-License-Identifier: GPL-2.0-or-later
/** Locks in the kernel: a word that an atomic operation puts the processor's number into. A program cannot sleep, so it looks again
 *  and again, for a bounded time. */
#ifndef SP_GEN_GEN_KERNEL_LOCK_H
#define SP_GEN_GEN_KERNEL_LOCK_H

#include "compiler/gen/core/gen_engine.h"

extern const struct gen_engine_lock gen_kernel_lock;

#endif
