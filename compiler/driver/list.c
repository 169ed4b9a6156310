// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/list.h"

#include "runtime/base/cleanup.h"

struct listing {
	SP_VEC(char *) lines;
};

static void listing_deinit(struct listing *listing)
{
	sp_vec_each(line, &listing->lines)
		free(*line);
	sp_vec_deinit(&listing->lines);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_sites(struct point_env *env, const struct sites *sites, bool vars, struct listing *listing)
{
	sp_vec_each(place, &sites->list) {
		struct site *site = *place;
		struct sp_buf line = { 0 };

		sp_buf_puts(&line, site->point);
		if (vars && site->family->list_vars)
			site->family->list_vars(env, site, &line);
		sp_vec_push(&listing->lines, sp_buf_take(&line));
	}
}

static void put_out(struct spile *spile, struct listing *listing)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const char *last = NULL;

	if (listing->lines.n)
		qsort(listing->lines.v, listing->lines.n, sizeof(*listing->lines.v), compare_lines);
	sp_vec_each(line, &listing->lines) {
		if (!last || !sp_streq(last, *line))
			sp_buf_printf(&text, "%s\n", *line);
		last = *line;
	}
	session_output(spile, &text);
}

int list_points(struct spile *spile, const char *pattern, bool vars)
{
	sp_cleanup(listing_deinit) struct listing listing = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };
	struct sp_err *err = session_describe(spile, true);
	struct parse_env parse_env;
	struct point_env env;
	struct unit *unit;

	if (err)
		return session_fail(spile, err);
	sp_buf_printf(&script, "probe %s {}", pattern);
	spile->script = source_add(&spile->sources, "<input>", script.data, script.len, SOURCE_USER);
	parse_env = session_parse_env(spile);
	unit = parse_file(&spile->sources, spile->script, &parse_env, &spile->dc);
	env = session_point_env(spile, &spile->arena);
	for (unsigned i = 0; i < unit->n_probes && !spile->dc.n_errors; i++) {
		for (unsigned k = 0; k < unit->probes[i]->points.n; k++) {
			struct sites sites = { 0 };

			if (point_resolve(&env, unit->probes[i]->points.v[k], &sites))
				add_sites(&env, &sites, vars, &listing);
			sp_vec_deinit(&sites.list);
		}
	}
	put_out(spile, &listing);
	session_flush_diags(spile);
	unit_destroy(unit);
	return listing.lines.n ? 0 : spile->status ? spile->status : 1;
}
