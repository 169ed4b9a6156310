// SPDX-License-Identifier: GPL-2.0-or-later
// $variables in handlers of samples (perf.data("FILE").sample): globals that the runtime sets before it calls the handler.
#include "compiler/sema/bind.h"
#include "compiler/sema/tree.h"

// NULL: it is none.
static const struct pt_sample_variable *variable_of(const struct ast_expr *e)
{
	bool is_plain = e->kind == AST_TARGET && e->target.name && !e->target.steps.n && !e->target.address_of;

	return is_plain ? pt_sample_variable(e->target.name) : NULL;
}

static struct global *global_of(struct bind *b, const struct pt_sample_variable *variable)
{
	struct global *g;

	sp_vec_each(at, &b->program->globals)
		if ((*at)->is_given && sp_streq((*at)->name, variable->name))
			return *at;
	g = sp_arena_new(b->arena, struct global);
	g->name = variable->name;
	g->type = variable->is_text ? TYPE_STRING : TYPE_LONG;
	g->is_synthetic = g->is_private = g->is_given = true;
	g->index = (unsigned)b->program->globals.n;
	sp_vec_push(&b->program->globals, g);
	return g;
}

static void replace(void *ctx, struct ast_expr **place)
{
	struct bind *b = ctx;
	struct ast_expr *e = *place;
	const struct pt_sample_variable *variable = variable_of(e);

	if (e->kind == AST_DEFINED && variable_of(e->defined.a)) {
		*place = tree_number(b->arena, e, 1);
	} else if (e->kind == AST_ASSIGN && variable_of(e->assign.target)) {
		diag(b->opts->dc, e->assign.target->op_span, DIAG_FILE_VALUE, "%s is what the file says of a sample: it cannot be assigned",
		     e->assign.target->target.name);
		e->kind = AST_ERROR;
	} else if (variable) {
		e->kind = AST_NAME;
		e->type = TYPE_UNKNOWN;
		e->name.name = variable->name;
		e->name.local = NULL;
		e->name.global = global_of(b, variable);
		e->name.global->is_read = true;
	} else {
		tree_expr_children(e, replace, ctx);
	}
}

static void replace_in(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, replace, replace_in, ctx);
}

void bind_sample(struct bind *b, struct handler *handler)
{
	sp_vec_each(site, &handler->sites)
		if ((*site)->kind != SP_SITE_SAMPLE)
			return;
	replace_in(b, &handler->body);
}
