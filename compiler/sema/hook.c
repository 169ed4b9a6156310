// SPDX-License-Identifier: GPL-2.0-or-later
// The names that a site's hook is chosen by: which registers, arguments and fields a handler reads decides what it can be.
#include "compiler/sema/context.h"
#include "compiler/sema/tree.h"
#include "runtime/base/cleanup.h"

static void add_name(struct hook_names *names, const char *name)
{
	sp_vec_each(known, &names->v)
		if (sp_streq(*known, name))
			return;
	sp_vec_push(&names->v, name);
}

// $return = VALUE, at an entry.
static bool sets_result(const struct hook_names *names, const struct ast_expr *e)
{
	const struct ast_expr *target = e->kind == AST_ASSIGN && e->assign.kind == ASSIGN_SET ? e->assign.target : NULL;

	return target && target->kind == AST_TARGET && target->target.name && !target->target.steps.n && !target->target.address_of &&
	       sp_streq(target->target.name, "$return") && !names->is_return;
}

static void find_name(void *ctx, struct ast_expr **place)
{
	struct hook_names *names = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_ENTRY)
		return;
	if (sets_result(names, e)) {
		names->sets_result = true;
		find_name(ctx, &e->assign.value);
		return;
	}
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

// The kernel takes 38 of them at a function (BPF_MAX_TRAMP_LINKS); others may want some.
#define MAX_TRAMPOLINES 32

static bool is_kernel_entry(const struct site *site)
{
	return site->family->needs_kernel && site->func && site->symbol && !site->func->is_inline && !site->is_return &&
	       !point_is_pattern(site->origin);
}

void hook_count_entries(struct context *cx, struct handler *const *handlers, size_t n)
{
	sp_cleanup(sp_hash_deinit) struct sp_hash seen = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (handlers[i]->condition)
			continue;
		sp_vec_each(site, &handlers[i]->sites)
			if (is_kernel_entry(*site))
				*sp_hash_insert(&seen, (*site)->symbol, strlen((*site)->symbol)) = cx;
	}
	cx->n_entries = (unsigned)seen.n_live;
}

static bool is_trampoline(const struct site *site)
{
	return site->kind == SP_SITE_FENTRY || site->kind == SP_SITE_FEXIT;
}

void hook_choose(struct context *cx, struct site *site, struct hook_names *names)
{
	struct point_use use = { .names = names->v.v, .n_names = (unsigned)names->v.n, .reads_registers = names->reads_registers,
				 .sets_result = names->sets_result, .n_entries = cx->n_entries };
	void **known = site->symbol ? sp_hash_insert(&cx->trampolines, site->symbol, strlen(site->symbol)) : NULL;
	uintptr_t others = known ? (uintptr_t)*known - site->has_trampoline : 0;

	use.is_crowded = others >= MAX_TRAMPOLINES;
	if (site->family->choose_hook)
		site->family->choose_hook(cx->opts->env, site, &use);
	site->has_trampoline = known && is_trampoline(site);
	if (known)
		*known = (void *)(others + site->has_trampoline);
	sp_vec_deinit(&names->v);
}
