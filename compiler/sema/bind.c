// SPDX-License-Identifier: GPL-2.0-or-later
// Binds names to declarations. A library file is parsed when the script first uses a name that it defines, and only
// functions that are called are bound.
#include "compiler/sema/bind.h"
#include "compiler/model/similar.h"
#include "compiler/sema/aggregate.h"
#include "compiler/sema/calls.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/tree.h"
#include "runtime/base/cleanup.h"

// The body that is being bound.
struct scope {
	struct bind *b;
	struct handler *handler;
	struct function *function; // a body belongs to a handler or to a function; the other pointer is NULL
};

static struct local *scope_find(const struct scope *s, const char *name)
{
	struct local **v = s->function ? s->function->locals.v : s->handler->locals.v;
	size_t n = s->function ? s->function->locals.n : s->handler->locals.n;

	for (size_t i = 0; i < n; i++)
		if (sp_streq(v[i]->name, name))
			return v[i];
	return NULL;
}

static struct local *scope_add(struct scope *s, const char *name, struct span span)
{
	struct local *local = sp_arena_new(s->b->arena, struct local);

	local->name = name;
	local->span = local->type_span = span;
	if (s->function) {
		local->index = (unsigned)s->function->locals.n;
		sp_vec_push(&s->function->locals, local);
	} else {
		local->index = (unsigned)s->handler->locals.n;
		sp_vec_push(&s->handler->locals, local);
	}
	return local;
}

// ---- expressions ----------------------------------------------------------------------------------------------------

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

// Functions of the library marked /* guru */ can be called by the library; a script needs guru mode (-g).
static void check_guru(struct scope *s, const struct ast_expr *e)
{
	const struct function *f = e->call.function;
	const struct source_file *file = source_file(s->b->opts->sources, e->span.file);
	struct diag *d;

	if (!f->embed || !f->embed->needs_guru || s->b->opts->guru || !file || file->kind != SOURCE_USER)
		return;
	d = diag(s->b->opts->dc, e->op_span, DIAG_GURU_NEEDED, "%s() needs guru mode", f->name);
	diag_note(s->b->opts->dc, d, f->decl->span, "declared here, as /* guru */");
	diag_hint(s->b->opts->dc, d, "run the script with -g");
}

static void bind_call(struct scope *s, struct ast_expr *e)
{
	struct bind *b = s->b;
	const struct ast_function *other = NULL;
	unsigned n = e->call.args.n;
	struct diag *d;
	int builtin;

	e->call.builtin = -1;
	e->call.function = bind_find_function(b, e->call.name, n, e->span.file, &other);
	if (e->call.function) {
		check_guru(s, e);
		return;
	}
	builtin = builtin_find(e->call.name);
	if (builtin >= 0) {
		const struct builtin *info = builtin_info((enum builtin_id)builtin);
		unsigned min = builtin_min_args(info), max = builtin_max_args(info);

		e->call.builtin = builtin;
		if (n >= min && n <= max)
			return;
		if (min == max)
			diag(b->opts->dc, e->op_span, DIAG_CALL_ARGS,
			     "%s() takes %u argument%s, not %u", info->name, min, plural(min), n);
		else
			diag(b->opts->dc, e->op_span, DIAG_CALL_ARGS,
			     "%s() takes %u to %u arguments, not %u", info->name, min, max, n);
	} else if (other) {
		d = diag(b->opts->dc, e->op_span, DIAG_CALL_ARGS, "%s() takes %u argument%s, not %u",
			 e->call.name, other->n_params, plural(other->n_params), n);
		diag_note(b->opts->dc, d, other->span, "declared here");
	} else {
		bind_report_function(b, e, !n && scope_find(s, e->call.name));
	}
	e->kind = AST_ERROR;
}

static struct global *bind_array(struct scope *s, const char *name, struct span span)
{
	struct bind *b = s->b;
	struct global *g = bind_find_global(b, name, span.file);
	struct similar similar;
	struct local *local;
	struct diag *d;

	if (g)
		return g;
	local = scope_find(s, name);
	d = diag(b->opts->dc, span, DIAG_ARRAY_UNKNOWN,
		 local ? "'%s' is a local variable, not an array" : "there is no array '%s'", name);
	if (local)
		diag_note(b->opts->dc, d, local->span, "'%s' is used as a local variable here", name);
	similar_init(&similar, name);
	for (size_t i = 0; i < b->units.n; i++)
		for (unsigned j = 0; j < b->units.v[i]->n_globals; j++)
			similar_try(&similar, b->units.v[i]->globals[j]->name);
	if (similar.n)
		bind_hint_similar(b, d, &similar);
	else
		diag_hint(b->opts->dc, d,
			  "arrays are global: add `global %s` at the top of the script", name);
	return NULL;
}

// The language has no declarations of locals: an unknown name is a new local.
static void bind_name(struct scope *s, struct ast_expr *e, bool reads, bool writes)
{
	struct local *local = scope_find(s, e->name.name);
	bool is_of_alias = local && bind_is_library_file(s->b, local->span.file) && !bind_is_library_file(s->b, e->span.file);

	// An alias's variable is not in the way of the script's variable of that name.
	if (!local || is_of_alias) {
		struct global *g = bind_find_global(s->b, e->name.name, e->span.file);

		if (g) {
			e->name.global = g;
			g->is_read |= reads;
			g->is_written |= writes;
			return;
		}
		if (!local)
			local = scope_add(s, e->name.name, e->span);
	}
	e->name.local = local;
	local->is_read |= reads;
	local->is_written |= writes;
}

static void bind_expr(void *ctx, struct ast_expr **place);

// What an expression that is a part of a key is about: a variable, a member, what a function tells. NULL: it has no name.
static const char *name_of_key(const struct ast_expr *e)
{
	const char *name = NULL;

	if (e && e->kind == AST_NAME)
		return e->name.name;
	if (e && e->kind == AST_CALL) {
		name = e->call.args.n ? name_of_key(e->call.args.v[0]) : NULL;
		return name ? name : e->call.name;
	}
	if (!e || e->kind != AST_TARGET || !e->target.name)
		return NULL;
	for (unsigned i = 0; i < e->target.steps.n; i++)
		if (e->target.steps.v[i].kind == STEP_MEMBER)
			name = e->target.steps.v[i].name;
	return name ? name : e->target.name + strspn(e->target.name, "$");
}

static void name_keys(struct global *g, const struct ast_list *keys)
{
	for (unsigned i = 0; i < keys->n && i < PROGRAM_MAX_KEYS; i++)
		if (!g->key_names[i])
			g->key_names[i] = name_of_key(keys->v[i]);
}

static void bind_index(struct scope *s, struct ast_expr *e, bool reads, bool writes)
{
	tree_expr_children(e, bind_expr, s);
	e->index.global = bind_array(s, e->index.name, e->op_span);
	if (!e->index.global) {
		e->kind = AST_ERROR;
		return;
	}
	name_keys(e->index.global, &e->index.keys);
	e->index.global->is_read |= reads;
	e->index.global->is_written |= writes;
}

// The left side of an assignment, or the operand of ++ and --.
static void bind_lvalue(struct scope *s, struct ast_expr **place, bool reads)
{
	struct ast_expr *e = *place;

	if (e->kind == AST_NAME)
		bind_name(s, e, reads, true);
	else if (e->kind == AST_INDEX)
		bind_index(s, e, reads, true);
	else
		bind_expr(s, place);
}

static void bind_embedded(struct scope *s, struct ast_expr *e)
{
	struct function *f = s->function ? bind_embed_function(s->b, s->function, e) : NULL;

	if (!f) {
		e->embedded.embed = embed_add(s->b->program, EMBED_VALUE, e->embedded.code, e->embedded.span);
		bind_embed(s->b, e->embedded.embed);
		return;
	}
	e->kind = AST_CALL;
	memset(&e->call, 0, sizeof(e->call));
	e->call.name = f->name;
	e->call.builtin = -1;
	e->call.function = f;
	e->call.args.v = sp_arena_array(s->b->arena, struct ast_expr *, f->n_params);
	for (; e->call.args.n < f->n_params; e->call.args.n++) {
		struct local *param = scope_find(s, f->locals.v[e->call.args.n]->name);

		param->is_read = true;
		e->call.args.v[e->call.args.n] = tree_local(s->b->arena, e, param);
	}
}

static void bind_expr(void *ctx, struct ast_expr **place)
{
	struct scope *s = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_NAME) {
		bind_name(s, e, true, false);
	} else if (e->kind == AST_INDEX) {
		bind_index(s, e, true, false);
	} else if (e->kind == AST_CALL) {
		tree_expr_children(e, bind_expr, s);
		bind_call(s, e);
	} else if (e->kind == AST_ASSIGN) {
		bind_lvalue(s, &e->assign.target, false);
		bind_expr(s, &e->assign.value);
	} else if (e->kind == AST_INCDEC) {
		bind_lvalue(s, &e->incdec.target, false);
	} else if (e->kind == AST_EMBEDDED && !e->embedded.embed) {
		bind_embedded(s, e);
	} else if (e->kind == AST_IN) {
		tree_expr_children(e, bind_expr, s);
		e->in.global = bind_array(s, e->in.name, e->op_span);
		if (e->in.global)
			e->in.global->is_read = true;
		else
			e->kind = AST_ERROR;
	} else {
		tree_expr_children(e, bind_expr, s);
	}
}

// ---- statements -----------------------------------------------------------------------------------------------------

static void bind_stmt(void *ctx, struct ast_stmt **place);

static void bind_foreach(struct scope *s, struct ast_stmt *stmt)
{
	if (stmt->foreach.array) {
		stmt->foreach.global = bind_array(s, stmt->foreach.array, stmt->foreach.array_span);
		if (stmt->foreach.global) {
			stmt->foreach.global->is_read = true;
			name_keys(stmt->foreach.global, &stmt->foreach.keys);
		}
	}
	for (unsigned i = 0; i < stmt->foreach.keys.n; i++)
		bind_lvalue(s, &stmt->foreach.keys.v[i], true);
	if (stmt->foreach.value)
		bind_lvalue(s, &stmt->foreach.value, true);
	for (unsigned i = 0; i < stmt->foreach.slice.n; i++)
		if (stmt->foreach.slice.v[i])
			bind_expr(s, &stmt->foreach.slice.v[i]);
	if (stmt->foreach.hist)
		bind_expr(s, &stmt->foreach.hist);
	if (stmt->foreach.limit)
		bind_expr(s, &stmt->foreach.limit);
	bind_stmt(s, &stmt->foreach.body);
	if (stmt->foreach.array && !stmt->foreach.global)
		stmt->kind = AST_S_EMPTY;
}

// `catch (g)` with a global g: the message goes to a hidden local, and the catch block begins with `g = local`.
static struct local *catch_global(struct scope *s, struct ast_stmt *stmt)
{
	struct sp_arena *arena = s->b->arena;
	struct ast_expr like = { .span = stmt->span, .op_span = stmt->span }, *target;
	struct local *local = scope_add(s, sp_arena_printf(arena, "@%s", stmt->try_.message), stmt->span);

	target = tree_local(arena, &like, local);
	target->name.local = NULL;
	target->name.name = stmt->try_.message;
	target = tree_assign(arena, target, tree_local(arena, &like, local));
	stmt->try_.handler =
		tree_block(arena, stmt->span,
			   (struct ast_stmt *[]){ tree_expr_stmt(arena, target), stmt->try_.handler }, 2);
	return local;
}

static void bind_try(struct scope *s, struct ast_stmt *stmt)
{
	bind_stmt(s, &stmt->try_.body);
	if (stmt->try_.message) {
		struct local *local = scope_find(s, stmt->try_.message);

		if (!local && bind_find_global(s->b, stmt->try_.message, stmt->span.file))
			local = catch_global(s, stmt);
		else if (!local)
			local = scope_add(s, stmt->try_.message, stmt->span);
		local->is_written = true;
		stmt->try_.local = local;
	}
	bind_stmt(s, &stmt->try_.handler);
}

static void bind_delete(struct scope *s, struct ast_stmt *stmt)
{
	if (stmt->expr->kind == AST_NAME && !scope_find(s, stmt->expr->name.name))
		bind_array(s, stmt->expr->name.name, stmt->expr->span);
	bind_lvalue(s, &stmt->expr, false);
}

static void bind_stmt(void *ctx, struct ast_stmt **place)
{
	struct scope *s = ctx;
	struct ast_stmt *stmt = *place;

	if (stmt->kind == AST_S_FOREACH)
		bind_foreach(s, stmt);
	else if (stmt->kind == AST_S_TRY)
		bind_try(s, stmt);
	else if (stmt->kind == AST_S_DELETE)
		bind_delete(s, stmt);
	else
		ast_stmt_children(stmt, bind_expr, bind_stmt, s);
}

static void check_assigned(struct scope *s)
{
	struct local **v = s->function ? s->function->locals.v : s->handler->locals.v;
	size_t n = s->function ? s->function->locals.n : s->handler->locals.n;

	for (size_t i = 0; i < n; i++)
		if (v[i]->is_read && !v[i]->is_written)
			bind_warn_unassigned(s->b, s->handler, s->function, v[i]);
}

void bind_handler(struct bind *b, struct handler *handler)
{
	struct scope s = { .b = b, .handler = handler };

	bind_stmt(&s, &handler->body);
	check_assigned(&s);
}

// ---- next in functions ----------------------------------------------------------------------------------------------

struct overload {
	struct scope *scope;
	struct local **params; // the arguments as passed: each parameter, or its copy when the body assigns the parameter
	bool returns_value; // some overload returns a value
	bool has_next;
};

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx, (void)place;
}

static void find_exits(void *ctx, struct ast_stmt **place)
{
	struct overload *o = ctx;

	o->has_next |= (*place)->kind == AST_S_NEXT;
	o->returns_value |= (*place)->kind == AST_S_RETURN && (*place)->expr;
	ast_stmt_children(*place, no_expr, find_exits, ctx);
}

static struct ast_expr *call_overload(const struct overload *o, const struct ast_expr *like)
{
	struct sp_arena *arena = o->scope->b->arena;
	struct function *f = o->scope->function, *next = f->next_overload;
	struct ast_expr *call = tree_number(arena, like, 0);
	unsigned n = next ? f->n_params : 1;

	call->kind = AST_CALL;
	call->type = TYPE_UNKNOWN;
	call->call.name = next ? f->name : "error";
	call->call.function = next;
	call->call.builtin = next ? -1 : BUILTIN_ERROR;
	call->call.args = (struct ast_list){ sp_arena_array(arena, struct ast_expr *, n + 1), n };
	for (unsigned i = 0; next && i < n; i++) {
		call->call.args.v[i] = tree_local(arena, like, o->params[i]);
		o->params[i]->is_read = true;
	}
	if (!next) {
		struct source_place at = source_place(o->scope->b->opts->sources, like->span);

		call->call.args.v[0] = tree_string(arena, like,
						   sp_arena_printf(arena, "no function %s() is left for next at %s:%u:%u",
								   f->name, at.file, at.line, at.column));
	}
	return call;
}

// `next` in an overloaded function becomes `return g(arguments)`, g being the following overload; after the last, an error.
static struct ast_stmt *go_on(const struct overload *o, const struct ast_stmt *next)
{
	struct sp_arena *arena = o->scope->b->arena;
	struct ast_expr like = { .span = next->span, .op_span = next->span };
	struct ast_expr *call = call_overload(o, &like);
	struct ast_stmt *both[2];

	if (o->scope->function->next_overload && o->returns_value) {
		both[0] = tree_stmt(arena, AST_S_RETURN, next->span);
		both[0]->expr = call;
		return both[0];
	}
	both[0] = tree_expr_stmt(arena, call);
	both[1] = tree_stmt(arena, AST_S_RETURN, next->span);
	return tree_block(arena, next->span, both, o->returns_value ? 1 : 2);
}

static void replace_next(void *ctx, struct ast_stmt **place)
{
	if ((*place)->kind == AST_S_NEXT)
		*place = go_on(ctx, *place);
	else
		ast_stmt_children(*place, no_expr, replace_next, ctx);
}

// Every overload gets the arguments of the call: a parameter that the body assigns is first copied to a hidden local.
static void keep_params(struct overload *o)
{
	struct scope *s = o->scope;
	struct function *f = s->function;
	struct sp_arena *arena = s->b->arena;

	o->params = sp_arena_array(arena, struct local *, f->n_params + 1);
	for (unsigned i = 0; i < f->n_params; i++) {
		struct local *param = f->locals.v[i];
		struct ast_expr like = { .span = param->span, .op_span = param->span };
		struct ast_expr *set;

		o->params[i] = param;
		if (!param->is_written)
			continue;
		o->params[i] = scope_add(s, sp_arena_printf(arena, "@%s", param->name), param->span);
		o->params[i]->is_written = param->is_read = true;
		set = tree_assign(arena, tree_local(arena, &like, o->params[i]),
				  tree_local(arena, &like, param));
		f->body = tree_block(arena, f->body->span,
				     (struct ast_stmt *[]){ tree_expr_stmt(arena, set), f->body }, 2);
	}
}

static void bind_overload(struct scope *s)
{
	struct overload o = { .scope = s };
	struct function *f = s->function;

	find_exits(&o, &f->body);
	if (!o.has_next)
		return;
	f->next_overload = bind_next_overload(s->b, f);
	for (struct function *next = f->next_overload; next; next = next->next_overload)
		find_exits(&o, &next->body);
	if (f->next_overload)
		keep_params(&o);
	replace_next(&o, &f->body);
}

static void bind_function(struct bind *b, struct function *f)
{
	struct scope s = { .b = b, .function = f };

	b->in_library = f->is_library;
	bind_stmt(&s, &f->body);
	bind_overload(&s);
	b->in_library = false;
	for (unsigned i = 0; i < f->n_params; i++)
		f->locals.v[i]->is_written = true; // a call assigns the parameters
	check_assigned(&s);
}

// ---- units ----------------------------------------------------------------------------------------------------------

// Binding a body may need more functions and library files. The probes of such a file run as well, so they are bound, too.
static void bind_all(struct bind *b)
{
	size_t n_functions = 0;

	while (n_functions < b->pending.n || b->n_bound < b->units.n) {
		if (b->n_bound < b->units.n) {
			struct unit *unit = b->units.v[b->n_bound++];

			for (unsigned i = 0; i < unit->n_probes; i++)
				bind_probe(b, unit->probes[i]);
		} else {
			bind_function(b, b->pending.v[n_functions++]);
		}
	}
}

struct program *sema_bind(const struct sema_opts *opts, struct unit *const *units, unsigned n_units)
{
	struct program *program = sp_calloc(1, sizeof(*program));
	struct bind b = {
		.opts = opts, .program = program, .arena = &program->arena, .n_user_units = n_units
	};

	for (unsigned i = 0; i < n_units; i++)
		bind_use_unit(&b, units[i]);
	for (unsigned i = 0; i < n_units; i++)
		bind_declare_unit(&b, units[i]);
	bind_all(&b);
	bind_tell_left_out(&b);
	program->start = (struct span){ n_units ? units[0]->file : 0, 0, 0 };
	aggregate_locals(program);
	calls_mark(program);
	sp_hash_deinit(&b.unit_set);
	sp_hash_deinit(&b.global_names);
	sp_hash_deinit(&b.function_names);
	sp_hash_deinit(&b.globals);
	sp_hash_deinit(&b.functions);
	sp_vec_deinit(&b.units);
	sp_vec_deinit(&b.pending);
	return program;
}
