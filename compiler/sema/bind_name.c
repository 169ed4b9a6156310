// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the declarations of a name: in the script, and in the library, whose files are parsed when they are first needed.
#include "compiler/sema/bind.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/tree.h"

static bool is_user_unit(const struct bind *b, const struct unit *unit)
{
	for (unsigned i = 0; i < b->n_user_units; i++)
		if (b->units.v[i] == unit)
			return true;
	return false;
}

static struct global *global_of(struct bind *b, const struct ast_global *decl)
{
	void **place = sp_hash_insert(&b->globals, &decl, sizeof(decl));
	struct global *g = *place;

	if (g)
		return g;
	g = sp_arena_new(b->arena, struct global);
	g->name = decl->name;
	g->span = g->type_span = decl->span;
	g->is_private = decl->is_private;
	g->is_array = decl->size > 0 || decl->wraps;
	g->wraps = decl->wraps;
	g->size = decl->size;
	g->init = ast_clone_expr(b->arena, decl->init);
	g->index = (unsigned)b->program->globals.n;
	sp_vec_push(&b->program->globals, g);
	return *place = g;
}

static void add_name(struct bind *b, struct sp_hash *names, const char *name, struct named named)
{
	void **place = sp_hash_insert(names, name, strlen(name));
	struct named *last = *place, *new = sp_arena_memdup(b->arena, &named, sizeof(named));

	// The hash points to the last declaration of a ring: the next one is the first, so both ends are found at once.
	new->next = last ? last->next : new;
	if (last)
		last->next = new;
	*place = new;
}

// Iterates over the declarations of a name: `after` NULL gives the first one; the result NULL is the end.
static struct named *next_named(const struct sp_hash *names, const char *name, struct named *after)
{
	struct named *last = sp_hash_get(names, name);

	if (!after)
		return last ? last->next : NULL;
	return after == last ? NULL : after->next;
}

bool bind_is_library_file(const struct bind *b, uint32_t file)
{
	return file && source_file(b->opts->sources, file)->kind == SOURCE_TAPSET;
}

struct global *bind_find_global(struct bind *b, const char *name, uint32_t file)
{
	bool in_library = b->in_library || bind_is_library_file(b, file);
	struct named *n = NULL, *public = NULL;
	struct unit **found;
	unsigned n_found;

	while ((n = next_named(&b->global_names, name, n))) {
		if (n->unit->file == file)
			return global_of(b, n->global);
		if (!public && !n->global->is_private && !(in_library && is_user_unit(b, n->unit)))
			public = n;
	}
	if (public)
		return global_of(b, public->global);
	n_found = b->opts->tapset ? tapset_find_global(b->opts->tapset, name, &found) : 0;
	for (unsigned i = 0; i < n_found; i++)
		bind_use_unit(b, found[i]);
	while (n_found && (n = next_named(&b->global_names, name, n)))
		if (!n->global->is_private && !(in_library && is_user_unit(b, n->unit)))
			return global_of(b, n->global);
	return NULL;
}

static void bind_params(struct bind *b, struct function *f)
{
	for (unsigned i = 0; i < f->n_params; i++) {
		const struct ast_param *param = &f->decl->params[i];
		struct local *local = sp_arena_new(b->arena, struct local);

		*local = (struct local){
			.name = param->name, .type = param->type, .span = param->span, .type_span = param->span, .index = i,
		};
		sp_vec_push(&f->locals, local);
	}
}

// Embedded C names the globals it uses in pragmas. An array is refused: it has no address to hand to C.
void bind_embed(struct bind *b, struct embed *embed)
{
	sp_vec_each(use, &embed->globals) {
		struct diag *d;

		use->global = bind_find_global(b, use->name, embed->span.file);
		if (!use->global) {
			d = diag(b->opts->dc, use->span, DIAG_EMBED_GLOBAL,
				 "there is no global variable '%s'", use->name);
			diag_hint(b->opts->dc, d, "declare it: global %s", use->name);
			continue;
		}
		use->global->is_read |= use->reads;
		use->global->is_written |= use->writes;
	}
	if (embed->is_assembly)
		diag(b->opts->dc, embed->span, DIAG_EMBED_ASSEMBLY,
		     "/* bpf */ code is in the assembly language of SystemTap's own BPF back end");
	if (embed->is_stable && (!embed->is_pure || (embed->function && embed->function->n_params)))
		diag(b->opts->dc, embed->span, DIAG_EMBED_STABLE,
		     "/* stable */ code must be /* pure */ and take no parameters");
}

static struct function *function_of(struct bind *b, struct ast_function *decl, bool is_library)
{
	void **place = sp_hash_insert(&b->functions, &decl, sizeof(decl));
	struct function *f = *place;

	if (f)
		return f;
	f = sp_arena_new(b->arena, struct function);
	*place = f;
	f->name = decl->name;
	f->decl = decl;
	f->n_params = decl->n_params;
	f->return_type = decl->return_type;
	f->type_span = decl->span;
	f->is_library = is_library;
	f->index = (unsigned)b->program->functions.n;
	f->body = b->opts->takes_units && !is_library ? decl->body : ast_clone_stmt(b->arena, decl->body);
	sp_vec_push(&b->program->functions, f);
	bind_params(b, f);
	if (decl->embedded) {
		f->embed = embed_add(b->program, EMBED_BODY, decl->embedded, decl->embedded_span);
		f->embed->is_unmangled |= b->opts->plain_members;
		f->embed->function = f;
		f->body = embed_body(b->arena, f->embed, decl->return_type);
		bind_embed(b, f->embed);
	}
	sp_vec_push(&b->pending, f);
	return f;
}

struct function *bind_embed_function(struct bind *b, const struct function *around, const struct ast_expr *e)
{
	struct ast_function *decl = sp_arena_new(b->arena, struct ast_function);
	struct function *f;

	decl->name = around->name;
	decl->params = sp_arena_array(b->arena, struct ast_param, around->n_params + 1);
	for (unsigned i = 0; i < around->n_params; i++)
		if (embed_asks(e->embedded.code, around->decl->params[i].name))
			decl->params[decl->n_params++] = around->decl->params[i];
	if (!decl->n_params)
		return NULL;
	decl->embedded = e->embedded.code;
	decl->embedded_span = decl->span = e->embedded.span;
	decl->return_type = TYPE_LONG;
	f = function_of(b, decl, around->is_library);
	f->embed->kind = EMBED_VALUE;
	if (f->embed->is_string)
		f->return_type = TYPE_STRING;
	return f;
}

struct candidate {
	struct ast_function *decl;
	struct unit *unit;
	bool is_library;
	int64_t priority;
};

// The overloads of a function (same name and number of parameters), in the order in which `next` tries them.
struct candidates {
	SP_VEC(struct candidate) v;
	const struct ast_function *other; // same name, another number of parameters; NULL: none
};

static void add_candidate(struct candidates *c, struct unit *unit, struct ast_function *decl, bool is_library,
			  unsigned n_args, uint32_t file)
{
	struct candidate new = { decl, unit, is_library, decl->priority };
	size_t at;

	if (decl->is_private && unit->file != file)
		return;
	if (decl->n_params != n_args) {
		c->other = decl;
		return;
	}
	if (new.priority < 0)
		new.priority = is_library;
	sp_vec_push(&c->v, new);
	for (at = c->v.n - 1; at > 0 && c->v.v[at - 1].priority > new.priority; at--)
		c->v.v[at] = c->v.v[at - 1];
	c->v.v[at] = new;
}

static void find_candidates(struct bind *b, const char *name, unsigned n_args, uint32_t file,
			    struct candidates *ret)
{
	struct named *n = NULL;
	struct unit **found;
	unsigned n_found;

	while ((n = next_named(&b->function_names, name, n)))
		add_candidate(ret, n->unit, n->function, !is_user_unit(b, n->unit), n_args, file);
	n_found = b->opts->tapset ? tapset_find_function(b->opts->tapset, name, &found) : 0;
	for (unsigned i = 0; i < n_found; i++)
		for (unsigned k = 0; k < found[i]->n_functions; k++)
			if (sp_streq(found[i]->functions[k]->name, name) &&
			    !sp_hash_find(&b->unit_set, &found[i], sizeof(found[i])))
				add_candidate(ret, found[i], found[i]->functions[k], true, n_args, file);
}

struct function *bind_find_function(struct bind *b, const char *name, unsigned n_args,
				      uint32_t file, const struct ast_function **other_ret)
{
	struct candidates c = { 0 };
	struct function *f = NULL;

	find_candidates(b, name, n_args, file, &c);
	*other_ret = c.other;
	if (c.v.n) {
		bind_use_unit(b, c.v.v[0].unit);
		f = function_of(b, c.v.v[0].decl, c.v.v[0].is_library);
	}
	sp_vec_deinit(&c.v);
	return f;
}

struct function *bind_next_overload(struct bind *b, const struct function *f)
{
	struct candidates c = { 0 };
	struct function *next = NULL;

	find_candidates(b, f->name, f->n_params, f->decl->span.file, &c);
	for (size_t i = 0; i + 1 < c.v.n; i++) {
		if (c.v.v[i].decl != f->decl)
			continue;
		bind_use_unit(b, c.v.v[i + 1].unit);
		next = function_of(b, c.v.v[i + 1].decl, c.v.v[i + 1].is_library);
	}
	sp_vec_deinit(&c.v);
	return next;
}

void bind_use_unit(struct bind *b, struct unit *unit)
{
	void **place = sp_hash_insert(&b->unit_set, &unit, sizeof(unit));

	if (*place)
		return;
	*place = unit;
	sp_vec_push(&b->units, unit);
	for (unsigned i = 0; i < unit->n_globals; i++)
		add_name(b, &b->global_names, unit->globals[i]->name,
			 (struct named){ .unit = unit, .global = unit->globals[i] });
	for (unsigned i = 0; i < unit->n_functions; i++)
		add_name(b, &b->function_names, unit->functions[i]->name,
			 (struct named){ .unit = unit, .function = unit->functions[i] });
	for (unsigned i = 0; i < unit->n_embeds; i++)
		embed_add(b->program, EMBED_TOP, unit->embeds[i]->code, unit->embeds[i]->span);
}

// ---- the script's files ----------------------------------------------------------------------------------------------

// Two files may each have a private global of one name; the parser has told of two in one file.
static void check_global_twice(struct bind *b, const struct ast_global *g)
{
	for (struct named *n = NULL; (n = next_named(&b->global_names, g->name, n)) && n->global != g;) {
		const struct ast_global *first = n->global;
		struct diag *d;

		if (first->is_private || g->is_private)
			continue;
		d = diag(b->opts->dc, g->span, DIAG_NAME_TWICE, "global '%s' is declared twice", g->name);
		diag_note(b->opts->dc, d, first->span, "first declared here");
		return;
	}
}

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx, (void)place;
}

static void find_next_stmt(void *ctx, struct ast_stmt **place)
{
	*(bool *)ctx |= (*place)->kind == AST_S_NEXT;
	ast_stmt_children(*place, no_expr, find_next_stmt, ctx);
}

// A function of the script hides a builtin or library function of that name. Warns, unless its `next` calls the hidden one.
static void warn_shadowing(struct bind *b, struct ast_function *decl)
{
	int builtin;
	const struct ast_function *hidden = NULL;
	bool has_next = false, is_builtin;
	struct unit **found;
	struct diag *d;
	unsigned n;

	if (b->opts->suppress_unused_warnings || b->opts->dc->no_warnings)
		return;
	builtin = builtin_find(decl->name);
	is_builtin = builtin >= 0 && decl->n_params >= builtin_min_args(builtin_info((enum builtin_id)builtin)) &&
		     decl->n_params <= builtin_max_args(builtin_info((enum builtin_id)builtin));
	n = b->opts->tapset ? tapset_find_function(b->opts->tapset, decl->name, &found) : 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < found[i]->n_functions; k++)
			if (sp_streq(found[i]->functions[k]->name, decl->name) && !found[i]->functions[k]->is_private &&
			    found[i]->functions[k]->n_params == decl->n_params)
				hidden = found[i]->functions[k];
	if (!is_builtin && !hidden)
		return;
	if (decl->body)
		find_next_stmt(&has_next, &decl->body);
	if (has_next)
		return;
	d = diag(b->opts->dc, decl->span, DIAG_FUNCTION_HIDES, "this function hides the %s %s()",
		 hidden ? "library's" : "built-in", decl->name);
	if (hidden)
		diag_note(b->opts->dc, d, hidden->span, "declared here");
}

void bind_declare_unit(struct bind *b, struct unit *unit)
{
	for (unsigned i = 0; i < unit->n_globals; i++) {
		check_global_twice(b, unit->globals[i]);
		global_of(b, unit->globals[i]);
	}
	for (unsigned i = 0; i < unit->n_functions; i++) {
		warn_shadowing(b, unit->functions[i]);
		function_of(b, unit->functions[i], false);
	}
}
