// SPDX-License-Identifier: GPL-2.0-or-later
/** The frames of tracing itself, with which the stack of the kernel begins in handlers that it calls. */
#ifndef SP_GEN_GEN_TRACER_H
#define SP_GEN_GEN_TRACER_H

#include "compiler/gen/core/gen_core.h"

/** Reads the stack behind the handler's own frame: `n` addresses at most, behind the cells of `work` (as large as ir_work_size() says).
 *  Returns how many of them are of tracing itself, of which the verifier knows nothing; *size_ret: their bytes, or less than 0. Names
 *  tell it, so that it is 0 on kernels that lack bpf_snprintf. */
LLVMValueRef gen_tracer_frames(struct gen *g, uint8_t tracer, LLVMValueRef work, unsigned n, LLVMValueRef *size_ret);

#endif
