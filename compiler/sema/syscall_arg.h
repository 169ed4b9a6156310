// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * int_arg(1) and returnval() where a system call is the site: there are no registers of a function at hand, but $arg1 and $return. And
 * probing_32bit_app(), which user_long() and long_arg() ask for the width of a word: the program's that makes the call.
 */
#ifndef SP_SEMA_SYSCALL_ARG_H
#define SP_SEMA_SYSCALL_ARG_H

#include "compiler/model/target.h"
#include "compiler/sema/program.h"

/** Is it returnval(), or what int_arg(), user_long() and the like ask, at a system call? `site` may be NULL. */
bool syscall_arg_is_asked(const struct ast_expr *e, const struct site *site);
/**
 * $return, or the $argN whose number `call` asks for, in its place; 0 where there is no argument of that number. Of the width: whether the
 * program has 32 bits.
 */
struct ast_expr *syscall_arg(struct sp_arena *arena, const struct target *target, const struct site *site, const struct ast_expr *call);

#endif
