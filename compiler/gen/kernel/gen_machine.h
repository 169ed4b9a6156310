// SPDX-License-Identifier: GPL-2.0-or-later
/** Kernel: recursion. BPF functions cannot call themselves, so the recursive ones of a handler become one callback of
 *  bpf_loop: each round takes the topmost frame of a stack in scratch memory and runs its function from where it paused up
 *  to the next call, which pushes a frame, or to its end, which pops it. A frame begins with the number of the point where
 *  it goes on; then it is like any frame (gen_frame.h). What is alive over a pause is in the frame (gen_cross.h). */
#ifndef SP_GEN_GEN_MACHINE_H
#define SP_GEN_GEN_MACHINE_H

#include "compiler/gen/core/gen_core.h"

/** A call of a recursive function, from the handler or from another one in the machine. */
LLVMValueRef gen_machine_call(struct gen *g, const struct ir_expr *e, const struct gen_str *result);
/** Makes the callback when the handler has used it; then there is none. */
void gen_machine_make(struct gen *g, const struct gen_fn *handler);

/** In the machine: does one of these `n` statements pause? Then they are in no callback or part. */
bool gen_machine_pauses(const struct gen *g, const struct ir_stmt *list, uint32_t n);
/** A point where a loop begins its rounds: code goes on there; a jump to the result is the next round. */
LLVMBasicBlockRef gen_machine_point(struct gen *g);
/** The current activation ends. */
void gen_machine_end(struct gen *g, enum gen_end end);

#endif
