// SPDX-License-Identifier: GPL-2.0-or-later
// The context pass: `$x` is one place at this site and another at that one. So each handler is copied for each of its sites,
// and the copy is resolved there. A body that uses nothing of its site stays one handler for all of them, and so do the two
// handlers of one that uses @entry(gettimeofday_ns()) alone. Whether two sites can share a program is decided later:
// lower/merge.c compares their IR. All steps work on struct splitter and struct instance, in one file of more than 600 lines.
#include "compiler/sema/context.h"
#include "compiler/sema/calls.h"
#include "compiler/sema/chain.h"
#include "compiler/sema/crowd.h"
#include "compiler/sema/empty_stack.h"
#include "compiler/sema/guard.h"
#include "compiler/sema/layout.h"
#include "compiler/sema/sampled.h"
#include "compiler/sema/syscall_arg.h"
#include "compiler/sema/tree.h"
#include "compiler/sema/unread.h"
#include "runtime/base/cleanup.h"

#define MAX_SITE_ERRORS 5 // a pattern's sites tend to fail alike
#define MAX_ROUNDS 3 // to choose a hook
#define LOOK_STEP 64 // sites beside each other are alike: a crowd is looked for among those that are not

// A handler of the script at one of its sites.
struct instance {
	struct site *site, *entry_site; // entry_site: the function's entry, when values are taken there; else NULL
	struct ast_stmt *body;
	struct entry_set entries;
	struct copy_set copies;
};

// What sites have in common when the body uses nothing of them.
struct shared {
	struct handler *handler, *entry; // entry: USES_ENTRY; else NULL
	bool nests; // USES_ENTRY: entry_may_nest()
};

// A handler of the script, and the handlers made of it so far.
struct splitter {
	struct context *cx;
	struct handler *origin;
	unsigned number; // of the origin
	SP_VEC(struct entry_arrays) arrays; // keep values from entry to return: [n] is for the n-th site with one entry
	struct sp_hash places; // module and address of an entry -> number of sites with that entry
	enum { USES_NOTHING, USES_ENTRY, USES_SITE } uses; // USES_ENTRY: that it is entered, and nothing else of its site
	SP_VEC(struct shared) shared; // unless the body uses its site: one for each kind of program
	SP_VEC(struct site *) left_out; // inlined instances that lack a variable
	const char *why_left_out; // the reason for the first of these
};

// ---- one body -------------------------------------------------------------------------------------------------------

struct resolver {
	const struct scene *scene;
	struct entry_set *entries;
	bool is_open; // in a branch that an open @defined may yet leave out
};

static void resolve_place(void *ctx, struct ast_expr **place);

// A variable that text_object_read() has replaced.
static void refuse_written_text(struct resolver *r, struct ast_expr *target)
{
	if (target->kind != AST_TERNARY)
		return;
	diag(r->scene->cx->opts->dc, target->span, DIAG_WRITE_PLACE, "the variable cannot be written: it is a text");
	target->kind = AST_ERROR;
}

static void resolve_children(struct resolver *r, struct ast_expr *e)
{
	tree_expr_children(e, resolve_place, r);
	if (e->kind == AST_ASSIGN)
		refuse_written_text(r, e->assign.target);
	else if (e->kind == AST_INCDEC)
		refuse_written_text(r, e->incdec.target);
}

// @entry($x) in a .return probe: fexit still has the parameters, so `$x` needs no handler at the entry.
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
	const char *what = e->kind != AST_ENTRY && site && site->tracepoint
				   ? "a field of the tracepoint's record, when the handler uses arguments of its prototype"
				   : "a value from the entry";
	struct diag *d = diag(dc, e->op_span, DIAG_ENTRY_MISUSE, r->scene->function ? "a function cannot ask for %s"
								: "@entry stands outside of a .return probe", what);

	if (r->scene->function)
		diag_hint(dc, d, "let the handler pass it as an argument");
	else if (site && site->func && !site->is_return)
		diag_hint(dc, d, "add .return to the probe point");
	e->kind = AST_ERROR;
}

static void resolve_at_entry(struct resolver *r, struct ast_expr **place)
{
	struct site *site = r->scene->site;

	if (!r->entries || !site || !site->family->entry_site || ((*place)->kind == AST_ENTRY && !site->is_return)) {
		report_no_entry(r, *place);
		return;
	}
	if ((*place)->kind != AST_ENTRY || !resolve_entry_in_place(r, place))
		entry_capture(r->scene, r->entries, place);
}

// A location may need what a register held at the function's entry (DW_OP_entry_value): a handler there keeps it.
static void keep_entry_values(struct resolver *r, struct ast_expr *value)
{
	if (r->entries && r->scene->site->family->entry_site)
		entry_keep(r->scene, r->entries, value);
	else
		report_no_entry(r, value);
}

// --skip-badvars: the variable becomes 0, and its error a warning.
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

// Is it a call such as kernel_string($comm) with an array of a tracepoint's record, at the raw tracepoint? The record is gone there,
// and so the call is made where the trace event has it.
static bool takes_array_of_record(struct resolver *r, const struct ast_expr *call)
{
	struct context *cx = r->scene->cx;
	struct site *site = r->scene->site;

	if (!site || !site->tracepoint)
		return false;
	for (unsigned i = 0; i < call->call.args.n; i++) {
		const struct ast_expr *arg = call->call.args.v[i];
		struct site_value value = { 0 };
		bool needs_entry = false;
		size_t mark;

		if (arg->kind != AST_TARGET || arg->target.base || arg->target.steps.n || sp_starts_with(arg->target.name, "$$"))
			continue;
		mark = diag_try(cx->opts->dc);
		site->family->find_var(cx->opts->env, site, arg, &value, &needs_entry);
		diag_end_try(cx->opts->dc, mark);
		if (needs_entry && value.base == SITE_BASE_RECORD)
			return true;
	}
	return false;
}

static void resolve_place(void *ctx, struct ast_expr **place)
{
	struct resolver *r = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_ENTRY || (e->kind == AST_CALL && takes_array_of_record(r, e))) {
		resolve_at_entry(r, place);
		return;
	}
	if (e->kind == AST_DEFINED) // still open: it depends on a type that autocast has yet to find
		return;
	if (e->kind == AST_TARGET && e->target.base) {
		resolve_children(r, e);
		path_resolve(r->scene, place);
		return;
	}
	if (e->kind == AST_TERNARY && autocast_is_open(e->ternary.cond) && !r->is_open) {
		resolve_place(r, &e->ternary.cond);
		r->is_open = true;
		resolve_place(r, &e->ternary.a);
		resolve_place(r, &e->ternary.b);
		r->is_open = false;
		return;
	}
	if (e->kind == AST_TARGET || e->kind == AST_CAST || e->kind == AST_ATVAR) {
		size_t mark = diag_mark(r->scene->cx->opts->dc);
		struct ast_expr bad = *e;
		enum path_result result = path_resolve(r->scene, place);

		if (result == PATH_FAILED && r->is_open && bad.kind == AST_CAST) { // an error only when the branch is alive
			diag_rewind(r->scene->cx->opts->dc, mark);
			*place = e;
			*e = bad;
			r->scene->cx->waits = true;
			return;
		}
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
	if (syscall_arg_is_asked(e, r->scene->site)) {
		*place = syscall_arg(r->scene->cx->arena, r->scene->cx->opts->env->target, r->scene->site, e);
		resolve_place(ctx, place);
		return;
	}
	if (sampled_is_asked(e, r->scene->site)) {
		*place = sampled_function(r->scene->cx->arena, e);
		e = *place;
	}
	resolve_children(r, e);
	empty_stack_warn(r->scene->cx->opts, r->scene->site, e);
	if (e->kind == AST_CALL && path_resolve(r->scene, place) == PATH_DONE)
		result_sign(r->scene, place);
}

static void resolve_stmt(void *ctx, struct ast_stmt **place)
{
	struct resolver *r = ctx;
	bool was_open = r->is_open;

	r->is_open |= (*place)->kind == AST_S_IF && autocast_is_open((*place)->cond.cond);
	ast_stmt_children(*place, resolve_place, resolve_stmt, ctx);
	r->is_open = was_open;
}

// Resolves every target variable of an expression. `entries` NULL: none is allowed to need the entry.
static void context_expr(const struct scene *scene, struct entry_set *entries, struct ast_expr **place)
{
	struct resolver r = { .scene = scene, .entries = entries };

	resolve_place(&r, place);
}

static void context_stmt(const struct scene *scene, struct entry_set *entries, struct ast_stmt *s)
{
	struct resolver r = { .scene = scene, .entries = entries };

	ast_stmt_children(s, resolve_place, resolve_stmt, &r);
}

// ---- instances ------------------------------------------------------------------------------------------------------

// Functions that the handler calls: expands their $$vars, and adds their `$names` to those that the hook is chosen by.
static void find_names_of_copies(struct scene *scene, struct copy_set *copies, bool at_entry, struct hook_names *names)
{
	sp_vec_each(copy, &copies->v) {
		if (copy->at_entry != at_entry)
			continue;
		pretty_expand_in(scene, copy->to->body);
		hook_names_of(names, copy->to->body);
	}
}

static void resolve_copies(struct scene *scene, struct copy_set *copies, bool at_entry)
{
	struct diag_ctx *dc = scene->cx->opts->dc;

	sp_vec_each(copy, &copies->v) {
		size_t mark = diag_mark(dc);

		if (copy->at_entry != at_entry)
			continue;
		scene->function = copy->to;
		context_stmt(scene, NULL, copy->to->body);
		for (size_t i = mark; i < dc->diags.n; i++)
			diag_note(dc, dc->diags.v[i], copy->call, "'%s' is called here, for %s",
				  copy->to->name, scene->site ? scene->site->point : "probe never");
	}
	scene->function = NULL;
}

static void resolve_entries(struct context *cx, struct instance *in)
{
	struct scene scene = { .cx = cx };
	struct hook_names names = { .arena = cx->arena };

	// @defined is decided once here, for a kprobe or uprobe. A kprobe may become fentry, which has all that these names need.
	in->entry_site = in->site->family->entry_site(cx->opts->env, in->site);
	scene.site = in->entry_site;
	names.reads_registers = in->entries.frame;
	for (size_t i = 0; i < in->entries.v.n; i++) {
		fold_expr(&scene, &in->entries.v.v[i].expr);
		copy_entry_calls(&scene, &in->copies, &in->entries.v.v[i].expr);
		hook_names_of_expr(&names, &in->entries.v.v[i].expr);
	}
	find_names_of_copies(&scene, &in->copies, true, &names);
	hook_choose(cx, in->entry_site, &names);
	for (size_t i = 0; i < in->entries.v.n; i++)
		context_expr(&scene, NULL, &in->entries.v.v[i].expr);
	resolve_copies(&scene, &in->copies, true);
}

// When a probe has many sites, a note tells which one the diagnostic is about.
static void note_site(struct context *cx, const struct handler *origin, const struct site *site,
		      size_t mark)
{
	const struct dbg_func *inlined = site->func && site->func->is_inline && site->func->caller ? site->func : NULL;

	if (origin->sites.n < 2)
		return;
	for (size_t i = mark; i < cx->opts->dc->diags.n; i++)
		diag_note(cx->opts->dc, cx->opts->dc->diags.v[i], SPAN_NONE, "at %s%s%s%s", site->point,
			  inlined ? ", where it is inlined into " : "", inlined ? inlined->caller : "",
			  inlined && !site->is_return ? ": with .call there are no such places" : "");
}

static struct ast_stmt *with_pauses(struct splitter *s, const struct site *site, struct ast_stmt *body)
{
	return s->cx->opts->can_pause ? guard_pause(s->cx->program, site, body) : body;
}

static void drop_instance(struct instance *in)
{
	sp_vec_deinit(&in->entries.v);
	sp_vec_each(copy, &in->copies.v)
		sp_vec_deinit(&copy->to->locals);
	sp_vec_deinit(&in->copies.v);
}

// Decides @defined in a copy of the body, and, when it `chooses`, the hook by the names that are left and those that are there.
// True: the hook is not the one that @defined was decided for.
static bool try_hook(struct splitter *s, struct site *site, bool chooses, struct instance *ret)
{
	struct asked asked = { 0 };
	struct scene scene = { .cx = s->cx, .site = site, .asked = &asked };
	struct hook_names names = { .arena = s->cx->arena, .is_return = site->is_return };
	bool was_open = site->hook_is_open, changed;
	enum sp_site_kind kind = site->kind;
	const struct abi *abi = site->program ? site->program->abi : abi_find(s->cx->opts->env->target->arch);

	*ret = (struct instance){ .site = site, .body = ast_clone_stmt(s->cx->arena, s->origin->body) };
	ret->body = guard_body(s->cx->program, site, abi, s->number, ret->body);
	fold_stmt(&scene, &ret->body);
	copy_calls(&scene, &ret->copies, ret->body);
	pretty_expand_in(&scene, ret->body); // the choice of a hook depends on the names that lists stand for
	hook_names_of(&names, ret->body);
	find_names_of_copies(&scene, &ret->copies, false, &names);
	sp_vec_each(expr, &asked.found)
		hook_names_of_expr(&names, expr);
	if (chooses)
		hook_choose(s->cx, site, &names);
	changed = asked.any && (was_open || site->kind != kind);
	sp_vec_deinit(&names.v);
	sp_vec_deinit(&asked.found);
	return changed;
}

static void make_instance(struct splitter *s, struct site *site, struct instance *ret)
{
	struct scene scene = { .cx = s->cx, .site = site };
	size_t mark = diag_mark(s->cx->opts->dc);
	bool changed = try_hook(s, site, true, ret);

	// The hook depends on the names that a handler uses, and @defined on what the hook can read: an argument of a tracepoint or
	// a field of its event, a parameter that fentry has and the function's code does not. So @defined is decided again for the
	// hook, which may cut names, and so change the hook. `@defined($argument) ? $field : $argument` has no right one: the last
	// round keeps the hook, and what is left is refused.
	for (unsigned round = 1; changed; round++) {
		drop_instance(ret);
		diag_rewind(s->cx->opts->dc, mark);
		changed = try_hook(s, site, round < MAX_ROUNDS, ret);
	}
	ret->body = with_pauses(s, site, ret->body);
	context_stmt(&scene, &ret->entries, ret->body);
	resolve_copies(&scene, &ret->copies, false);
	if (ret->entries.v.n)
		resolve_entries(s->cx, ret);
}

// ---- handlers -------------------------------------------------------------------------------------------------------

// Each handler has locals of its own: their types can differ from site to site.
static void own_locals(struct splitter *s, struct handler *to, struct ast_stmt **body)
{
	struct handler *from = s->origin;

	for (size_t i = 0; i < from->locals.n; i++)
		sp_vec_push(&to->locals, NULL);
	if (s->uses == USES_NOTHING)
		*body = ast_clone_stmt(s->cx->arena, *body);
	copy_locals(s->cx->arena, from->locals.v, from->locals.n, to->locals.v, body);
}

// Gives the handler its copies of functions. A function called in @entry(...) runs at the entry and belongs to that handler.
static void own_functions(struct splitter *s, struct handler *h, const struct instance *in, bool at_entry)
{
	sp_vec_each(copy, &in->copies.v) {
		if (copy->at_entry != at_entry)
			continue;
		copy->to->handler = h;
		copy->to->copy_of = copy->from;
		copy->from->is_copied = true;
		sp_vec_push(&s->cx->program->functions, copy->to);
		h->n_copies++;
	}
}

static struct handler *new_handler(struct splitter *s, struct site *site, bool at_entry)
{
	struct handler *h = sp_arena_new(s->cx->arena, struct handler);

	h->probe = s->origin->probe;
	h->origin = s->origin;
	h->at_entry = at_entry;
	h->prog_kind = site->prog_kind;
	h->is_return = site->is_return;
	h->condition = site->prog_kind == SP_PROG_USER ? 0 : s->origin->condition; // what is not in the kernel tests it alone
	sp_vec_push(&h->sites, site);
	sp_vec_push(&s->cx->program->handlers, h);
	return h;
}

// How many sites of the probe statement have this entry, so far. Of the exits of a function a call comes to one.
static void **count_of_entry(struct splitter *s, const struct site *site, const struct site *entry_site)
{
	struct {
		const struct dbg_module *module;
		uint64_t pc, call, exit;
	} place = { entry_site->module, entry_site->pc, entry_site->kind == SP_SITE_SYSCALL ? entry_site->args.words[0] : 0,
		    site->exit == EXIT_NONE ? 0 : site->pc };

	return sp_hash_insert(&s->places, &place, sizeof(place));
}

static struct entry_arrays *arrays_for(struct splitter *s, const struct instance *in)
{
	size_t n = 0;

	if (!in->entries.frame) { // values kept by frame are equal for all sites with one entry: these share the first arrays
		void **known = count_of_entry(s, in->site, in->entry_site);

		n = (size_t)(uintptr_t)*known;
		*known = (void *)(uintptr_t)(n + 1);
	}
	if (s->arrays.n <= n)
		sp_vec_push(&s->arrays, (struct entry_arrays){ .many = s->origin->n_sites > 1 });
	return &s->arrays.v[n];
}

// Makes the handler of this site.
static void add_instance(struct splitter *s, struct instance *in)
{
	struct handler *entry = in->entry_site ? new_handler(s, in->entry_site, true) : NULL;
	struct handler *h = new_handler(s, in->site, false);

	// A trampoline is at returns of calls that it has not seen enter, where values of an earlier one, left while it was off, are taken.
	if (entry && h->prog_kind == SP_PROG_FEXIT)
		entry->condition = h->condition = 0;
	h->body = in->body;
	own_locals(s, h, &h->body);
	if (entry)
		own_functions(s, entry, in, true);
	own_functions(s, h, in, false);
	if (entry) {
		struct entry_arrays *arrays = arrays_for(s, in);

		entry->is_once = in->entries.frame || in->site->exit != EXIT_NONE;
		entry_weave(s->cx, arrays, &in->entries, in->site, in->entry_site, entry, h);
		if (s->uses == USES_ENTRY && arrays == s->arrays.v)
			sp_vec_push(&s->shared, ((struct shared){ h, entry, entry_may_nest(in->site) }));
	}
	in->copies.v.n = 0;
	drop_instance(in);
}

static bool is_same(const struct loc *a, const struct loc *b)
{
	return a == b || (a && b && loc_equal(a, b));
}

// Are calls told apart in the same way at two returns, or at two entries?
static bool has_same_calls(const struct site *a, const struct site *b)
{
	return (a->exit == EXIT_NONE) == (b->exit == EXIT_NONE) && is_same(a->call.thread, b->call.thread) &&
	       is_same(a->call.frame, b->call.frame);
}

static struct shared *find_shared(struct splitter *s, const struct site *site, const struct site *entry_site)
{
	sp_vec_each(known, &s->shared)
		if (known->handler->prog_kind == site->prog_kind && known->handler->is_return == site->is_return &&
		    (!entry_site || (known->entry->prog_kind == entry_site->prog_kind &&
				     has_same_calls(known->handler->sites.v[0], site) &&
				     has_same_calls(known->entry->sites.v[0], entry_site) && known->nests == entry_may_nest(site))))
			return known;
	return NULL;
}

// The body uses nothing of its site: adds the site to the shared handler whose programs are of the same kind.
static void share_body(struct splitter *s, struct site *site)
{
	struct shared *known = find_shared(s, site, NULL);
	struct handler *h;

	if (known) {
		sp_vec_push(&known->handler->sites, site);
		return;
	}
	h = new_handler(s, site, false);
	h->body = with_pauses(s, site, s->origin->body);
	own_locals(s, h, &h->body);
	sp_vec_push(&s->shared, ((struct shared){ .handler = h }));
}

// The body uses nothing of its site but that it is entered: adds the site and its entry to the two handlers of an earlier site.
// False: none fits. Sites with one entry have arrays of their own, and so handlers of their own.
static bool share_entry(struct splitter *s, struct site *site)
{
	struct hook_names none = { 0 };
	struct site *entry_site;
	struct shared *known;
	void **count;

	if (s->uses != USES_ENTRY || !s->shared.n || !site->is_return || !site->family->entry_site)
		return false;
	entry_site = site->family->entry_site(s->cx->opts->env, site);
	count = count_of_entry(s, site, entry_site);
	if (*count)
		return false;
	hook_choose(s->cx, site, &none);
	hook_choose(s->cx, entry_site, &none);
	known = find_shared(s, site, entry_site);
	if (!known)
		return false;
	*count = (void *)1;
	sp_vec_push(&known->handler->sites, site);
	if (site->exit == EXIT_NONE || sp_vec_last(&known->entry->sites)->func != entry_site->func)
		sp_vec_push(&known->entry->sites, entry_site);
	return true;
}

static void find_use(void *ctx, struct ast_expr **place)
{
	enum ast_expr_kind kind = (*place)->kind;
	struct splitter *s = ctx;

	if (kind == AST_TARGET || kind == AST_CAST || kind == AST_ATVAR || kind == AST_DEFINED || tree_asks_site(*place) ||
	    sampled_is_asked(*place, s->origin->sites.n ? s->origin->sites.v[0] : NULL) ||
	    (kind == AST_CALL && (*place)->call.function && (*place)->call.function->needs_context))
		s->uses = USES_SITE;
	else if (kind == AST_ENTRY && s->uses == USES_NOTHING)
		s->uses = USES_ENTRY;
}

// `probe never` has no site: its body is resolved once, so that mistakes in it are reported.
static void resolve_siteless(struct splitter *s)
{
	struct scene scene = { .cx = s->cx };
	struct handler *h = sp_arena_memdup(s->cx->arena, s->origin, sizeof(*s->origin));
	struct instance in = { 0 };

	fold_stmt(&scene, &h->body);
	copy_calls(&scene, &in.copies, h->body);
	context_stmt(&scene, NULL, h->body);
	resolve_copies(&scene, &in.copies, false);
	own_functions(s, h, &in, false);
	in.copies.v.n = 0;
	drop_instance(&in);
	memset(&s->origin->locals, 0, sizeof(s->origin->locals)); // the new handler owns them now
	sp_vec_push(&s->cx->program->handlers, h);
}

// A wildcard may find inlined instances in which a variable has no value, and so may have a copy of the code of one. They are left
// out when the variable has a value at another site.
static bool leave_out(struct splitter *s, struct instance *in, size_t mark)
{
	struct diag_ctx *dc = s->cx->opts->dc;
	const struct site *site = in->site;

	if (diag_mark(dc) == mark || !site->func || !site->func->is_inline || !(site->func->is_copy || point_is_pattern(site->origin)))
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
	if (point_is_pattern(first->origin))
		diag_hint(dc, d, "with .call the pattern finds no inlined functions");
}

// A handler of process.begin that asks what a process that runs already is not there to tell.
static bool cannot_be_running(struct splitter *s, const struct site *site)
{
	struct diag_ctx *dc = s->cx->opts->dc;
	const char *what = site->kind == SP_SITE_RUNNING ? guard_needs_task(s->cx->program, s->origin->body) : NULL;
	struct diag *d;

	if (!what)
		return false;
	d = diag(dc, site->origin->span, DIAG_RUNNING_LEFT_OUT, "processes that run already are left out of %s", site->point);
	diag_note(dc, d, SPAN_NONE, "the handler asks for %s, which is only known in the task that hits a probe", what);
	return true;
}

static void resolve_sites(struct splitter *s)
{
	struct context *cx = s->cx;
	unsigned n_errors = cx->opts->dc->n_errors;

	sp_vec_each(site, &s->origin->sites) {
		struct instance in;
		size_t mark = diag_mark(cx->opts->dc);

		if (cx->opts->dc->n_errors >= n_errors + MAX_SITE_ERRORS)
			break;
		if (share_entry(s, *site) || cannot_be_running(s, *site))
			continue;
		make_instance(s, *site, &in);
		if (s->left_out.n < s->origin->sites.n - 1 && leave_out(s, &in, mark))
			continue;
		note_site(cx, s->origin, *site, mark);
		add_instance(s, &in);
	}
	if (s->left_out.n)
		report_left_out(s);
}

// Resolves the body at some sites to see whether it becomes too many programs. What is made for that goes, and the sites are as before.
static bool is_crowd(struct splitter *s)
{
	struct diag_ctx *dc = s->cx->opts->dc;
	struct context cx = { .opts = s->cx->opts, .program = s->cx->program, .n_entries = s->cx->n_entries };
	struct splitter look = { .cx = &cx, .origin = s->origin, .number = s->number };
	sp_cleanup(crowd_deinit) struct crowd crowd = { 0 };
	size_t n = s->origin->sites.n;

	for (size_t first = 0; first < LOOK_STEP; first++)
		for (size_t i = first; i < n && crowd_may_fill(&crowd, n) && !crowd_is_full(&crowd); i += LOOK_STEP) {
			struct site *site = s->origin->sites.v[i], before = *site;
			size_t mark = diag_try(dc);
			struct sp_arena arena = { 0 };
			struct instance in;

			cx.arena = &arena;
			make_instance(&look, site, &in);
			if (diag_mark(dc) == mark) // else it may be left out
				crowd_add(&crowd, site, in.body);
			diag_end_try(dc, mark);
			drop_instance(&in);
			sp_arena_deinit(&arena);
			sp_hash_deinit(&cx.homes);
			*site = before;
		}
	sp_hash_deinit(&cx.trampolines);
	if (crowd_is_full(&crowd))
		crowd_report(&crowd, s->cx->opts, s->origin);
	return crowd_is_full(&crowd);
}

static void share_sites(struct splitter *s)
{
	struct hook_names none = { 0 };

	sp_vec_each(site, &s->origin->sites) {
		hook_choose(s->cx, *site, &none);
		share_body(s, *site);
	}
}

static void split_handler(struct context *cx, struct handler *origin, unsigned number)
{
	struct splitter s = { .cx = cx, .origin = origin, .number = number };

	origin->n_sites = origin->sites.n;
	tree_walk_stmt(origin->body, find_use, &s);
	sp_vec_each(site, &origin->sites)
		if ((*site)->callers || (*site)->guard != GUARD_NONE || (*site)->begins)
			s.uses = USES_SITE;
	if (!origin->sites.n)
		resolve_siteless(&s);
	else if (s.uses == USES_NOTHING)
		share_sites(&s);
	else if (!is_crowd(&s))
		resolve_sites(&s);
	sp_vec_each(arrays, &s.arrays)
		entry_arrays_deinit(arrays);
	sp_vec_deinit(&s.arrays);
	sp_hash_deinit(&s.places);
	sp_vec_deinit(&s.shared);
	sp_vec_deinit(&s.left_out);
	sp_vec_deinit(&origin->sites);
	sp_vec_deinit(&origin->locals);
}

static void number_handlers(struct program *program)
{
	for (size_t i = 0; i < program->handlers.n; i++)
		program->handlers.v[i]->index = (unsigned)i;
}

void sema_context(const struct sema_opts *opts, struct program *program)
{
	struct context cx = { .opts = opts, .program = program, .arena = &program->arena };
	struct handler **handlers = program->handlers.v;
	size_t n_handlers = program->handlers.n;

	chain_check(opts, program);
	if (!opts->unoptimized)
		unread_drop(program);
	copy_mark(program);
	memset(&program->handlers, 0, sizeof(program->handlers));
	hook_count_entries(&cx, handlers, n_handlers);
	for (size_t i = 0; i < n_handlers; i++)
		split_handler(&cx, handlers[i], (unsigned)i);
	free(handlers);
	// A function whose @defined branches are cut may have held the only call of another.
	calls_mark(program);
	for (size_t i = 0; i < program->functions.n; i++) {
		struct function *f = program->functions.v[i];
		struct scene scene = { .cx = &cx, .function = f };

		if (f->is_used && !f->handler) {
			fold_stmt(&scene, &f->body);
			context_stmt(&scene, NULL, f->body);
		}
	}
	if (cx.waits || program->globals.n) // what a global holds decides how it is displayed
		autocast_run(&cx);
	calls_mark(program);
	number_handlers(program);
	layout_find_bindings(opts, program);
	program->stage = PROGRAM_RESOLVED;
	sp_hash_deinit(&cx.homes);
	sp_hash_deinit(&cx.trampolines);
}
