// SPDX-License-Identifier: GPL-2.0-or-later
// The names that a site's hook is chosen by: which registers, arguments and fields a handler reads decides what it can be.
#include "compiler/sema/context.h"
#include "compiler/sema/tree.h"

static void add_name(struct hook_names *names, const char *name)
{
	sp_vec_each(known, &names->v)
		if (sp_streq(*known, name))
			return;
	sp_vec_push(&names->v, name);
}

static void find_name(void *ctx, struct ast_expr **place)
{
	struct hook_names *names = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_ENTRY)
		return;
	tree_expr_children(e, find_name, ctx);
	if (tree_reads_registers(e, names->is_return)) {
		names->reads_registers = true;
		return;
	}
	if (path_is_of_probe(e))
		add_name(names, sp_arena_printf(names->arena, "$%s", e->atvar.name));
	else if (e->kind == AST_TARGET && e->target.name && !sp_starts_with(e->target.name, "$$"))
		add_name(names, e->target.name);
}

static void find_name_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, find_name, find_name_stmt, ctx);
}

void hook_names_of(struct hook_names *names, struct ast_stmt *body)
{
	find_name_stmt(names, &body);
}

void hook_names_of_expr(struct hook_names *names, struct ast_expr **expr)
{
	find_name(names, expr);
}

void hook_choose(struct context *cx, struct site *site, struct hook_names *names)
{
	const struct point_use use = { names->v.v, (unsigned)names->v.n, names->reads_registers };

	if (site->family->choose_hook)
		site->family->choose_hook(cx->opts->env, site, &use);
	sp_vec_deinit(&names->v);
}
