// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/syscall_arg.h"

#include "compiler/model/syscall.h"
#include "compiler/sema/tree.h"

#define MAX_ARGS 6

bool syscall_arg_is_asked(const struct ast_expr *e, const struct site *site)
{
	return site && site_is_syscall(site) && e->kind == AST_CALL && !e->call.function &&
	       (e->call.builtin == BUILTIN_RETURNVAL || e->call.builtin == BUILTIN_ARG || e->call.builtin == BUILTIN_PROBING_32BIT);
}

static struct ast_expr *numbered(struct sp_arena *arena, const struct ast_expr *call, int64_t n)
{
	return tree_variable(arena, call, sp_arena_printf(arena, "$arg%d", (int)n));
}

// A program of the kernel's that is for calls of both kinds asks whose call it is.
static struct ast_expr *is_32_bits(struct sp_arena *arena, const struct target *target, const struct site *site, const struct ast_expr *call)
{
	const struct abi *abi = abi_find(target->arch);

	if (site->is_any_abi && abi && abi->syscalls[SYSCALL_COMPAT].args && target_has(target, SP_FEATURE_BTF))
		return tree_builtin(arena, call, BUILTIN_COMPAT_TASK);
	return tree_number(arena, call, site->args.syscall.flags & SP_SYSCALL_COMPAT ? 1 : 0);
}

// The number is a parameter of a function of the library, or a number: it may stand more than once.
struct ast_expr *syscall_arg(struct sp_arena *arena, const struct target *target, const struct site *site, const struct ast_expr *call)
{
	struct ast_expr *number, *ret, *choice;

	if (call->call.builtin == BUILTIN_PROBING_32BIT)
		return is_32_bits(arena, target, site, call);
	if (call->call.builtin == BUILTIN_RETURNVAL)
		return tree_variable(arena, call, "$return");
	number = call->call.args.v[0];
	ret = tree_number(arena, call, 0);
	for (int64_t n = MAX_ARGS; n; n--) {
		choice = tree_number(arena, call, 0);
		choice->kind = AST_TERNARY;
		choice->ternary.cond = tree_binary(arena, BIN_EQ, ast_clone_expr(arena, number), tree_number(arena, call, n));
		choice->ternary.a = numbered(arena, call, n);
		choice->ternary.b = ret;
		ret = choice;
	}
	return ret;
}
