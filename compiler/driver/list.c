// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/list.h"

#include "compiler/driver/library.h"
#include "compiler/driver/list_whole.h"

#include "runtime/base/cleanup.h"

static void list_point(struct point_env *env, struct spile *spile, const struct ast_point *point, bool vars,
		       struct listing *listing)
{
	size_t n_before = listing->by_point.n_live;
	struct sites sites = { 0 };

	if (list_whole_fits(env, point))
		list_whole(spile, point, vars, listing);
	// The usual way, also when that has found nothing: list_whole() is silent, point_resolve() reports why.
	if (listing->by_point.n_live == n_before && point_resolve(env, point, &sites))
		sp_vec_each(site, &sites.list)
			list_site(env, *site, vars, (uint64_t)(site - sites.list.v), listing);
	sp_vec_deinit(&sites.list);
}

// Opens the scripts in which aliases are looked up: those of the library and of -E.
static struct sp_err *open_scripts(struct spile *spile, struct parse_env *parse, struct alias_env *ret)
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

static void close_scripts(struct alias_env *scripts)
{
	for (unsigned i = 0; i < scripts->n_units; i++)
		unit_destroy(scripts->units[i]);
	tapset_close(scripts->tapset);
}

int list_print(struct spile *spile, const char *pattern, bool vars, struct sp_buf *out)
{
	sp_cleanup(listing_deinit) struct listing listing = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };
	struct alias_env scripts;
	struct parse_env parse;
	struct sp_err *err = open_scripts(spile, &parse, &scripts);
	struct point_env env;
	struct unit *unit;

	if (err) {
		close_scripts(&scripts);
		return session_fail(spile, err);
	}
	sp_buf_printf(&script, "probe %s {}", pattern);
	spile->script = source_add(&spile->sources, "<input>", script.data, script.len, SOURCE_USER);
	unit = parse_file(&spile->sources, spile->script, &parse, &spile->dc);
	env = session_point_env(spile, &spile->arena);
	env.only_named = !vars;
	for (unsigned i = 0; i < unit->n_probes && !spile->dc.n_errors; i++) {
		for (unsigned k = 0; k < unit->probes[i]->points.n; k++) {
			const struct ast_point *point = unit->probes[i]->points.v[k];

			if (!list_aliases(&scripts, point, vars, &listing))
				list_point(&env, spile, point, vars, &listing);
		}
	}
	listing_print(&listing, vars, spile->opts.list_json != 0, out);
	session_flush_diags(spile);
	unit_destroy(unit);
	close_scripts(&scripts);
	return listing.by_point.n_live ? 0 : spile->status ? spile->status : 1;
}

int list_points(struct spile *spile, const char *pattern, bool vars)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 }, title = { 0 };
	int status;

	sp_buf_printf(&title, "-%c %s", vars ? 'L' : 'l', pattern);
	keep_begin_listing(spile, pattern, vars);
	status = list_print(spile, pattern, vars, &text);
	keep_end_listing(spile, status, sp_buf_str(&title), &text);
	session_output(spile, &text);
	return status;
}
