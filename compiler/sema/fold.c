// SPDX-License-Identifier: GPL-2.0-or-later
// @defined, and the branches that it makes dead. A condition is decided before its branches are resolved: in
// `@defined($new) ? $new : $old` the dead branch may name a variable that this kernel lacks.
#include "compiler/sema/context.h"
#include "compiler/sema/syscall_arg.h"
#include "compiler/sema/tree.h"

struct probing {
	const struct scene *scene;
	bool waits, failed;
};

// The scene where values are taken that this one asks for later: where the function was entered that returns. False: there is none.
static bool find_entry(const struct scene *scene, struct scene *ret)
{
	*ret = *scene;
	if (!scene->site || !scene->site->family->entry_site)
		return false;
	ret->site = scene->site->family->entry_site(scene->cx->opts->env, scene->site);
	return ret->site;
}

// What is there at the function's entry only is looked for there: its members may not be.
static enum path_result try_path(const struct scene *scene, struct ast_expr **place)
{
	enum path_result result = path_resolve(scene, place);
	struct scene at_entry;

	return result == PATH_NEEDS_ENTRY && find_entry(scene, &at_entry) ? path_resolve(&at_entry, place) : result;
}

static void try_resolve(void *ctx, struct ast_expr **place)
{
	struct probing *t = ctx;
	struct ast_expr *e = *place;
	enum path_result result;
	struct scene at_entry;

	if (syscall_arg_is_asked(e, t->scene->site)) {
		*place = syscall_arg(t->scene->cx->arena, t->scene->cx->opts->env->target, t->scene->site, e);
		try_resolve(ctx, place);
		return;
	}
	if (e->kind == AST_ENTRY && t->scene->site && t->scene->site->is_return && find_entry(t->scene, &at_entry)) {
		const struct scene *scene = t->scene;

		t->scene = &at_entry;
		tree_expr_children(e, try_resolve, ctx);
		t->scene = scene;
		return;
	}
	tree_expr_children(e, try_resolve, ctx); // @defined($a[$i]) needs $i as well
	if (e->kind == AST_TARGET || e->kind == AST_CAST || e->kind == AST_ATVAR || e->kind == AST_CALL) {
		result = try_path(t->scene, place);
		t->waits |= result == PATH_WAITS;
		t->failed |= result == PATH_FAILED;
		if (e->kind == AST_TARGET && (*place)->kind == AST_PRINT) // $$vars and the like
			tree_expr_children(*place, try_resolve, ctx);
	}
}

// Decides by resolving a copy of the expression; its diagnostics are dropped.
static void decide_defined(const struct scene *scene, struct ast_expr **place)
{
	struct context *cx = scene->cx;
	struct ast_expr *copy = ast_clone_expr(cx->arena, (*place)->defined.a);
	struct probing t = { .scene = scene };
	size_t mark = diag_try(cx->opts->dc);

	try_resolve(&t, &copy);
	diag_end_try(cx->opts->dc, mark);
	if (t.waits && !t.failed)
		return;
	if (scene->asked) {
		scene->asked->any = true;
		if (!t.failed)
			sp_vec_push(&scene->asked->found, (*place)->defined.a);
	}
	*place = tree_number(cx->arena, *place, !t.failed);
}

static bool is_number(const struct ast_expr *e)
{
	return e && e->kind == AST_NUMBER;
}

static void fold_child(void *ctx, struct ast_expr **place)
{
	fold_expr(ctx, place);
}

static struct ast_expr *truth(const struct scene *scene, const struct ast_expr *e,
			      struct ast_expr *value)
{
	if (is_number(value))
		return tree_number(scene->cx->arena, e, value->number != 0);
	return tree_not(scene->cx->arena, tree_not(scene->cx->arena, value));
}

static void fold_logical(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	bool is_and = e->binary.op == BIN_LAND;

	fold_expr(scene, &e->binary.a);
	if (!is_number(e->binary.a)) {
		fold_expr(scene, &e->binary.b);
		return;
	}
	if ((e->binary.a->number != 0) != is_and) {
		*place = tree_number(scene->cx->arena, e, !is_and);
		return;
	}
	fold_expr(scene, &e->binary.b);
	*place = truth(scene, e, e->binary.b);
}

static bool compare(enum ast_binary_op op, int64_t a, int64_t b, int64_t *ret)
{
	if (op == BIN_EQ)
		*ret = a == b;
	else if (op == BIN_NE)
		*ret = a != b;
	else if (op == BIN_LT)
		*ret = a < b;
	else if (op == BIN_LE)
		*ret = a <= b;
	else if (op == BIN_GT)
		*ret = a > b;
	else if (op == BIN_GE)
		*ret = a >= b;
	else
		return false;
	return true;
}

void fold_expr(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	int64_t value;

	if (e->kind == AST_DEFINED) {
		decide_defined(scene, place);
	} else if (e->kind == AST_TERNARY) {
		fold_expr(scene, &e->ternary.cond);
		if (is_number(e->ternary.cond)) {
			*place = e->ternary.cond->number ? e->ternary.a : e->ternary.b;
			fold_expr(scene, place);
		} else {
			fold_expr(scene, &e->ternary.a);
			fold_expr(scene, &e->ternary.b);
		}
	} else if (e->kind == AST_BINARY && (e->binary.op == BIN_LAND || e->binary.op == BIN_LOR)) {
		fold_logical(scene, place);
	} else {
		tree_expr_children(e, fold_child, (void *)scene);
		if (e->kind == AST_UNARY && e->unary.op == UN_NOT && is_number(e->unary.a))
			*place = tree_number(scene->cx->arena, e, !e->unary.a->number);
		else if (e->kind == AST_BINARY && is_number(e->binary.a) && is_number(e->binary.b) &&
			 compare(e->binary.op, e->binary.a->number, e->binary.b->number, &value))
			*place = tree_number(scene->cx->arena, e, value);
	}
}

static void fold_sub(void *ctx, struct ast_stmt **place)
{
	const struct scene *scene = ctx;
	struct ast_stmt *s = *place;

	if (s->kind != AST_S_IF) {
		ast_stmt_children(s, fold_child, fold_sub, ctx);
		return;
	}
	fold_expr(scene, &s->cond.cond);
	if (!is_number(s->cond.cond)) {
		fold_sub(ctx, &s->cond.then);
		if (s->cond.otherwise)
			fold_sub(ctx, &s->cond.otherwise);
		return;
	}
	*place = s->cond.cond->number ? s->cond.then : s->cond.otherwise;
	if (*place)
		fold_sub(ctx, place);
	else
		*place = tree_stmt(scene->cx->arena, AST_S_EMPTY, s->span);
}

void fold_stmt(const struct scene *scene, struct ast_stmt **place)
{
	struct scene in_body = *scene;

	in_body.body = place;
	fold_sub(&in_body, place);
}
