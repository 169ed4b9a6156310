// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/effect.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/tree.h"

struct search {
	bool in_function; // assigning a function's own local has no effect outside of it
	bool found;
};

static bool call_has_effect(const struct ast_expr *e)
{
	return e->call.function ? e->call.function->has_effect : builtin_info((enum builtin_id)e->call.builtin)->has_effect;
}

static void search_expr(void *ctx, struct ast_expr **place)
{
	struct search *s = ctx;
	const struct ast_expr *e = *place, *target = NULL;

	if (e->kind == AST_ASSIGN)
		target = e->assign.target;
	else if (e->kind == AST_INCDEC)
		target = e->incdec.target;
	if (target)
		s->found |= !s->in_function || target->kind != AST_NAME || !target->name.local;
	else if (e->kind == AST_CALL)
		s->found |= call_has_effect(e);
	else if (e->kind == AST_EMBEDDED)
		s->found |= !e->embedded.embed->is_pure;
	else if (e->kind == AST_PRINT)
		s->found |= !e->print.to_string;
	else
		s->found |= e->kind == AST_REGEX || e->kind == AST_ERROR; // a regex match sets what matched() gives
}

static void search_whole(void *ctx, struct ast_expr **place)
{
	tree_walk_expr(place, search_expr, ctx);
}

static bool is_global(const struct ast_expr *name)
{
	return name && name->kind == AST_NAME && !name->name.local;
}

// The loop's variables are the function's own, mostly.
static bool leaves_global(const struct ast_stmt *loop)
{
	bool found = is_global(loop->foreach.value);

	for (unsigned i = 0; i < loop->foreach.keys.n; i++)
		found |= is_global(loop->foreach.keys.v[i]);
	return found;
}

static void search_stmt(void *ctx, struct ast_stmt **place)
{
	struct search *s = ctx;
	const struct ast_stmt *stmt = *place;

	if (stmt->kind == AST_S_DELETE || stmt->kind == AST_S_NEXT || (stmt->kind == AST_S_FOREACH && leaves_global(stmt)))
		s->found = true;
	ast_stmt_children(*place, search_whole, search_stmt, s);
}

void effect_mark(struct program *program)
{
	bool changed = true;

	sp_vec_each(f, &program->functions)
		(*f)->has_effect = false;
	while (changed) {
		changed = false;
		sp_vec_each(f, &program->functions) {
			struct search s = { .in_function = true };

			if ((*f)->has_effect)
				continue;
			search_stmt(&s, &(*f)->body);
			(*f)->has_effect = s.found;
			changed |= s.found;
		}
	}
}

bool effect_of_expr(struct ast_expr *e)
{
	struct search s = { 0 };

	tree_walk_expr(&e, search_expr, &s);
	return s.found;
}
