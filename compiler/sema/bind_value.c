// SPDX-License-Identifier: GPL-2.0-or-later
// $value in handlers of files (procfs("NAME").read, .write). What was written is a global that the runtime sets before it calls the
// handler. What is to be read is handed over piece by piece, so it can be longer than a string.
#include "compiler/sema/bind.h"
#include "compiler/sema/tree.h"

struct values {
	struct bind *b;
	bool is_write;
};

static bool is_value(const struct ast_expr *e)
{
	return e->kind == AST_TARGET && e->target.name && sp_streq(e->target.name, "$value") && !e->target.steps.n && !e->target.address_of;
}

static struct global *given(struct bind *b, const char *name, enum ast_type type)
{
	struct global *g;

	sp_vec_each(at, &b->program->globals)
		if ((*at)->is_given && sp_streq((*at)->name, name))
			return *at;
	g = sp_arena_new(b->arena, struct global);
	g->name = name;
	g->type = type;
	g->is_synthetic = g->is_private = g->is_given = true;
	g->index = (unsigned)b->program->globals.n;
	sp_vec_push(&b->program->globals, g);
	return g;
}

void bind_given(struct bind *b, struct ast_expr *e, const char *name, enum ast_type type)
{
	e->kind = AST_NAME;
	e->type = TYPE_UNKNOWN;
	e->name.name = name;
	e->name.local = NULL;
	e->name.global = given(b, name, type);
	e->name.global->is_read = true;
}

static void refuse(struct values *v, struct ast_expr *e, const char *why)
{
	diag(v->b->opts->dc, (e->kind == AST_ASSIGN ? e->assign.target : e)->op_span, DIAG_FILE_VALUE, "%s", why);
	e->kind = AST_ERROR;
}

static struct ast_expr *hand_over(struct values *v, struct ast_expr *e)
{
	enum builtin_id builtin = e->assign.kind == ASSIGN_SET ? BUILTIN_VALUE_SET : BUILTIN_VALUE_ADD;
	struct ast_expr *ret = tree_builtin(v->b->arena, e, builtin);

	ret->type = TYPE_VOID;
	ret->call.args.v = sp_arena_memdup(v->b->arena, &e->assign.value, sizeof(struct ast_expr *));
	ret->call.args.n = 1;
	return ret;
}

static void replace(void *ctx, struct ast_expr **place)
{
	struct values *v = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_DEFINED && is_value(e->defined.a)) {
		*place = tree_number(v->b->arena, e, 1);
	} else if (e->kind == AST_ASSIGN && is_value(e->assign.target)) {
		replace(ctx, &e->assign.value);
		if (v->is_write)
			refuse(v, e, "$value is what was written to the file: it cannot be assigned");
		else if (e->assign.kind == ASSIGN_SET || (e->assign.kind == ASSIGN_OP && e->assign.op == BIN_CONCAT))
			*place = hand_over(v, e);
		else
			refuse(v, e, "$value is what is read of the file, a text: = and .= assign it");
	} else if (is_value(e) && !v->is_write) {
		refuse(v, e, "$value is what is read of the file: it can be assigned by = and .=, and not be read");
	} else if (is_value(e)) {
		bind_given(v->b, e, SP_VALUE_GLOBAL, TYPE_STRING);
	} else {
		tree_expr_children(e, replace, ctx);
	}
}

static void replace_in(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, replace, replace_in, ctx);
}

void bind_value(struct bind *b, struct handler *handler)
{
	struct values values = { .b = b };

	if (!handler->sites.n || handler->sites.v[0]->kind != SP_SITE_PROCFS)
		return;
	values.is_write = handler->sites.v[0]->args.procfs.is_write;
	sp_vec_each(site, &handler->sites)
		if ((*site)->kind != SP_SITE_PROCFS || (*site)->args.procfs.is_write != values.is_write)
			return;
	replace_in(&values, &handler->body);
}
