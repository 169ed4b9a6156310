// SPDX-License-Identifier: GPL-2.0-or-later
/** Numbers that come from the kernel's own structs and helpers. */
#ifndef SP_GEN_GEN_KERNEL_VALUE_H
#define SP_GEN_GEN_KERNEL_VALUE_H

#include "compiler/gen/core/gen_core.h"

/** Of struct gen_engine. */
LLVMValueRef gen_kernel_value_task_member(struct gen *g, const struct ir_expr *e);
extern LLVMValueRef (*const gen_kernel_value_builtins[])(struct gen *g, const struct ir_expr *e);

#endif
