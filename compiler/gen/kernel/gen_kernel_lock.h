// SPDX-License-Identifier: GPL-2.0-or-later
/** Locks in the kernel: a word that an atomic operation puts the processor's number into. A program cannot sleep, so it looks again
 *  and again, for MAXTRYLOCK times TRYLOCKDELAY microseconds; not at all when its own processor has the lock, for then it has
 *  interrupted the holder. */
#ifndef SP_GEN_GEN_KERNEL_LOCK_H
#define SP_GEN_GEN_KERNEL_LOCK_H

#include "compiler/gen/core/gen_engine.h"

extern const struct gen_engine_lock gen_kernel_lock;

/** The same for a lock of the generator's own, whose word is there. */
void gen_kernel_lock_take(struct gen *g, LLVMValueRef word, LLVMBasicBlockRef busy);
void gen_kernel_lock_release(struct gen *g, LLVMValueRef word);

#endif
