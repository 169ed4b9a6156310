// SPDX-License-Identifier: GPL-2.0-or-later
// Refuses changes of an array while foreach walks it. `delete array` is allowed, and ends the loop.
#include "compiler/sema/walked.h"

#include "compiler/sema/calls.h"
#include "compiler/sema/tree.h"

// A search for changes of one array.
struct search {
	const struct sema_opts *opts;
	struct program *program;
	const struct global *array;
	bool *clears; // set by `delete array`
	bool is_inside; // in the loop's own body each change is reported; in functions the first one is remembered in `found`
	struct span found; // SPAN_NONE: no change
};

static void search_stmt(void *ctx, struct ast_stmt **place);

static const struct global *global_of(const struct ast_expr *e)
{
	return e->kind == AST_INDEX ? e->index.global : e->kind == AST_NAME ? e->name.global : NULL;
}

static void found(struct search *s, const struct ast_expr *target, struct span span)
{
	struct diag *d;

	if (global_of(target) != s->array)
		return;
	if (!s->is_inside) {
		s->found = s->found.file ? s->found : span;
		return;
	}
	d = diag(s->opts->dc, span, DIAG_ARRAY_WALKED, "'%s' is changed while foreach walks it", s->array->name);
	diag_hint(s->opts->dc, d, "remember the keys in another array, and change '%s' behind the loop", s->array->name);
}

static void search_function(void *ctx, struct function *f)
{
	struct search *s = ctx;

	search_stmt(s, &f->body);
}

static void search_call(struct search *s, struct ast_expr *call)
{
	struct ast_stmt stmt = { .kind = AST_S_EXPR, .span = call->span, .expr = call };
	struct search below = { .opts = s->opts, .program = s->program, .array = s->array, .clears = s->clears };
	struct diag *d;

	calls_each(s->program, &stmt, search_function, &below);
	if (!below.found.file)
		return;
	d = diag(s->opts->dc, call->span, DIAG_ARRAY_WALKED, "%s() changes '%s' while foreach walks it",
		 call->call.function->name, s->array->name);
	diag_note(s->opts->dc, d, below.found, "'%s' is changed here", s->array->name);
}

static void search_expr(void *ctx, struct ast_expr **place)
{
	struct search *s = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_ASSIGN)
		found(s, e->assign.target, e->span);
	else if (e->kind == AST_INCDEC)
		found(s, e->incdec.target, e->span);
	else if (e->kind == AST_CALL && e->call.function && s->is_inside)
		search_call(s, e);
	tree_expr_children(e, search_expr, s);
}

static void search_stmt(void *ctx, struct ast_stmt **place)
{
	struct search *s = ctx;

	if (!*place)
		return;
	if ((*place)->kind == AST_S_DELETE && (*place)->expr->kind == AST_NAME)
		*s->clears |= global_of((*place)->expr) == s->array;
	else if ((*place)->kind == AST_S_DELETE)
		found(s, (*place)->expr, (*place)->span);
	ast_stmt_children(*place, search_expr, search_stmt, s);
}

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx;
	(void)place;
}

static void look_for_walks(void *ctx, struct ast_stmt **place)
{
	struct search *s = ctx, inside = *s;
	struct ast_stmt *stmt = *place;

	if (!stmt)
		return;
	if (stmt->kind == AST_S_FOREACH && stmt->foreach.global) {
		inside.array = stmt->foreach.global;
		inside.is_inside = true;
		inside.clears = &stmt->foreach.may_clear;
		search_stmt(&inside, &stmt->foreach.body);
	}
	ast_stmt_children(stmt, no_expr, look_for_walks, s);
}

void walked_check(const struct sema_opts *opts, struct program *program)
{
	struct search s = { .opts = opts, .program = program };

	for (size_t i = 0; i < program->functions.n; i++)
		if (program->functions.v[i]->is_used)
			look_for_walks(&s, &program->functions.v[i]->body);
	for (size_t i = 0; i < program->handlers.n; i++)
		look_for_walks(&s, &program->handlers.v[i]->body);
}
