// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/unread.h"

#include "compiler/sema/effect.h"
#include "compiler/sema/tree.h"

struct search {
	struct fate {
		bool is_read;
		bool asks_site; // a value that it gets depends on a $variable, or on a local like that
	} *fates; // by the local's index
	bool changed;
	bool drops; // the last round: what is unread is replaced
};

static void search_expr(void *ctx, struct ast_expr **place);

// `x = value` as a statement of its own, with a local x.
static const struct local *stored(const struct ast_stmt *s)
{
	const struct ast_expr *e = s->kind == AST_S_EXPR ? s->expr : NULL;

	return e && e->kind == AST_ASSIGN && e->assign.kind == ASSIGN_SET && e->assign.target->kind == AST_NAME ?
		       e->assign.target->name.local :
		       NULL;
}

static void note(struct search *s, bool *fact)
{
	s->changed |= !*fact;
	*fact = true;
}

struct question {
	const struct search *search;
	bool yes;
};

static void asks_site(void *ctx, struct ast_expr **place)
{
	struct question *q = ctx;
	const struct ast_expr *e = *place;
	enum ast_expr_kind kind = e->kind;

	q->yes |= kind == AST_TARGET || kind == AST_CAST || kind == AST_ATVAR || kind == AST_ENTRY || kind == AST_DEFINED;
	if (kind == AST_NAME && e->name.local) {
		const struct fate *fate = &q->search->fates[e->name.local->index];

		q->yes |= !fate->is_read && fate->asks_site;
	}
}

static void search_stmt(void *ctx, struct ast_stmt **place)
{
	struct search *s = ctx;
	const struct local *local = stored(*place);
	struct question q = { s, false };
	struct ast_expr **value;
	struct fate *fate;

	if (!local) {
		ast_stmt_children(*place, search_expr, search_stmt, s);
		return;
	}
	fate = &s->fates[local->index];
	value = &(*place)->expr->assign.value;
	tree_walk_expr(value, asks_site, &q);
	if (q.yes)
		note(s, &fate->asks_site);
	if (effect_of_expr(*value))
		note(s, &fate->is_read); // this value stays, and others of 0 could be of another type
	if (fate->is_read)
		search_expr(s, value);
	else if (s->drops && fate->asks_site)
		**value = (struct ast_expr){ .kind = AST_NUMBER, .span = (*value)->span, .op_span = (*value)->op_span };
}

static void search_expr(void *ctx, struct ast_expr **place)
{
	struct search *s = ctx;
	const struct ast_expr *e = *place;

	if (e->kind == AST_NAME && e->name.local)
		note(s, &s->fates[e->name.local->index].is_read);
	tree_expr_children(*place, search_expr, s);
}

static void in_handler(struct handler *handler)
{
	struct search s = { .fates = sp_calloc(handler->locals.n + 1, sizeof(*s.fates)) };

	do {
		s.changed = false;
		search_stmt(&s, &handler->body);
	} while (s.changed);
	s.drops = true;
	search_stmt(&s, &handler->body);
	free(s.fates);
}

void unread_drop(struct program *program)
{
	effect_mark(program);
	sp_vec_each(handler, &program->handlers)
		if ((*handler)->locals.n)
			in_handler(*handler);
}
