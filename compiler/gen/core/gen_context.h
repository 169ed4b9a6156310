// SPDX-License-Identifier: GPL-2.0-or-later
/** Values of the context, which a handler gets and which are the same all through it.
 *
 *  A function that the verifier follows once has no context (gen_global.h). The handler reads what such functions want of it when it
 *  begins, and keeps it in plan_state.context; beyond PLAN_CONTEXT_VALUES the function reads the context itself, and is no such any
 *  more. */
#ifndef SP_GEN_GEN_CONTEXT_H
#define SP_GEN_GEN_CONTEXT_H

#include "compiler/gen/core/gen_core.h"

/** `bytes` at a constant offset of the context, zero-extended. */
LLVMValueRef gen_context_load(struct gen *g, int64_t offset, unsigned bytes);
/** What bpf_get_func_ip says. */
LLVMValueRef gen_context_func_ip(struct gen *g);
/** The handler keeps what its callees, which are complete, want. */
void gen_context_keep(struct gen *g, const struct gen_fn *handler);

#endif
