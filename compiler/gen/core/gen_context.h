// SPDX-License-Identifier: GPL-2.0-or-later
/** Values of the context, which a handler gets and which are the same all through it; the stacks at the probe, too.
 *
 *  A function that the verifier follows once has no context (gen_global.h), nor have those that it calls. The handler reads what such
 *  functions want of it when it begins, and keeps it in plan_state.context. A stack takes longer, so that it is taken where such a
 *  function is called first, and kept behind the state (struct plan_stack). */
#ifndef SP_GEN_GEN_CONTEXT_H
#define SP_GEN_GEN_CONTEXT_H

#include "compiler/gen/core/gen_core.h"

/** `bytes` at a constant offset of the context, zero-extended. */
LLVMValueRef gen_context_load(struct gen *g, int64_t offset, unsigned bytes);
/** What bpf_get_func_ip says. */
LLVMValueRef gen_context_func_ip(struct gen *g);
/** The handler keeps what its callees, which are complete, want. */
void gen_context_keep(struct gen *g, const struct gen_fn *handler);

/** Up to `size` bytes of the stack of the kernel or of the program, from its n-th address on, with zeros behind it, as bpf_get_stack()
 *  puts them into the buffer; returns how many, or a negative number. */
LLVMValueRef gen_context_stack(struct gen *g, LLVMValueRef buffer, uint32_t size, LLVMValueRef n, bool is_user);
/** The state has no stack yet. */
void gen_context_forget_stacks(struct gen *g);
/** In front of a call of the function: the state has those that it asks for. */
void gen_context_take_stacks(struct gen *g, uint32_t func);

#endif
