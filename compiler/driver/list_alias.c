// SPDX-License-Identifier: GPL-2.0-or-later
// Each alias is compiled as a script of its own, `probe ALIAS {}`: the result shows whether it has sites, and what its body sets.
// An alias that does not compile for this kernel is left out, like one without a site.
#include "compiler/driver/list_alias.h"

#include "compiler/sema/bind.h"
#include "runtime/base/cleanup.h"

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
static bool compile_alias(const struct alias_env *env, const char *name, struct sp_buf *vars_ret)
{
	struct spile *spile = env->spile;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct diag_ctx nobody;
	struct point_env points = session_point_env(spile, &spile->arena);
	struct sema_opts opts = { .sources = &spile->sources, .dc = &nobody, .env = &points, .tapset = env->tapset,
				  .max_string = (uint32_t)spile->limits.max_string, .guru = true, .unoptimized = true };
	struct parse_env parse = session_parse_env(spile);
	SP_VEC(struct unit *) units = { 0 };
	struct program *program;
	bool has_site;

	sp_buf_printf(&text, "probe %s {}", name);
	diag_ctx_init(&nobody, &spile->sources);
	points.dc = &nobody;
	sp_vec_push(&units, parse_file(&spile->sources,
				       source_add(&spile->sources, "<list>", text.data, text.len, SOURCE_USER), &parse,
				       &nobody));
	for (unsigned i = 0; i < env->n_units; i++)
		sp_vec_push(&units, env->units[i]);
	program = sema_bind(&opts, units.v, (unsigned)units.n);
	has_site = program->handlers.n && !nobody.n_errors;
	if (has_site && vars_ret)
		print_vars(&opts, program, vars_ret);
	program_destroy(program);
	unit_destroy(units.v[0]);
	sp_vec_deinit(&units);
	diag_ctx_deinit(&nobody);
	return has_site;
}

bool list_aliases(const struct alias_env *env, const struct ast_point *pattern, bool vars,
		  struct listing *listing)
{
	SP_VEC(const struct unit *) units = { 0 };
	struct unit **library, **all = NULL;
	unsigned n_library = 0;
	bool any = false;

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

			for (unsigned k = 0; k < alias->names.n && !alias->is_private; k++) {
				sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 }, variables = { 0 };

				if (bind_match_alias(alias->names.v[k], pattern) != pattern->n_parts)
					continue;
				any = true;
				ast_print_point(&name, alias->names.v[k]);
				if (compile_alias(env, sp_buf_str(&name), vars ? &variables : NULL))
					listing_add(listing, sp_buf_str(&name), sp_buf_str(&variables), 0, 0);
			}
		}
	}
	free(all);
	sp_vec_deinit(&units);
	return any;
}
