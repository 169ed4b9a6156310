// SPDX-License-Identifier: GPL-2.0-or-later
// The context pass: each handler's body is resolved for each of its sites; sites at which it comes out alike share one
// handler. Bodies that use nothing of their site are not even copied.
#include "compiler/sema/context.h"
#include "compiler/sema/callers.h"
#include "compiler/sema/calls.h"
#include "compiler/sema/dump.h"
#include "compiler/sema/guard.h"
#include "compiler/sema/tree.h"

#define MAX_SITE_ERRORS 5 // a pattern's sites tend to fail alike

// One handler of bind, at one of its sites.
struct instance {
	struct site *site, *entry_site; // entry_site: set when something is evaluated at the entry
	struct ast_stmt *body;
	struct entry_set entries;
	struct copy_set copies;
};

// Handlers that came of one handler of bind, by shape.
struct splitter {
	struct context *cx;
	struct handler *origin;
	struct sp_hash groups; // shape -> struct group
	bool uses_context;
	bool asks_site; // pp() or ppfunc(), itself or in a function
	unsigned n_alone;
	SP_VEC(struct site *) left_out; // inlined instances
	const char *why_left_out; // the first of them
};

struct group {
	struct handler *handler, *entry; // entry: the companion at the function's entry, NULL: none
};

// ---- one body -------------------------------------------------------------------------------------------------------

struct resolver {
	const struct scene *scene;
	struct entry_set *entries;
};

static void resolve_place(void *ctx, struct ast_expr **place);

static void resolve_children(struct resolver *r, struct ast_expr *e)
{
	tree_expr_children(e, resolve_place, r);
}

// A plain parameter that the hook still has at the return needs no storing.
static bool resolve_entry_in_place(struct resolver *r, struct ast_expr **place)
{
	struct ast_expr *inner = (*place)->entry.a;
	size_t mark = diag_mark(r->scene->cx->opts->dc);
	struct ast_expr *copy;

	if (inner->kind != AST_TARGET || inner->target.base ||
	    sp_streq(inner->target.name, "$return"))
		return false;
	copy = ast_clone_expr(r->scene->cx->arena, inner);
	if (path_resolve(r->scene, &copy) == PATH_DONE) {
		*place = copy;
		return true;
	}
	diag_rewind(r->scene->cx->opts->dc, mark);
	return false;
}

static void report_no_entry(struct resolver *r, struct ast_expr *e)
{
	struct diag_ctx *dc = r->scene->cx->opts->dc;
	struct site *site = r->scene->site;
	struct diag *d = diag(dc, e->op_span, DIAG_ENTRY_MISUSE, "%s",
			      r->scene->function ? "a function cannot ask for a value from the entry"
						 : "@entry stands outside of a .return probe");

	if (r->scene->function)
		diag_hint(dc, d, "let the handler pass it as an argument");
	else if (site && site->func && !site->is_return)
		diag_hint(dc, d, "add .return to the probe point");
	e->kind = AST_ERROR;
}

static void resolve_at_entry(struct resolver *r, struct ast_expr **place)
{
	struct site *site = r->scene->site;

	if (!r->entries || !site || !site->is_return || !site->family->entry_site) {
		report_no_entry(r, *place);
		return;
	}
	if ((*place)->kind != AST_ENTRY || !resolve_entry_in_place(r, place))
		entry_capture(r->scene, r->entries, place);
}

// What registers held at the function's entry, for a place further on in it.
static void keep_entry_values(struct resolver *r, struct ast_expr *value)
{
	if (r->entries && r->scene->site->family->entry_site)
		entry_keep(r->scene, r->entries, value);
	else
		report_no_entry(r, value);
}

// --skip-badvars
static void skip_bad_variable(const struct scene *scene, const struct ast_expr *bad, size_t mark,
			      struct ast_expr **place)
{
	struct diag_ctx *dc = scene->cx->opts->dc;
	struct sp_buf text = { 0 };

	diag_rewind(dc, mark);
	ast_print_expr(&text, bad);
	diag(dc, bad->op_span, DIAG_VARIABLE_SKIPPED, "'%s' cannot be read here, and is 0", sp_buf_str(&text));
	sp_buf_deinit(&text);
	**place = (struct ast_expr){ .kind = AST_NUMBER, .span = bad->span, .op_span = bad->op_span };
}

static void resolve_place(void *ctx, struct ast_expr **place)
{
	struct resolver *r = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_ENTRY) {
		resolve_at_entry(r, place);
		return;
	}
	if (e->kind == AST_DEFINED) // waits for autocast
		return;
	if (e->kind == AST_TARGET && e->target.base) {
		resolve_children(r, e);
		path_resolve(r->scene, place);
		return;
	}
	if (e->kind == AST_TARGET || e->kind == AST_CAST || e->kind == AST_ATVAR) {
		size_t mark = diag_mark(r->scene->cx->opts->dc);
		struct ast_expr bad = *e;
		enum path_result result = path_resolve(r->scene, place);

		if (result == PATH_FAILED && r->scene->cx->opts->skip_bad_vars && bad.kind != AST_CAST)
			skip_bad_variable(r->scene, &bad, mark, place);
		if (result == PATH_NEEDS_ENTRY)
			resolve_at_entry(r, place);
		else if (result == PATH_DONE)
			resolve_children(r, *place);
		if (result == PATH_DONE && (*place)->kind == AST_RESOLVED && (*place)->resolved->frame)
			keep_entry_values(r, *place);
		return;
	}
	resolve_children(r, e);
}

static void resolve_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, resolve_place, resolve_stmt, ctx);
}

void context_expr(const struct scene *scene, struct entry_set *entries, struct ast_expr **place)
{
	struct resolver r = { scene, entries };

	resolve_place(&r, place);
}

void context_stmt(const struct scene *scene, struct entry_set *entries, struct ast_stmt *s)
{
	struct resolver r = { scene, entries };

	ast_stmt_children(s, resolve_place, resolve_stmt, &r);
}

// ---- hooks ----------------------------------------------------------------------------------------------------------

struct names {
	SP_VEC(const char *) v;
};

static void find_name(void *ctx, struct ast_expr **place)
{
	struct names *names = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_ENTRY) // evaluated at another site
		return;
	tree_expr_children(e, find_name, ctx);
	if (tree_reads_registers(e)) {
		sp_vec_push(&names->v, POINT_REGISTERS);
		return;
	}
	if (e->kind != AST_TARGET || !e->target.name || sp_starts_with(e->target.name, "$$"))
		return;
	for (size_t i = 0; i < names->v.n; i++)
		if (sp_streq(names->v.v[i], e->target.name))
			return;
	sp_vec_push(&names->v, e->target.name);
}

static void find_name_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, find_name, find_name_stmt, ctx);
}

static void choose_hook(struct context *cx, struct site *site, struct names *names)
{
	site->family->choose_hook(cx->opts->env, site, names->v.v, (unsigned)names->v.n);
	sp_vec_deinit(&names->v);
}

// $$vars and the like become what they stand for, before a hook is chosen for the names.
static void expand_lists(void *ctx, struct ast_expr **place)
{
	const struct ast_expr *e = *place;

	if (e->kind == AST_TARGET && e->target.name && sp_starts_with(e->target.name, "$$") &&
	    !pretty_expand(ctx, place))
		(*place)->kind = AST_ERROR;
}

// ---- instances ------------------------------------------------------------------------------------------------------

static void resolve_entries(struct context *cx, struct instance *in)
{
	struct scene scene = { .cx = cx };
	struct names names = { 0 };

	in->entry_site = in->site->family->entry_site(cx->opts->env, in->site);
	scene.site = in->entry_site;
	if (in->entries.frame)
		sp_vec_push(&names.v, POINT_REGISTERS);
	for (size_t i = 0; i < in->entries.v.n; i++) {
		fold_expr(&scene, &in->entries.v.v[i].expr);
		find_name(&names, &in->entries.v.v[i].expr);
	}
	choose_hook(cx, in->entry_site, &names);
	for (size_t i = 0; i < in->entries.v.n; i++)
		context_expr(&scene, NULL, &in->entries.v.v[i].expr);
}

// Of a pattern's many sites, says which one a diagnostic is about.
static void note_site(struct context *cx, const struct handler *origin, const struct site *site,
		      size_t mark)
{
	if (origin->sites.n < 2)
		return;
	for (size_t i = mark; i < cx->opts->dc->diags.n; i++)
		diag_note(cx->opts->dc, cx->opts->dc->diags.v[i], SPAN_NONE, "at %s", site->point);
}

static void resolve_copies(struct scene *scene, struct copy_set *copies)
{
	struct diag_ctx *dc = scene->cx->opts->dc;

	sp_vec_each(copy, &copies->v) {
		size_t mark = diag_mark(dc);

		scene->function = copy->to;
		context_stmt(scene, NULL, copy->to->body);
		for (size_t i = mark; i < dc->diags.n; i++)
			diag_note(dc, dc->diags.v[i], copy->call, "'%s' is called here, for %s",
				  copy->to->name, scene->site->point);
	}
	scene->function = NULL;
}

static void make_instance(struct splitter *s, struct site *site, struct instance *ret)
{
	struct scene scene = { .cx = s->cx, .site = site };
	struct names names = { 0 };

	*ret = (struct instance){ .site = site };
	ret->body = s->uses_context ? ast_clone_stmt(s->cx->arena, s->origin->body) : s->origin->body;
	if (!s->uses_context) {
		choose_hook(s->cx, site, &names);
		return;
	}
	ret->body = guard_body(s->cx->arena, site, abi_find(s->cx->opts->env->target->arch), ret->body);
	fold_stmt(&scene, &ret->body);
	copy_calls(&scene, &ret->copies, ret->body);
	tree_walk_stmt(ret->body, expand_lists, &scene);
	sp_vec_each(copy, &ret->copies.v)
		tree_walk_stmt(copy->to->body, expand_lists, &scene);
	ast_stmt_children(ret->body, find_name, find_name_stmt, &names);
	sp_vec_each(copy, &ret->copies.v)
		ast_stmt_children(copy->to->body, find_name, find_name_stmt, &names);
	choose_hook(s->cx, site, &names);
	context_stmt(&scene, &ret->entries, ret->body);
	resolve_copies(&scene, &ret->copies);
	if (ret->entries.v.n)
		resolve_entries(s->cx, ret);
}

// Trampolines belong to one function each; so does a handler that asks for its site where no cookie can tell it.
static bool stands_alone(const struct splitter *s, const struct site *site)
{
	if (site->prog_kind == SP_PROG_FENTRY || site->prog_kind == SP_PROG_FEXIT)
		return true;
	if (!s->asks_site || site->prog_kind == SP_PROG_USER)
		return false;
	return site->prog_kind == SP_PROG_RAW_TP ||
	       !target_has(s->cx->opts->env->target, SP_FEATURE_COOKIE);
}

// Equal texts: the same program does for both.
static void print_shape(struct splitter *s, const struct instance *in, struct sp_buf *out)
{
	sp_buf_printf(out, "%d %d %d %p\n", in->site->prog_kind, in->site->is_return,
		      in->site->space, s->uses_context ? (void *)in->site->module : NULL);
	if (in->entry_site)
		sp_buf_printf(out, "entry %d\n", in->entry_site->prog_kind);
	if (stands_alone(s, in->site) || (in->entry_site && stands_alone(s, in->entry_site)))
		sp_buf_printf(out, "alone %u\n", ++s->n_alone);
	if (!s->uses_context)
		return;
	sp_buf_printf(out, "first %d\n", in->site->func && in->site->pc == in->site->func->entry_pc);
	dump_stmt(out, in->body, 0);
	if (in->entries.frame)
		loc_print(out, in->entries.frame);
	for (size_t i = 0; i < in->entries.v.n; i++) {
		dump_expr(out, in->entries.v.v[i].expr);
		sp_buf_putc(out, '\n');
	}
	sp_vec_each(copy, &in->copies.v) {
		sp_buf_printf(out, "function %p\n", (void *)copy->from);
		dump_stmt(out, copy->to->body, 0);
	}
}

// ---- groups ---------------------------------------------------------------------------------------------------------

// Each handler has locals of its own: their types can differ from site to site.
static void own_locals(struct splitter *s, struct handler *to, struct ast_stmt **body)
{
	struct handler *from = s->origin;

	for (size_t i = 0; i < from->locals.n; i++)
		sp_vec_push(&to->locals, NULL);
	if (!s->uses_context)
		*body = ast_clone_stmt(s->cx->arena, *body);
	copy_locals(s->cx->arena, from->locals.v, from->locals.n, to->locals.v, body);
}

static void own_functions(struct splitter *s, struct handler *h, struct instance *in)
{
	sp_vec_each(copy, &in->copies.v) {
		copy->to->handler = h;
		copy->from->is_copied = true;
		sp_vec_push(&s->cx->program->functions, copy->to);
	}
	in->copies.v.n = 0;
}

static struct handler *new_handler(struct splitter *s, struct site *site)
{
	struct handler *h = sp_arena_new(s->cx->arena, struct handler);

	h->probe = s->origin->probe;
	h->prog_kind = site->prog_kind;
	h->is_return = site->is_return;
	sp_vec_push(&s->cx->program->handlers, h);
	return h;
}

static struct group *make_group(struct splitter *s, struct instance *in)
{
	struct group *g = sp_arena_new(s->cx->arena, struct group);

	if (in->entry_site)
		g->entry = new_handler(s, in->entry_site);
	g->handler = new_handler(s, in->site);
	g->handler->body = in->body;
	own_locals(s, g->handler, &g->handler->body);
	own_functions(s, g->handler, in);
	if (in->entry_site)
		entry_weave(s->cx, &in->entries, in->entry_site, g->entry, g->handler);
	return g;
}

// Several places in one function have one entry.
static bool has_site(const struct handler *entry, const struct site *site)
{
	sp_vec_each(known, &entry->sites)
		if ((*known)->module == site->module && (*known)->pc == site->pc)
			return true;
	return false;
}

static void drop_instance(struct instance *in)
{
	sp_vec_deinit(&in->entries.v);
	sp_vec_each(copy, &in->copies.v)
		sp_vec_deinit(&copy->to->locals);
	sp_vec_deinit(&in->copies.v);
}

static void add_instance(struct splitter *s, struct instance *in)
{
	struct sp_buf shape = { 0 };
	struct group *g;
	void **place;

	print_shape(s, in, &shape);
	place = sp_hash_insert(&s->groups, sp_buf_str(&shape), shape.len);
	if (!*place)
		*place = make_group(s, in);
	g = *place;
	sp_vec_push(&g->handler->sites, in->site);
	if (g->entry && !(in->entries.frame && has_site(g->entry, in->entry_site)))
		sp_vec_push(&g->entry->sites, in->entry_site);
	sp_buf_deinit(&shape);
	drop_instance(in); // what a handler that is there already does not need
}

static void uses_context(void *ctx, struct ast_expr **place)
{
	enum ast_expr_kind kind = (*place)->kind;

	if (kind == AST_TARGET || kind == AST_CAST || kind == AST_ATVAR || kind == AST_DEFINED ||
	    kind == AST_ENTRY || tree_asks_site(*place) ||
	    (kind == AST_CALL && (*place)->call.function && (*place)->call.function->needs_context))
		*(bool *)ctx = true;
}

// A probe that has no site (never) is resolved once, for its mistakes.
static void resolve_siteless(struct splitter *s)
{
	struct scene scene = { .cx = s->cx };
	struct handler *h = sp_arena_memdup(s->cx->arena, s->origin, sizeof(*s->origin));

	fold_stmt(&scene, &h->body);
	context_stmt(&scene, NULL, h->body);
	memset(&s->origin->locals, 0, sizeof(s->origin->locals)); // moved
	sp_vec_push(&s->cx->program->handlers, h);
}

// ---- what needs to know its site ------------------------------------------------------------------------------------

static bool asks_site_expr(const struct ast_expr *e)
{
	return e->kind == AST_CALL && !e->call.function &&
	       (e->call.builtin == BUILTIN_PN || e->call.builtin == BUILTIN_PP ||
		e->call.builtin == BUILTIN_PPFUNC || e->call.builtin == BUILTIN_PROBEMOD);
}

static void find_asking(void *ctx, struct ast_expr **place)
{
	*(bool *)ctx |= asks_site_expr(*place);
}

static void find_asking_in(void *ctx, struct function *f)
{
	tree_walk_stmt(f->body, find_asking, ctx);
}

static bool asks_site(struct program *program, struct ast_stmt *body)
{
	bool asks = false;

	tree_walk_stmt(body, find_asking, &asks);
	calls_each(program, body, find_asking_in, &asks);
	return asks;
}

// Of the inlined instances that a wildcard finds, those in which a variable has no value are left out, when it has one at
// other places that the wildcard finds.
static bool leave_out(struct splitter *s, struct instance *in, size_t mark)
{
	struct diag_ctx *dc = s->cx->opts->dc;
	const struct site *site = in->site;

	if (diag_mark(dc) == mark || !site->func || !site->func->is_inline || !point_is_pattern(site->origin))
		return false;
	for (size_t i = mark; i < dc->diags.n; i++)
		if (dc->diags.v[i]->id != DIAG_VAR_ABSENT)
			return false;
	if (!s->left_out.n)
		s->why_left_out = dc->diags.v[mark]->text;
	sp_vec_push(&s->left_out, in->site);
	diag_rewind(dc, mark);
	drop_instance(in);
	return true;
}

static void report_left_out(struct splitter *s)
{
	struct diag_ctx *dc = s->cx->opts->dc;
	const struct site *first = s->left_out.v[0];
	struct diag *d = diag(dc, first->origin->span, DIAG_INSTANCE_LEFT_OUT, "%zu inlined instance%s left out: %s", s->left_out.n,
			      s->left_out.n == 1 ? " is" : "s are", s->why_left_out);

	diag_note(dc, d, SPAN_NONE, "%s %s", s->left_out.n == 1 ? "it is" : "the first is", first->point);
	diag_hint(dc, d, "with .call the pattern finds no inlined functions");
}

static void split_handler(struct context *cx, struct handler *origin)
{
	struct splitter s = { .cx = cx, .origin = origin };
	unsigned n_errors = cx->opts->dc->n_errors;

	tree_walk_stmt(origin->body, uses_context, &s.uses_context);
	for (size_t i = 0; i < origin->sites.n; i++)
		s.uses_context |= origin->sites.v[i]->callers || origin->sites.v[i]->guard != GUARD_NONE;
	s.asks_site = asks_site(cx->program, origin->body);
	if (!origin->sites.n)
		resolve_siteless(&s);
	for (size_t i = 0;
	     i < origin->sites.n && cx->opts->dc->n_errors < n_errors + MAX_SITE_ERRORS; i++) {
		struct instance in;
		size_t mark = diag_mark(cx->opts->dc);

		make_instance(&s, origin->sites.v[i], &in);
		if (s.left_out.n < origin->sites.n - 1 && leave_out(&s, &in, mark))
			continue;
		note_site(cx, origin, origin->sites.v[i], mark);
		add_instance(&s, &in);
	}
	if (s.left_out.n)
		report_left_out(&s);
	sp_hash_deinit(&s.groups);
	sp_vec_deinit(&s.left_out);
	sp_vec_deinit(&origin->sites);
	sp_vec_deinit(&origin->locals);
}

static void mark_site_readers(struct program *program)
{
	for (size_t i = 0; i < program->handlers.n; i++) {
		struct handler *h = program->handlers.v[i];

		h->index = (unsigned)i;
		h->reads_site = h->sites.n > 1 && asks_site(program, h->body);
	}
}

void sema_context(const struct sema_opts *opts, struct program *program)
{
	struct context cx = { .opts = opts, .program = program, .arena = &program->arena };
	struct handler **handlers = program->handlers.v;
	size_t n_handlers = program->handlers.n;

	callers_check(opts, program);
	memset(&program->handlers, 0, sizeof(program->handlers));
	copy_mark(program);
	for (size_t i = 0; i < n_handlers; i++)
		split_handler(&cx, handlers[i]);
	free(handlers);
	// Folding a function can make others unused.
	calls_mark(program);
	for (size_t i = 0; i < program->functions.n; i++) {
		struct function *f = program->functions.v[i];
		struct scene scene = { .cx = &cx, .function = f };

		if (f->is_used && !f->handler) {
			fold_stmt(&scene, &f->body);
			context_stmt(&scene, NULL, f->body);
		}
	}
	autocast_run(&cx);
	calls_mark(program);
	mark_site_readers(program);
	program->stage = PROGRAM_RESOLVED;
	sp_hash_deinit(&cx.homes);
}
