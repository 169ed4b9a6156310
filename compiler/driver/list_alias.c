// SPDX-License-Identifier: GPL-2.0-or-later
// Each alias is compiled as a script of its own, `probe ALIAS {}`: the result shows whether it has sites, and what its body sets.
// An alias that does not compile for this kernel is left out, like one without a site.
#include "compiler/driver/list_alias.h"

#include "compiler/driver/library.h"
#include "compiler/probe/point_util.h"
#include "compiler/sema/bind.h"
#include "runtime/base/cleanup.h"

struct sp_err *alias_env_open(struct spile *spile, struct parse_env *parse, struct alias_env *ret)
{
	const char *const *more = spile->opts.more_scripts;
	struct unit **units;

	*ret = (struct alias_env){ .spile = spile };
	SP_TRY(session_describe_features(spile));
	*parse = session_parse_env(spile);
	SP_TRY(library_open(spile, parse, &ret->tapset));
	while (more && more[ret->n_units])
		ret->n_units++;
	units = sp_arena_array(&spile->arena, struct unit *, ret->n_units);
	for (unsigned i = 0; i < ret->n_units; i++)
		units[i] = parse_file(&spile->sources,
				      source_add(&spile->sources, "<input>", more[i], strlen(more[i]), SOURCE_USER), parse,
				      &spile->dc);
	ret->units = units;
	return NULL;
}

void alias_env_close(struct alias_env *env)
{
	for (unsigned i = 0; i < env->n_units; i++)
		unit_destroy(env->units[i]);
	tapset_close(env->tapset);
}

static void print_locals(const struct handler *handler, struct sp_buf *out)
{
	sp_vec_each(local, &handler->locals)
		if ((*local)->is_written && (*local)->name[0] != '@') // `@depth` is the compiler's
			sp_buf_printf(out, " %s:%s", (*local)->name, ast_type_name((*local)->type));
}

// The first handler that is the alias's own, not one that keeps values for it.
static const struct handler *own_handler(const struct program *program)
{
	size_t i = 0;

	while (i + 1 < program->handlers.n && program->handlers.v[i]->at_entry)
		i++;
	return program->handlers.v[i];
}

static void print_vars(struct sema_opts *opts, struct program *program, struct sp_buf *out)
{
	const struct handler *handler;
	struct site *site;

	sema_context(opts, program);
	sema_infer(opts, program);
	handler = own_handler(program);
	print_locals(handler, out);
	site = handler->sites.n ? handler->sites.v[0] : NULL;
	if (site && site->family->list_vars)
		site->family->list_vars(opts->env, site, out);
}

// Does the alias have a site? Appends its variables to `vars_ret` unless that is NULL.
static bool compile_with(const struct alias_env *env, const char *name, struct diag_ctx *dc, struct sp_buf *vars_ret)
{
	struct spile *spile = env->spile;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct point_env points = session_point_env(spile, &spile->arena);
	struct sema_opts opts = { .sources = &spile->sources, .dc = dc, .env = &points, .tapset = env->tapset,
				  .max_string = (uint32_t)spile->limits.max_string, .guru = true, .unoptimized = true };
	struct parse_env parse = session_parse_env(spile);
	SP_VEC(struct unit *) units = { 0 };
	struct program *program;
	bool has_site;

	sp_buf_printf(&text, "probe %s {}", name);
	points.dc = dc;
	sp_vec_push(&units, parse_file(&spile->sources,
				       source_add(&spile->sources, "<list>", text.data, text.len, SOURCE_USER), &parse,
				       dc));
	for (unsigned i = 0; i < env->n_units; i++)
		sp_vec_push(&units, env->units[i]);
	program = sema_bind(&opts, units.v, (unsigned)units.n);
	has_site = program->handlers.n && !dc->n_errors;
	if (has_site && vars_ret)
		print_vars(&opts, program, vars_ret);
	program_destroy(program);
	unit_destroy(units.v[0]);
	sp_vec_deinit(&units);
	return has_site;
}

static bool compile_alias(const struct alias_env *env, const char *name, struct sp_buf *vars_ret)
{
	struct diag_ctx nobody;
	bool has_site;
	size_t mark;

	diag_ctx_init(&nobody, &env->spile->sources);
	mark = diag_try(&nobody);
	has_site = compile_with(env, name, &nobody, vars_ret);
	diag_end_try(&nobody, mark);
	diag_ctx_deinit(&nobody);
	return has_site;
}

void list_report(const struct alias_env *env, const char *point)
{
	compile_with(env, point, &env->spile->dc, NULL);
}

// Lists the alias when the pattern means it, with what stands behind its name: perf.sw.page_faults.sample(7). Returns whether the
// pattern means it; *rest_ret: it stands for nothing with that behind it.
static bool list_alias(const struct alias_env *env, const struct ast_point *alias, const struct ast_point *pattern, bool vars,
		       struct listing *listing, bool *rest_ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 }, variables = { 0 };
	unsigned n = bind_match_alias(alias, pattern);
	bool is_there;

	if (!n)
		return false;
	ast_print_point(&name, alias);
	point_print_rest(&name, pattern, n);
	is_there = compile_alias(env, sp_buf_str(&name), vars ? &variables : NULL);
	if (is_there)
		listing_add(listing, sp_buf_str(&name), sp_buf_str(&variables), 0, 0);
	*rest_ret |= !is_there && n < pattern->n_parts;
	return is_there || n == pattern->n_parts;
}

bool list_aliases(const struct alias_env *env, const struct ast_point *pattern, bool vars,
		  struct listing *listing)
{
	SP_VEC(const struct unit *) units = { 0 };
	struct unit **library, **all = NULL;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	unsigned n_library = 0;
	bool any = false, has_rest = false;

	for (unsigned i = 0; i < env->n_units; i++)
		sp_vec_push(&units, env->units[i]);
	if (env->tapset && strpbrk(pattern->parts[0].name, "*?["))
		n_library = tapset_all(env->tapset, &all);
	else if (env->tapset)
		n_library = tapset_find_alias(env->tapset, pattern->parts[0].name, pattern->n_parts > 1 ? pattern->parts[1].name : NULL,
					      &library);
	for (unsigned i = 0; i < n_library; i++)
		sp_vec_push(&units, all ? all[i] : library[i]);
	sp_vec_each(unit, &units) {
		for (unsigned i = 0; i < (*unit)->n_aliases; i++) {
			const struct ast_alias *alias = (*unit)->aliases[i];

			for (unsigned k = 0; k < alias->names.n && !alias->is_private; k++)
				any |= list_alias(env, alias->names.v[k], pattern, vars, listing, &has_rest);
		}
	}
	// The usual way says why.
	if (!any && has_rest) {
		ast_print_point(&text, pattern);
		any = !compile_with(env, sp_buf_str(&text), &env->spile->dc, NULL);
	}
	free(all);
	sp_vec_deinit(&units);
	return any;
}

static bool is_called(const struct ast_point *alias, const char *text, const char *name)
{
	if (sp_has_glob(name))
		return sp_glob_match(name, text);
	for (unsigned i = 0; i < alias->n_parts; i++)
		if (sp_streq(alias->parts[i].name, name))
			return true;
	return false;
}

static void list_named(const struct alias_env *env, const struct ast_point *alias, const char *name, bool vars,
		       struct listing *listing)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 }, variables = { 0 };

	ast_print_point(&text, alias);
	if (alias->parts[0].name[0] != '_' && is_called(alias, sp_buf_str(&text), name) &&
	    compile_alias(env, sp_buf_str(&text), vars ? &variables : NULL))
		listing_add(listing, sp_buf_str(&text), sp_buf_str(&variables), 0, 0);
}

void list_aliases_named(const struct alias_env *env, const char *name, bool vars, struct listing *listing)
{
	struct unit **library = NULL;
	unsigned n_library = env->tapset ? tapset_all(env->tapset, &library) : 0;

	for (unsigned u = 0; u < env->n_units + n_library; u++) {
		const struct unit *unit = u < env->n_units ? env->units[u] : library[u - env->n_units];

		for (unsigned i = 0; i < unit->n_aliases; i++)
			for (unsigned k = 0; k < unit->aliases[i]->names.n && !unit->aliases[i]->is_private; k++)
				list_named(env, unit->aliases[i]->names.v[k], name, vars, listing);
	}
	free(library);
}
