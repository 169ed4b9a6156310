// SPDX-License-Identifier: GPL-2.0-or-later
/** Calls of functions and of builtins. */
#ifndef SP_LOWER_CALL_H
#define SP_LOWER_CALL_H

#include "compiler/lower/lower_ctx.h"

/** The value; 0 when the call gives none. */
struct ir_expr *lower_call(struct lower *l, const struct ast_expr *e);
/** Emits the call as a statement. */
void lower_call_effect(struct lower *l, const struct ast_expr *e);

/** Adds to a builtin where the kernel has what it gives of the current task, when the script has netfilter handlers: their
 *  programs may not call the helper, and read it. */
void lower_add_task_path(struct lower *l, struct ir_expr *e);
/** @perf("NAME") */
struct ir_expr *lower_call_counter(struct lower *l, const struct ast_expr *e);
/** -1 at the call of a 32-bit program, else 0; it may stand in several places. NULL when that cannot be told. In a handler's own
 *  body it is found once, by what lower_find_compat() puts at the beginning of the finished body. */
struct ir_expr *lower_compat_mask(struct lower *l);
void lower_find_compat(struct lower *l, struct lower_list *list);
/** The current thread's, at a probe of a program; NULL: it is not known where the kernel has it. */
struct ir_expr *lower_thread_pointer(struct lower *l, const struct abi *abi);

#endif
