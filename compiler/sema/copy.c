// SPDX-License-Identifier: GPL-2.0-or-later
// A function that reads `$x` means the `$x` of the probe that calls it, so each handler gets its copies of such functions, and of those
// with @cast(p, "type") or @var("x"), which are of the probe's module; where @var("x", "PROGRAM") is, a probe in the program knows.
// Scripts whose sites are all of the kernel do without the latter: it is the same module for each.
// The companion handler at the function's entry (for @entry(f())) gets copies, too: it is another place with another hook.
#include "compiler/sema/calls.h"
#include "compiler/sema/context.h"
#include "compiler/sema/sampled.h"
#include "compiler/sema/tree.h"

// ---- which functions ------------------------------------------------------------------------------------------------

struct marking {
	const struct site *sample; // one of the program's sites that are samples; NULL: there is none
	bool is_kernel; // no site is in another module
	struct function *function;
};

static void find_context(void *ctx, struct ast_expr **place)
{
	const struct ast_expr *e = *place;
	const struct marking *m = ctx;

	m->function->needs_context |= sampled_is_asked(e, m->sample) || (e->kind == AST_TARGET && !e->target.base) || e->kind == AST_ENTRY || tree_asks_site(e) ||
			path_is_of_probe(e) || (!m->is_kernel && path_asks_module(e));
}

static const struct site *find_sample(const struct program *program)
{
	for (size_t i = 0; i < program->handlers.n; i++)
		sp_vec_each(site, &program->handlers.v[i]->sites)
			if (sampled_is(*site))
				return *site;
	return NULL;
}

static bool is_of_kernel(const struct program *program)
{
	for (size_t i = 0; i < program->handlers.n; i++)
		sp_vec_each(site, &program->handlers.v[i]->sites)
			if ((*site)->module && !sp_streq((*site)->module->name, "kernel"))
				return false;
	return true;
}

void copy_mark(struct program *program)
{
	const struct site *sample = find_sample(program);
	bool is_kernel = is_of_kernel(program);
	SP_VEC(struct function *) marked = { 0 };
	struct callers callers;

	for (size_t i = 0; i < program->functions.n; i++) {
		struct marking m = { sample, is_kernel, program->functions.v[i] };

		tree_walk_stmt(m.function->body, find_context, &m);
		if (m.function->needs_context)
			sp_vec_push(&marked, m.function);
	}
	if (!marked.n)
		return;
	callers_init(&callers, program);
	for (size_t i = 0; i < marked.n; i++)
		sp_vec_each(caller, &callers.of[marked.v[i]->index].v) {
			if ((*caller)->needs_context)
				continue;
			(*caller)->needs_context = true;
			sp_vec_push(&marked, *caller);
		}
	callers_deinit(&callers);
	sp_vec_deinit(&marked);
}

// ---- locals ---------------------------------------------------------------------------------------------------------

struct renaming {
	struct local *const *from, **to;
	size_t n;
};

static struct local *renamed(const struct renaming *r, struct local *local)
{
	for (size_t i = 0; local && i < r->n; i++)
		if (r->from[i] == local)
			return r->to[i];
	return local;
}

static void rename_expr(void *ctx, struct ast_expr **place)
{
	if ((*place)->kind == AST_NAME)
		(*place)->name.local = renamed(ctx, (*place)->name.local);
}

static void rename_whole(void *ctx, struct ast_expr **place)
{
	tree_walk_expr(place, rename_expr, ctx);
}

static void rename_stmt(void *ctx, struct ast_stmt **place)
{
	if ((*place)->kind == AST_S_TRY)
		(*place)->try_.local = renamed(ctx, (*place)->try_.local);
	ast_stmt_children(*place, rename_whole, rename_stmt, ctx);
}

void copy_locals(struct sp_arena *arena, struct local *const *from, size_t n, struct local **to,
		 struct ast_stmt **body)
{
	struct renaming r = { from, to, n };

	for (size_t i = 0; i < n; i++)
		to[i] = sp_arena_memdup(arena, from[i], sizeof(*from[i]));
	rename_stmt(&r, body);
}

// ---- copies ---------------------------------------------------------------------------------------------------------

struct copying {
	const struct scene *scene;
	struct copy_set *set;
	bool at_entry;
};

static void copy_stmt(void *ctx, struct ast_stmt **place);

static struct function *copy_of(struct copying *c, struct function *from, struct span call)
{
	struct sp_arena *arena = c->scene->cx->arena;
	struct scene inside = *c->scene;
	struct function *to;

	sp_vec_each(copy, &c->set->v) {
		if (copy->at_entry == c->at_entry && (copy->from == from || copy->to == from))
			return copy->to;
		if (copy->to == from) // in $p[f()], read at the entry, the call already names the handler's copy of f
			from = copy->from;
	}
	to = sp_arena_memdup(arena, from, sizeof(*from));
	memset(&to->locals, 0, sizeof(to->locals));
	for (size_t i = 0; i < from->locals.n; i++)
		sp_vec_push(&to->locals, NULL);
	to->body = ast_clone_stmt(arena, from->body);
	copy_locals(arena, from->locals.v, from->locals.n, to->locals.v, &to->body);
	sp_vec_push(&c->set->v, ((struct copy){ from, to, call, c->at_entry }));
	inside.function = to;
	fold_stmt(&inside, &to->body);
	copy_stmt(c, &to->body);
	return to;
}

static void copy_expr(void *ctx, struct ast_expr **place)
{
	struct ast_expr *e = *place;

	if (e->kind == AST_ENTRY)
		return;
	tree_expr_children(e, copy_expr, ctx);
	if (e->kind == AST_CALL && e->call.function && e->call.function->needs_context)
		e->call.function = copy_of(ctx, e->call.function, e->op_span);
}

static void copy_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, copy_expr, copy_stmt, ctx);
}

void copy_calls(const struct scene *scene, struct copy_set *set, struct ast_stmt *body)
{
	struct copying c = { scene, set, false };

	copy_stmt(&c, &body);
}

void copy_entry_calls(const struct scene *scene, struct copy_set *set, struct ast_expr **expr)
{
	struct copying c = { scene, set, true };

	copy_expr(&c, expr);
}
