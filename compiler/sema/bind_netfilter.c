// SPDX-License-Identifier: GPL-2.0-or-later
// SystemTap's names in handlers of netfilter.hook(): $in is $state->in. $verdict is only assigned.
#include "compiler/sema/bind.h"
#include "compiler/sema/tree.h"

static const char *member_of_state(const char *name)
{
	return sp_streq(name, "$in") ? "in" : sp_streq(name, "$out") ? "out" : sp_streq(name, "$hooknum") ? "hook" :
	       sp_streq(name, "$pf") ? "pf" : NULL;
}

static bool is_verdict(const struct ast_expr *e)
{
	return e->kind == AST_TARGET && e->target.name && sp_streq(e->target.name, "$verdict");
}

static void put_member(struct bind *b, struct ast_expr *e, const char *member)
{
	struct ast_steps *steps = &e->target.steps;
	struct ast_step *v = sp_arena_array(b->arena, struct ast_step, steps->n + 1);

	v[0] = (struct ast_step){ .kind = STEP_MEMBER, .span = e->op_span, .name = member };
	if (steps->n)
		memcpy(v + 1, steps->v, steps->n * sizeof(*v));
	steps->v = v;
	steps->n++;
	e->target.name = "$state";
}

static void replace(void *ctx, struct ast_expr **place)
{
	struct bind *b = ctx;
	struct ast_expr *e = *place;
	const char *member = e->kind == AST_TARGET && e->target.name ? member_of_state(e->target.name) : NULL;

	if (e->kind == AST_ASSIGN && e->assign.kind == ASSIGN_SET && is_verdict(e->assign.target)) {
		replace(ctx, &e->assign.value);
		return;
	}
	if (e->kind == AST_DEFINED && is_verdict(e->defined.a))
		return;
	if (is_verdict(e)) {
		diag(b->opts->dc, e->op_span, DIAG_WRITE_PLACE, "$verdict is what the handler says: it can be assigned by =, and not be read");
		e->kind = AST_ERROR;
		return;
	}
	if (member)
		put_member(b, e, member);
	tree_expr_children(e, replace, ctx);
}

static void replace_in(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, replace, replace_in, ctx);
}

void bind_netfilter(struct bind *b, struct handler *handler)
{
	if (handler->sites.n && handler->sites.v[0]->kind == SP_SITE_NETFILTER)
		replace_in(b, &handler->body);
}
