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
/** The record that a format describes ends with these: struct sp_event_who, whose site is not filled in yet. */
#define LOWER_WHO 6
void lower_who(struct lower *l, struct ir_expr *ret[LOWER_WHO]);
/** A builtin without arguments about the current task, as an argument of a record; a text has `cap` bytes. */
struct ir_expr *lower_task_value(struct lower *l, enum builtin_id id, uint32_t cap);
/** @perf("NAME") */
struct ir_expr *lower_call_counter(struct lower *l, const struct ast_expr *e);
/** -1 at the call of a 32-bit program, else 0; it may stand in several places. NULL when that cannot be told. In a handler's own
 *  body it is found once, by what lower_find_compat() puts at the beginning of the finished body. */
struct ir_expr *lower_compat_mask(struct lower *l);
void lower_find_compat(struct lower *l, struct lower_list *list);
/** The current thread's, at a probe of a program; NULL: it is not known where the kernel has it. */
struct ir_expr *lower_thread_pointer(struct lower *l, const struct abi *abi);

#endif
