// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/empty_stack.h"

#include "compiler/model/builtin.h"

#define LINUX_WITH_STACK 612

static bool asks_for_stack(const struct ast_expr *e)
{
	const struct builtin *b;

	if (e->kind != AST_CALL || e->call.function || e->call.builtin < 0)
		return false;
	b = builtin_info((enum builtin_id)e->call.builtin);
	return b->where == BUILTIN_WHERE_REGISTERS && (b->lower == BUILTIN_LOWER_STACK || b->lower == BUILTIN_LOWER_SYMBOLS);
}

// Events of one system call have no tracepoint of their own. There the kernel walks the stack of the program's registers, in which is
// none of its own.
void empty_stack_warn(const struct sema_opts *opts, const struct site *site, const struct ast_expr *e)
{
	if (site && site->tracepoint && site->tracepoint->is_event_only && target_linux(opts->env->target) < LINUX_WITH_STACK &&
	    asks_for_stack(e))
		diag(opts->dc, site->origin->span, DIAG_STACK_EMPTY, "before Linux 6.12 the kernel's stack is empty at trace events of one system call");
}
