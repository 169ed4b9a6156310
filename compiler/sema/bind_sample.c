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
		bind_given(b, e, variable->name, variable->is_text ? TYPE_STRING : TYPE_LONG);
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
