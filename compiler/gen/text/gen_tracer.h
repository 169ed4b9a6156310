// SPDX-License-Identifier: GPL-2.0-or-later
/** The frames of tracing itself, with which the kernel's stack at a tracepoint begins. */
#ifndef SP_GEN_GEN_TRACER_H
#define SP_GEN_GEN_TRACER_H

#include "compiler/gen/core/gen_core.h"

/** How many they are; `work` is what ir_work_size() says of a __stack(n) at a tracepoint, at least. Their names tell it, so that
 *  it is 0 on kernels that lack bpf_snprintf. */
LLVMValueRef gen_tracer_frames(struct gen *g, LLVMValueRef work);

#endif
