// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/callers.h"

#include "compiler/sema/tree.h"

static const struct c_type truth = { .kind = C_INT, .name = "long", .size = 8, .is_signed = true, .is_complete = true };

static struct ast_expr *test_value(struct sp_arena *arena, const struct site *site, const struct ast_expr *like,
				   const struct loc *loc)
{
	struct ast_expr *e = tree_number(arena, like, 0);
	struct site_value *v = sp_arena_new(arena, struct site_value);

	v->base = SITE_BASE_LOC;
	v->loc = loc;
	v->space = site->space;
	v->module = site->module;
	v->base_type = v->type = &truth;
	v->text = "the caller";
	e->kind = AST_RESOLVED;
	e->resolved = v;
	return e;
}

// test && outer || other
static struct ast_expr *chain_test(struct sp_arena *arena, const struct site *site, const struct ast_expr *like,
				   const struct site_caller *caller)
{
	struct ast_expr *e = test_value(arena, site, like, caller->test);

	if (caller->outer)
		e = tree_binary(arena, BIN_LAND, e, chain_test(arena, site, like, caller->outer));
	if (caller->other)
		e = tree_binary(arena, BIN_LOR, e, chain_test(arena, site, like, caller->other));
	return e;
}

struct ast_stmt *callers_guard(struct sp_arena *arena, const struct site *site, struct ast_stmt *body)
{
	struct ast_expr like = { .span = site->origin->span, .op_span = site->origin->span };
	struct ast_expr *test, *entry;
	struct ast_stmt *leave;

	if (!site->callers)
		return body;
	test = chain_test(arena, site, &like, site->callers);
	if (site->is_return) {
		entry = tree_number(arena, &like, 0);
		entry->kind = AST_ENTRY;
		entry->entry.a = test;
		test = entry;
	}
	leave = tree_stmt(arena, AST_S_NEXT, like.span);
	return tree_block(arena, body->span,
			  (struct ast_stmt *[]){ tree_if(arena, tree_not(arena, test), leave, NULL), body }, 2);
}

static const struct site *return_of(const struct program *program, const struct dbg_func *func)
{
	sp_vec_each(handler, &program->handlers)
		sp_vec_each(place, &(*handler)->sites) {
			const struct site *site = *place;

			if (site->is_return && site->func && site->func->module == func->module &&
			    site->func->entry_pc == func->entry_pc)
				return site;
		}
	return NULL;
}

// To see a return, the kernel puts an address of its own in the place of the return address. The innermost is read before
// that.
static void check_chain(const struct sema_opts *opts, const struct program *program, const struct site *site,
			const struct site_caller *caller)
{
	const struct site *hiding;

	for (; caller; caller = caller->other) {
		if (!caller->outer)
			continue;
		hiding = return_of(program, caller->outer->func);
		if (hiding) {
			struct diag *d = diag(opts->dc, site->origin->span, DIAG_CALLER_HIDDEN,
					      "calls of %s through %s are not seen while the return of %s is probed, too",
					      site->func->name, caller->outer->func->name, caller->outer->func->name);

			diag_note(opts->dc, d, hiding->origin->span, "it is probed here");
			diag_hint(opts->dc, d, "--engine=user sees both, in programs");
			return;
		}
		check_chain(opts, program, site, caller->outer);
	}
}

void callers_check(const struct sema_opts *opts, const struct program *program)
{
	if (opts->env->user_engine_only)
		return;
	sp_vec_each(handler, &program->handlers)
		sp_vec_each(site, &(*handler)->sites)
			check_chain(opts, program, *site, (*site)->callers);
}
