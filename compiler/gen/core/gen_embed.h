// SPDX-License-Identifier: GPL-2.0-or-later
/** Embedded C: calls of its functions, and its code, which becomes a part of the module. */
#ifndef SP_GEN_GEN_EMBED_H
#define SP_GEN_GEN_EMBED_H

#include "compiler/gen/core/gen_core.h"

/** The status that embeds[index] gives. */
LLVMValueRef gen_embed_call(struct gen *g, const struct ir_expr *e);
/** Puts in the code of what the module calls. */
struct sp_err *gen_embed_link(struct gen *g, LLVMTargetMachineRef machine);

#endif
