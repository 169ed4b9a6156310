// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/crowd.h"

#include "compiler/model/loc.h"
#include "compiler/model/target.h"
#include "compiler/sema/tree.h"
#include "runtime/base/cleanup.h"

#define FEW_SITES 1000 // of which one cannot say what others are like

// What a handler prints, as far as it differs in the program for certain: texts, and where values are, but not of what types.
struct shown {
	uint64_t hash;
	bool any;
};

static void add(struct shown *shown, const void *data, size_t len)
{
	shown->hash = shown->hash * 0x9e3779b97f4a7c15u + sp_hash_bytes(data, len);
}

static void add_op(void *ctx, const struct loc_op *op)
{
	uint64_t words[] = { op->kind, (uint64_t)op->a };

	add(ctx, words, sizeof(words));
}

static void add_value(struct shown *shown, const struct site_value *value)
{
	uint64_t words[] = { value->base, value->ctx_off, (uint64_t)value->number };

	// Of a structure that is shown as {...} nothing is read, of one in several registers perhaps not all.
	if (value->is_absent || (value->pretty && value->pretty->n < 2))
		return;
	add(shown, words, sizeof(words));
	if (value->loc && value->loc->n_pieces == 1)
		loc_each(value->loc, add_op, shown);
}

static void add_expr(void *ctx, struct ast_expr **place)
{
	const struct ast_expr *e = *place;

	if (e->kind == AST_STRING)
		add(ctx, e->string.text, e->string.len);
	else if (e->kind == AST_PRINT && e->print.format)
		add_expr(ctx, (struct ast_expr **)&e->print.format);
	else if (e->kind == AST_RESOLVED)
		add_value(ctx, e->resolved);
	tree_expr_children(*place, add_expr, ctx);
}

// True: what comes behind the statement is run, too.
static bool add_stmt(struct shown *shown, const struct ast_stmt *s)
{
	bool goes_on = s->kind == AST_S_BLOCK || s->kind == AST_S_EXPR;

	if (s->kind == AST_S_EXPR && s->expr->kind == AST_PRINT && !s->expr->print.to_string) {
		shown->any = true;
		add_expr(shown, (struct ast_expr **)&s->expr);
	}
	for (unsigned i = 0; s->kind == AST_S_BLOCK && i < s->block.n && goes_on; i++)
		goes_on = add_stmt(shown, s->block.v[i]);
	return goes_on;
}

void crowd_deinit(struct crowd *crowd)
{
	sp_hash_deinit(&crowd->seen);
}

void crowd_add(struct crowd *crowd, const struct site *site, const struct ast_stmt *body)
{
	struct shown shown = { 0 };
	void **known;

	crowd->n_sites++;
	if (site->kind == SP_SITE_SYSCALL) // one program for several handlers
		return;
	add_stmt(&shown, body);
	if (!shown.any)
		return;
	if (!prog_has_one_place(site->prog_kind)) {
		known = sp_hash_insert(&crowd->seen, &shown.hash, sizeof(shown.hash));
		if (*known)
			return;
		*known = crowd;
	}
	crowd->n++;
}

bool crowd_is_full(const struct crowd *crowd)
{
	return crowd->n > TARGET_MAX_PROGRAMS;
}

// The more sites there are, the fewer of them bring something new.
bool crowd_may_fill(const struct crowd *crowd, size_t n_sites)
{
	return n_sites > TARGET_MAX_PROGRAMS && (crowd->n_sites < FEW_SITES || crowd->n * n_sites > crowd->n_sites * TARGET_MAX_PROGRAMS);
}

void crowd_report(const struct crowd *crowd, const struct sema_opts *opts, const struct handler *handler)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf point = { 0 };
	const struct ast_point *pattern = handler->sites.v[0]->origin;
	struct diag *d;

	ast_print_point(&point, pattern);
	d = diag(opts->dc, pattern->span, DIAG_FIT_PROGRAMS, "there are more than %u handlers", TARGET_MAX_PROGRAMS);
	diag_note(opts->dc, d, SPAN_NONE, "%s has %zu sites, and %zu of them need %zu handlers", sp_buf_str(&point), handler->sites.n,
		  crowd->n_sites, crowd->n);
	diag_hint(opts->dc, d, "a pattern of fewer functions, files or lines; a handler that prints no $variables is one for all sites");
}
