// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/uses.h"

#include "compiler/sema/embed.h"
#include "compiler/sema/tree.h"

static void mark(struct ast_expr *e, bool reads, bool writes)
{
	if (e->kind == AST_NAME && e->name.local) {
		e->name.local->is_read |= reads;
		e->name.local->is_written |= writes;
	} else {
		struct global *g = e->kind == AST_NAME	  ? e->name.global
				   : e->kind == AST_INDEX ? e->index.global
							  : NULL;

		if (g) {
			g->is_read |= reads;
			g->is_written |= writes;
		}
	}
}

static struct global *aggregate_of(const struct ast_expr *e)
{
	const struct ast_expr *stat = e->kind == AST_STAT ? e->stat.stat : e->hist.stat;

	return stat->kind == AST_NAME ? stat->name.global : stat->index.global;
}

// Notes what the script reads of an aggregate: without @min(x), no minimum is kept.
static void mark_extractor(const struct ast_expr *e)
{
	struct global *g = aggregate_of(e);

	if (e->kind == AST_STAT) {
		g->stat_reads |= 1u << e->stat.op;
	} else {
		g->reads_linear |= e->hist.is_linear;
		g->reads_log |= !e->hist.is_linear;
	}
	if (e->kind == AST_STAT ? e->stat.op != STAT_SUM : e->hist.bucket != NULL) // an empty aggregate has no such value
		g->stat_reads |= 1u << STAT_COUNT;
}

static void count_value(void *ctx, struct ast_expr **place);

// Counts the reads and writes of variables in an expression; `used`: its value is used.
static void count_expr(struct ast_expr **place, bool used)
{
	struct ast_expr *e = *place;

	if (e->kind == AST_ASSIGN || e->kind == AST_INCDEC) {
		struct ast_expr **target = e->kind == AST_ASSIGN ? &e->assign.target
								 : &e->incdec.target;
		bool tells_old = e->kind == AST_INCDEC || e->assign.kind == ASSIGN_OP; // its value is made of the variable's

		mark(*target, used && tells_old, true);
		tree_expr_children(*target, count_value, NULL);
		if (e->kind == AST_ASSIGN)
			count_expr(&e->assign.value, true);
		return;
	}
	if (e->kind == AST_IN)
		e->in.global->is_read = true;
	if (e->kind == AST_STAT || e->kind == AST_HIST)
		mark_extractor(e);
	if (e->kind == AST_EMBEDDED) {
		sp_vec_each(use, &e->embedded.embed->globals) {
			use->global->is_read |= use->reads;
			use->global->is_written |= use->writes;
		}
	}
	mark(e, used, false);
	tree_expr_children(e, count_value, NULL);
}

static void count_value(void *ctx, struct ast_expr **place)
{
	(void)ctx;
	count_expr(place, true);
}

static void count_stmt(void *ctx, struct ast_stmt **place)
{
	struct ast_stmt *s = *place;

	switch (s->kind) {
	case AST_S_EXPR:
		count_expr(&s->expr, false);
		return;
	case AST_S_DELETE:
		mark(s->expr, false, true);
		tree_expr_children(s->expr, count_value, NULL);
		return;
	case AST_S_FOR:
		if (s->loop.init)
			count_expr(&s->loop.init, false);
		if (s->loop.step)
			count_expr(&s->loop.step, false);
		if (s->loop.cond)
			count_expr(&s->loop.cond, true);
		count_stmt(ctx, &s->loop.body);
		return;
	case AST_S_FOREACH:
		if (s->foreach.global)
			s->foreach.global->is_read = true;
		if (s->foreach.global && s->foreach.sort_by_stat)
			s->foreach.global->stat_reads |= 1u << s->foreach.sort_stat;
		else if (s->foreach.global && s->foreach.sort_key == 0)
			s->foreach.global->stat_reads |= 1u << STAT_COUNT;
		for (unsigned i = 0; i < s->foreach.keys.n; i++)
			mark(s->foreach.keys.v[i], true, true);
		if (s->foreach.value)
			mark(s->foreach.value, true, true);
		for (unsigned i = 0; i < s->foreach.slice.n; i++)
			if (s->foreach.slice.v[i])
				count_expr(&s->foreach.slice.v[i], true);
		if (s->foreach.hist)
			count_expr(&s->foreach.hist, true);
		if (s->foreach.hist && s->foreach.value) // buckets are read, as by @hist_log(x)[i]
			aggregate_of(s->foreach.hist)->stat_reads |= 1u << STAT_COUNT;
		if (s->foreach.limit)
			count_expr(&s->foreach.limit, true);
		count_stmt(ctx, &s->foreach.body);
		return;
	case AST_S_TRY:
		if (s->try_.local)
			s->try_.local->is_written = s->try_.local->is_read = true;
		break;
	case AST_S_BLOCK:
	case AST_S_EMPTY:
	case AST_S_IF:
	case AST_S_WHILE:
	case AST_S_RETURN:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
	ast_stmt_children(s, count_value, count_stmt, ctx);
}

void uses_count(struct program *program)
{
	for (size_t i = 0; i < program->globals.n; i++) {
		struct global *g = program->globals.v[i];

		g->is_read = g->is_written = g->reads_log = g->reads_linear = false;
		g->stat_reads = 0;
	}
	for (size_t i = 0; i < program->handlers.n; i++) {
		struct handler *h = program->handlers.v[i];

		sp_vec_each(local, &h->locals)
			(*local)->is_read = (*local)->is_written = false;
		count_stmt(NULL, &h->body);
	}
	for (size_t i = 0; i < program->functions.n; i++) {
		struct function *f = program->functions.v[i];

		sp_vec_each(local, &f->locals)
			(*local)->is_read = (*local)->is_written = f->embed != NULL; // embedded C may read and write any
		if (f->is_used)
			count_stmt(NULL, &f->body);
	}
}
