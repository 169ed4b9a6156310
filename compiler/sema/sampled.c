// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/sampled.h"

#include "compiler/sema/tree.h"

bool sampled_is(const struct site *site)
{
	return site->kind == SP_SITE_WATCH || (site->kind == SP_SITE_PERF && !site->counter);
}

bool sampled_is_asked(const struct ast_expr *e, const struct site *site)
{
	return site && e->kind == AST_CALL && !e->call.function && sampled_is(site) &&
	       (e->call.builtin == BUILTIN_PPFUNC || e->call.builtin == BUILTIN_PROBEFUNC);
}

static struct ast_expr *name_of_address(struct sp_arena *arena, const struct ast_expr *call, int builtin)
{
	struct ast_expr *ret = tree_builtin(arena, call, builtin), *addr = tree_builtin(arena, call, BUILTIN_ADDR);

	ret->call.args.v = sp_arena_memdup(arena, &addr, sizeof(addr));
	ret->call.args.n = 1;
	return ret;
}

struct ast_expr *sampled_function(struct sp_arena *arena, const struct ast_expr *call)
{
	struct ast_expr *ret = tree_builtin(arena, call, BUILTIN_PPFUNC);

	ret->kind = AST_TERNARY;
	ret->ternary.cond = tree_builtin(arena, call, BUILTIN_USER_MODE);
	ret->ternary.a = name_of_address(arena, call, BUILTIN_USYMNAME);
	ret->ternary.b = name_of_address(arena, call, BUILTIN_SYMNAME);
	return ret;
}
