// SPDX-License-Identifier: GPL-2.0-or-later
// Type inference by fixpoint. Each use of a variable, array, parameter or result can decide its type: `n = 1` makes n a long.
// A later use with another type is reported, with both places. Nothing is converted.
#include "compiler/sema/infer.h"
#include "compiler/sema/tree.h"
#include "compiler/sema/uses.h"

// ---- shapes: array or scalar, and how many keys ---------------------------------------------------------------------

static void use_keys(struct infer *t, struct global *g, unsigned n_keys, struct span span)
{
	struct span *first = &t->shape_spans[g->index];
	struct diag *d;

	if (n_keys > PROGRAM_MAX_KEYS) {
		if (!g->n_keys)
			diag_hint(t->opts->dc,
				  diag(t->opts->dc, span, DIAG_ARRAY_SHAPE, "an array has at most %d keys, not %u",
				       PROGRAM_MAX_KEYS, n_keys),
				  "join some of them into one string with sprintf()");
		n_keys = PROGRAM_MAX_KEYS;
	}
	if (!g->n_keys) {
		g->is_array = true;
		g->n_keys = n_keys;
		g->key_types = sp_arena_array(&t->program->arena, enum ast_type, n_keys);
		*first = span;
		return;
	}
	if (g->n_keys == n_keys)
		return;
	d = diag(t->opts->dc, span, DIAG_ARRAY_SHAPE,
		 "'%s' is used with %u key%s here, but with %u elsewhere", g->name, n_keys,
		 n_keys == 1 ? "" : "s", g->n_keys);
	if (first->file)
		diag_note(t->opts->dc, d, *first, "first used with %u key%s here", g->n_keys,
			  g->n_keys == 1 ? "" : "s");
}

static void shape_expr(void *ctx, struct ast_expr **place)
{
	struct infer *t = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_INDEX)
		use_keys(t, e->index.global, e->index.keys.n, e->op_span);
	else if (e->kind == AST_IN)
		use_keys(t, e->in.global, e->in.keys.n, e->op_span);
}

static void shape_whole(void *ctx, struct ast_expr **place)
{
	tree_walk_expr(place, shape_expr, ctx);
}

static void shape_stmt(void *ctx, struct ast_stmt **place)
{
	struct ast_stmt *s = *place;

	if (s->kind == AST_S_FOREACH && s->foreach.global) {
		use_keys(ctx, s->foreach.global, s->foreach.keys.n, s->foreach.array_span);
		if (s->foreach.slice.n)
			use_keys(ctx, s->foreach.global, s->foreach.slice.n, s->foreach.array_span);
	}
	ast_stmt_children(s, shape_whole, shape_stmt, ctx);
}

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx, (void)place;
}

static void returns_value(void *ctx, struct ast_stmt **place)
{
	if ((*place)->kind == AST_S_RETURN && (*place)->expr)
		*(bool *)ctx = true;
	ast_stmt_children(*place, no_expr, returns_value, ctx);
}

// ---- the fixpoint ---------------------------------------------------------------------------------------------------

static void each_body(struct infer *t, void (*fn)(void *ctx, struct ast_stmt **place))
{
	for (size_t i = 0; i < t->program->functions.n; i++) {
		t->function = t->program->functions.v[i];
		if (t->function->is_used)
			fn(t, &t->function->body);
	}
	t->function = NULL;
	for (size_t i = 0; i < t->program->handlers.n; i++)
		fn(t, &t->program->handlers.v[i]->body);
}

static void start_functions(struct infer *t)
{
	for (size_t i = 0; i < t->program->functions.n; i++) {
		struct function *f = t->program->functions.v[i];
		bool found = false;
		struct ast_stmt *body = f->body;

		returns_value(&found, &body);
		if (!found && f->return_type == TYPE_UNKNOWN)
			f->return_type = TYPE_VOID;
	}
}

static void start_globals(struct infer *t)
{
	for (size_t i = 0; i < t->program->globals.n; i++) {
		struct global *g = t->program->globals.v[i];

		if (!g->init)
			continue;
		g->type = g->init->kind == AST_STRING ? TYPE_STRING : TYPE_LONG;
		g->init->type = g->type;
		g->type_span = g->init->span;
	}
}

static struct diag *undecided(struct infer *t, struct span span, const char *name)
{
	return diag(t->opts->dc, span, DIAG_TYPE_UNDECIDED, "it cannot be told whether '%s' is a number or a string", name);
}

static void local_undecided(struct infer *t, const struct local *local, bool is_parameter)
{
	struct diag *d = undecided(t, local->span, local->name);

	diag_hint(t->opts->dc, d, is_parameter ? "say it: %s:long or %s:string" : "give it a first value: %s = 0 or %s = \"\"",
		  local->name, local->name);
}

static void global_undecided(struct infer *t, const struct global *g)
{
	struct diag *d = undecided(t, g->span, g->name);

	if (g->is_array)
		diag_hint(t->opts->dc, d, "no element of it is given a value");
	else
		diag_hint(t->opts->dc, d, "give it a first value: global %s = 0 or %s = \"\"", g->name, g->name);
}

static void finish_local(struct infer *t, struct local *local, bool is_parameter, bool report)
{
	if (local->type != TYPE_UNKNOWN)
		return;
	t->changed = true;
	// A local that is never assigned, or never read, may have any type; the others are reported.
	if (local->is_read && local->is_written && report)
		local_undecided(t, local, is_parameter);
	local->type = TYPE_LONG;
}

static void finish_variables(struct infer *t, bool report)
{
	for (size_t i = 0; i < t->program->globals.n; i++) {
		struct global *g = t->program->globals.v[i];

		if (g->type == TYPE_UNKNOWN) {
			if (g->is_read && g->is_written && report)
				global_undecided(t, g);
			g->type = TYPE_LONG;
			t->changed = true;
		}
		if (g->is_array && !g->n_keys) // `global a[9]` of which no element is named: kept by -u, or `delete a`
			use_keys(t, g, 1, g->type_span);
		for (unsigned k = 0; k < g->n_keys; k++)
			if (g->key_types[k] == TYPE_UNKNOWN) {
				g->key_types[k] = TYPE_LONG;
				t->changed = true;
			}
	}
	for (size_t i = 0; i < t->program->functions.n; i++) {
		struct function *f = t->program->functions.v[i];

		sp_vec_each(local, &f->locals)
			finish_local(t, *local, local < f->locals.v + f->n_params, report && f->is_used);
	}
	for (size_t i = 0; i < t->program->handlers.n; i++)
		sp_vec_each(local, &t->program->handlers.v[i]->locals)
			finish_local(t, *local, false, report);
}

// A result that only depends on itself, as in `function f() { return f() }`, is reported when the function is used.
static void finish_functions(struct infer *t, bool report)
{
	for (size_t i = 0; i < t->program->functions.n; i++) {
		struct function *f = t->program->functions.v[i];
		struct diag *d;

		if (f->return_type != TYPE_UNKNOWN)
			continue;
		f->return_type = TYPE_LONG;
		t->changed = true;
		if (!f->is_used || f->decl->embedded || !report)
			continue;
		d = diag(t->opts->dc, f->decl->span, DIAG_TYPE_UNDECIDED,
			 "it cannot be told whether '%s' returns a number or a string", f->name);
		diag_hint(t->opts->dc, d, "say it: function %s:long or %s:string", f->name, f->name);
	}
}

static void settle_types(struct infer *t, unsigned n_errors)
{
	do {
		t->changed = false;
		each_body(t, infer_stmt);
	} while (t->changed && t->opts->dc->n_errors == n_errors);
}

// @defined($x) may have cut the only code that writes a variable: that one may have any type, and so may the keys of an array.
static void forget_cut(struct infer *t, unsigned n_errors)
{
	uses_count(t->program);
	t->changed = false;
	sp_vec_each(g, &t->program->globals)
		for (unsigned k = 0; k < (*g)->n_keys && !(*g)->is_written; k++)
			if ((*g)->key_types[k] == TYPE_UNKNOWN) {
				(*g)->key_types[k] = TYPE_LONG;
				t->changed = true;
			}
	if (t->changed)
		settle_types(t, n_errors);
}

void sema_infer(const struct sema_opts *opts, struct program *program)
{
	struct infer t = { .opts = opts, .program = program };
	unsigned n_errors = opts->dc->n_errors;

	t.shape_spans = sp_calloc(program->globals.n + 1, sizeof(*t.shape_spans));
	for (size_t i = 0; i < program->globals.n; i++)
		program->globals.v[i]->index = (unsigned)i;
	start_globals(&t);
	start_functions(&t);
	each_body(&t, shape_stmt);
	settle_types(&t, n_errors);
	if (!opts->dc->n_errors)
		forget_cut(&t, n_errors);
	finish_variables(&t, !opts->dc->n_errors); // after an error, open types are a consequence and not reported
	// Variables that were open have a type now: the expressions that name them get it.
	if (t.changed && opts->dc->n_errors == n_errors)
		settle_types(&t, n_errors);
	finish_functions(&t, opts->dc->n_errors == n_errors);
	if (t.changed && opts->dc->n_errors == n_errors)
		each_body(&t, infer_stmt);
	program->stage = PROGRAM_TYPED;
	free(t.shape_spans);
}
