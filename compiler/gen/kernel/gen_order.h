// SPDX-License-Identifier: GPL-2.0-or-later
/** Wrapping arrays (`a%[N]`) in the kernel: the oldest element makes room for a new one. */
#ifndef SP_GEN_GEN_ORDER_H
#define SP_GEN_GEN_ORDER_H

#include "compiler/gen/core/gen_core.h"

/** Makes an element that is not there. It may be gone again at once, when other CPUs make others. The handler ends when
 *  the array is being changed for too long; that is counted. */
void gen_order_put(struct gen *g, uint32_t map, LLVMValueRef key, LLVMValueRef first);
/** The same for taking one away, when it is there. */
void gen_order_drop(struct gen *g, uint32_t map, LLVMValueRef key);
/** The program that does both for user-side handlers (struct sp_order), when they do that. */
void gen_order_program(struct gen *g);

#endif
