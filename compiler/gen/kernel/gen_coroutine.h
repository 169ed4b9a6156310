// SPDX-License-Identifier: GPL-2.0-or-later
/** Recursion in the kernel. BPF functions cannot call themselves, so the recursive ones of a handler become one coroutine, a
 *  callback of bpf_loop: each round takes the topmost frame of a stack in scratch memory and runs its function from where it
 *  paused up to the next call, which pushes a frame, or to its end, which pops it. A frame begins with the number of the point
 *  where it goes on; then it is like any frame (gen_frame.h). What is alive over a pause is spilled to it (gen_spill.h). */
#ifndef SP_GEN_GEN_COROUTINE_H
#define SP_GEN_GEN_COROUTINE_H

#include "compiler/gen/core/gen_core.h"

/** A call of a recursive function, from the handler or from another one in the coroutine. */
LLVMValueRef gen_coroutine_call(struct gen *g, const struct ir_expr *e, const struct gen_str *result);
/** Makes the callback when the handler has used it; then there is none. */
void gen_coroutine_make(struct gen *g, struct gen_fn *handler);

/** In the coroutine: does one of these `n` statements pause? Then they are in no callback and not outlined. */
bool gen_coroutine_pauses(const struct gen *g, const struct ir_stmt *list, uint32_t n);
/** A point where a loop begins its rounds: code goes on there; a jump to the result is the next round. */
LLVMBasicBlockRef gen_coroutine_point(struct gen *g);
/** The current activation ends. */
void gen_coroutine_end(struct gen *g, enum gen_end end);

#endif
