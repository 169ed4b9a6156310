// SPDX-License-Identifier: GPL-2.0-or-later
// Removes dead code: functions without a call, variables without a use, assignments to locals that are never read, code
// behind `return` or `next`. The user is warned when it is in the script, not when it is in the library.
#include "compiler/sema/calls.h"
#include "compiler/sema/effect.h"
#include "compiler/sema/layout.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/sema.h"
#include "compiler/sema/tree.h"
#include "compiler/sema/uses.h"

struct prune {
	const struct sema_opts *opts;
	struct program *program;
	struct sp_arena *arena;
	bool changed;
};

static bool is_users(const struct prune *p, struct span span)
{
	const struct source_file *file;

	if (p->opts->suppress_unused_warnings || !span.file)
		return false;
	file = source_file(p->opts->sources, span.file);
	return file && file->kind == SOURCE_USER;
}

// ---- dead code ------------------------------------------------------------------------------------------------------

static bool is_dead_local(const struct ast_expr *e)
{
	return e->kind == AST_NAME && e->name.local && !e->name.local->is_read;
}

// A variable of the library that the script does not read, such as the counters of ipmib.*, or an element of it.
static bool is_dead_in_library(const struct prune *p, struct ast_expr *e)
{
	const struct global *g = e->kind == AST_NAME ? e->name.global : e->kind == AST_INDEX ? e->index.global : NULL;
	const struct source_file *file = g && g->span.file ? source_file(p->opts->sources, g->span.file) : NULL;

	if (!file || file->kind == SOURCE_USER || g->is_read)
		return false;
	for (unsigned i = 0; e->kind == AST_INDEX && i < e->index.keys.n; i++)
		if (!e->index.keys.v[i] || effect_of_expr(e->index.keys.v[i]))
			return false;
	return true;
}

static void drop(struct prune *p, struct ast_stmt **place)
{
	*place = tree_stmt(p->arena, AST_S_EMPTY, (*place)->span);
	p->changed = true;
}

// No warning for a void call: the library has empty functions so that scripts for SystemTap compile.
static void warn_unused(const struct prune *p, const struct ast_expr *e)
{
	if (is_users(p, e->span) && e->type != TYPE_VOID)
		diag(p->opts->dc, e->span, DIAG_EXPR_UNUSED, "eliding an expression without effect");
}

// The first or the last part of a for loop's head.
static void prune_part(struct prune *p, struct ast_expr **place)
{
	if (!*place || effect_of_expr(*place))
		return;
	warn_unused(p, *place);
	*place = NULL;
	p->changed = true;
}

static void prune_expr_stmt(struct prune *p, struct ast_stmt **place)
{
	struct ast_expr *e = (*place)->expr;

	if (e->kind == AST_ASSIGN &&
	    (is_dead_in_library(p, e->assign.target) || (e->assign.kind != ASSIGN_STAT && is_dead_local(e->assign.target)))) {
		(*place)->expr = e->assign.value; // no warning here: the variable got one
		p->changed = true;
		if (!effect_of_expr(e->assign.value))
			drop(p, place);
	} else if (e->kind == AST_INCDEC && (is_dead_local(e->incdec.target) || is_dead_in_library(p, e->incdec.target))) {
		drop(p, place);
	} else if (!effect_of_expr(e)) {
		warn_unused(p, e);
		drop(p, place);
	}
}

static bool leaves(const struct ast_stmt *s)
{
	return s->kind == AST_S_RETURN || s->kind == AST_S_NEXT || s->kind == AST_S_BREAK ||
	       s->kind == AST_S_CONTINUE;
}

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx, (void)place;
}

static bool is_empty(const struct ast_stmt *s)
{
	if (s->kind == AST_S_BLOCK) {
		for (unsigned i = 0; i < s->block.n; i++)
			if (!is_empty(s->block.v[i]))
				return false;
		return true;
	}
	return s->kind == AST_S_EMPTY;
}

static void prune_stmt(void *ctx, struct ast_stmt **place)
{
	struct prune *p = ctx;
	struct ast_stmt *s = *place;

	ast_stmt_children(s, no_expr, prune_stmt, p);
	if (s->kind == AST_S_EXPR) {
		prune_expr_stmt(p, place);
	} else if (s->kind == AST_S_FOR) {
		prune_part(p, &s->loop.init);
		prune_part(p, &s->loop.step);
	} else if (s->kind == AST_S_BLOCK) {
		unsigned n = 0;

		for (unsigned i = 0; i < s->block.n; i++) {
			if (!is_empty(s->block.v[i]))
				s->block.v[n++] = s->block.v[i];
			if (leaves(s->block.v[i]))
				break;
		}
		s->block.n = n;
	} else if (s->kind == AST_S_IF && is_empty(s->cond.then) &&
		   (!s->cond.otherwise || is_empty(s->cond.otherwise)) && !effect_of_expr(s->cond.cond)) {
		drop(p, place);
	}
}

static void prune_bodies(struct prune *p)
{
	for (size_t i = 0; i < p->program->handlers.n; i++)
		prune_stmt(p, &p->program->handlers.v[i]->body);
	for (size_t i = 0; i < p->program->functions.n; i++)
		if (p->program->functions.v[i]->is_used)
			prune_stmt(p, &p->program->functions.v[i]->body);
}

// ---- warnings and removal -------------------------------------------------------------------------------------------

// A local of the script exists in each handler of its probe: it is unused only when no handler reads it.
static bool read_in_sibling(const struct prune *p, const struct handler *of, const struct local *local)
{
	for (size_t i = 0; i < p->program->handlers.n; i++) {
		const struct handler *h = p->program->handlers.v[i];

		if (h->probe != of->probe)
			continue;
		for (size_t j = 0; j < h->locals.n; j++)
			if (h->locals.v[j]->is_read && h->locals.v[j]->span.off == local->span.off &&
			    h->locals.v[j]->span.file == local->span.file)
				return true;
	}
	return false;
}

static bool is_read_elsewhere(const struct prune *p, const struct local *local)
{
	for (size_t i = 0; i < p->program->handlers.n; i++) {
		const struct handler *h = p->program->handlers.v[i];

		for (size_t j = 0; j < h->locals.n; j++)
			if (h->locals.v[j]->is_read && h->locals.v[j]->span.file == local->span.file &&
			    sp_streq(h->locals.v[j]->name, local->name))
				return true;
	}
	return false;
}

static void warn_local(const struct prune *p, const struct local *local)
{
	struct diag *d;

	if (!local->is_written || local->is_read || local->name[0] == '@' || !is_users(p, local->span))
		return;
	d = diag(p->opts->dc, local->span, DIAG_LOCAL_UNREAD, "eliding unused variable '%s'", local->name);
	if (is_read_elsewhere(p, local))
		diag_hint(p->opts->dc, d, "each handler has its own; all have one with `global %s` at the top of the script", local->name);
}

static void warn_locals(const struct prune *p)
{
	for (size_t i = 0; i < p->program->handlers.n; i++) {
		const struct handler *h = p->program->handlers.v[i];

		sp_vec_each(local, &h->locals)
			if (!read_in_sibling(p, h, *local))
				warn_local(p, *local);
	}
	for (size_t i = 0; i < p->program->functions.n; i++) {
		const struct function *f = p->program->functions.v[i];

		for (size_t j = f->n_params; f->is_used && j < f->locals.n; j++)
			warn_local(p, f->locals.v[j]);
	}
}

// Drops locals that are neither read nor written: no code names them.
#define drop_unused(locals, first)                                                                 \
	do {                                                                                       \
		size_t n_ = (first);                                                               \
		for (size_t i_ = n_; i_ < (locals)->n; i_++)                                       \
			if ((locals)->v[i_]->is_read || (locals)->v[i_]->is_written)               \
				(locals)->v[n_++] = (locals)->v[i_];                               \
		(locals)->n = n_;                                                                  \
		for (size_t i_ = 0; i_ < n_; i_++)                                                 \
			(locals)->v[i_]->index = (unsigned)i_;                                     \
	} while (0)

static void prune_locals(struct prune *p)
{
	for (size_t i = 0; i < p->program->handlers.n; i++)
		drop_unused(&p->program->handlers.v[i]->locals, 0);
	for (size_t i = 0; i < p->program->functions.n; i++)
		if (p->program->functions.v[i]->is_used)
			drop_unused(&p->program->functions.v[i]->locals,
				    p->program->functions.v[i]->n_params);
}

static void warn_functions(const struct prune *p)
{
	for (size_t i = 0; i < p->program->functions.n; i++) {
		const struct function *f = p->program->functions.v[i];

		if (!f->is_used && !f->is_copied && is_users(p, f->decl->span))
			diag(p->opts->dc, f->decl->span, DIAG_FUNCTION_UNUSED,
			     "eliding unused function '%s'", f->name);
	}
}

// Does -G give the global a value?
static bool is_given(const struct prune *p, const struct global *g)
{
	size_t len = strlen(g->name);

	for (const char *const *text = p->opts->globals; text && *text; text++)
		if (strncmp(*text, g->name, len) == 0 && (*text)[len] == '=')
			return true;
	return false;
}

static void warn_globals(const struct prune *p)
{
	for (size_t i = 0; i < p->program->globals.n; i++) {
		const struct global *g = p->program->globals.v[i];

		if (!is_users(p, g->span))
			continue;
		if (!g->is_read && !g->is_written)
			diag(p->opts->dc, g->span, DIAG_GLOBAL_UNUSED,
			     "eliding unused variable '%s'", g->name);
		else if (g->is_read && !g->is_written && !g->init && !g->is_given && !is_given(p, g))
			diag(p->opts->dc, g->span, DIAG_GLOBAL_UNASSIGNED,
			     "global variable '%s' is never assigned", g->name);
	}
}

// Is it for the condition of a probe that is left out?
static bool is_of_nobody(const struct prune *p, const struct handler *h, size_t n_kept)
{
	if (!h->sites.n || h->sites.v[0]->kind != SP_SITE_CONDITION)
		return false;
	for (size_t i = 0; i < n_kept; i++)
		if (p->program->handlers.v[i]->condition == h->sites.v[0]->args.condition.number)
			return false;
	return true;
}

// Drops handlers without a site (`probe never`), which only had to be checked, and handlers that do nothing.
static void prune_handlers(struct prune *p)
{
	const struct handler *told = NULL;
	bool never = false;
	size_t n = 0;

	for (size_t i = 0; i < p->program->handlers.n; i++) {
		struct handler *h = p->program->handlers.v[i];
		bool is_left_out = h->sites.n && is_empty(h->body) && !p->opts->unoptimized;
		bool is_news = !told || told != h->origin; // one warning for each probe, with its first site

		if (is_left_out)
			told = h->origin;
		if (is_left_out && is_news && is_users(p, h->probe->span))
			diag(p->opts->dc, h->probe->span, DIAG_PROBE_EMPTY,
			     "eliding the probe of %s, whose handler does nothing", h->sites.v[0]->point);
		never |= !h->sites.n;
		if (h->sites.n && !is_left_out && !is_of_nobody(p, h, n)) {
			p->program->handlers.v[n++] = h;
			continue;
		}
		sp_vec_deinit(&h->locals);
		sp_vec_deinit(&h->sites);
	}
	if (!n && !never && !p->opts->dc->n_errors) {
		struct diag *d = diag(p->opts->dc, p->program->start, DIAG_NO_PROBE,
				      p->program->handlers.n ? "none of the probes does anything" : "the script has no probe");

		diag_hint(p->opts->dc, d, "a script needs a probe, for example: probe begin { println(\"hello\") }");
	}
	p->changed = n != p->program->handlers.n;
	p->program->handlers.n = n;
	for (size_t i = 0; i < n; i++)
		p->program->handlers.v[i]->index = (unsigned)i;
}

static void prune_functions(struct prune *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->program->functions.n; i++) {
		struct function *f = p->program->functions.v[i];

		if (f->is_used || p->opts->unoptimized)
			p->program->functions.v[n++] = f;
		else
			sp_vec_deinit(&f->locals);
	}
	p->program->functions.n = n;
	for (size_t i = 0; i < n; i++)
		p->program->functions.v[i]->index = (unsigned)i;
}

static void prune_globals(struct prune *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->program->globals.n; i++) {
		struct global *g = p->program->globals.v[i];

		if (g->is_read || g->is_written || p->opts->unoptimized)
			p->program->globals.v[n++] = g;
		else if (!g->is_synthetic)
			sp_vec_push(&p->program->left_out, g->name);
	}
	p->program->globals.n = n;
	for (size_t i = 0; i < n; i++)
		p->program->globals.v[i]->index = (unsigned)i;
}

void sema_prune(const struct sema_opts *opts, struct program *program)
{
	struct prune p = { .opts = opts, .program = program, .arena = &program->arena };

	calls_mark(program);
	effect_mark(program);
	uses_count(program);
	warn_locals(&p);
	do {
		p.changed = false;
		if (!opts->unoptimized)
			prune_bodies(&p);
		if (p.changed) {
			uses_count(program);
			calls_mark(program);
		}
	} while (p.changed);
	if (!opts->unoptimized)
		prune_locals(&p);
	warn_functions(&p);
	warn_globals(&p);
	prune_handlers(&p);
	if (p.changed) {
		calls_mark(program);
		uses_count(program);
	}
	prune_functions(&p);
	prune_globals(&p);
	layout_find_numbers(opts, program);
}
