// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/list.h"

#include "compiler/driver/list_alias.h"
#include "compiler/driver/list_whole.h"

#include "runtime/base/cleanup.h"

#include <string.h>

struct lister {
	struct spile *spile;
	struct alias_env aliases;
	struct parse_env parse;
	bool vars;
	bool places; // each place is listed by itself, with its address
	bool streams; // what is listed goes to the session's output as it comes
	struct sp_buf *out;
	size_t n; // points that were listed
};

static void put(struct lister *l, const struct listing *listing, const char *kind)
{
	size_t before = l->out->len;

	listing_print(listing, kind, l->vars, l->spile->opts.list_json != 0, l->out);
	if (l->streams && l->out->len > before)
		session_output(l->spile, &(struct sp_buf){ .data = l->out->data + before, .len = l->out->len - before });
	l->n += listing->by_point.n_live;
}

static void add_sites(const struct lister *l, struct point_env *env, const struct ast_point *point, struct listing *listing)
{
	struct sites sites = { 0 };

	if (!point_resolve(env, point, &sites))
		sites.list.n = 0;
	sp_vec_each(site, &sites.list) {
		if (l->places && (*site)->pc)
			(*site)->point = sp_arena_printf(env->arena, "%s /* pc=%#llx */", (*site)->point, (unsigned long long)(*site)->pc);
		list_site(env, *site, l->vars, (uint64_t)(site - sites.list.v), listing);
	}
	sp_vec_deinit(&sites.list);
}

// `is_alone`: no other point is listed.
static void add_point(struct lister *l, struct point_env *env, const struct ast_point *point, bool is_alone, struct listing *listing)
{
	size_t n_before = l->n + listing->by_point.n_live;
	sp_cleanup(listing_deinit) struct listing first = { 0 };

	if (is_alone && !l->places) {
		list_whole_first(l->spile, point, l->vars, &first);
		put(l, &first, NULL);
	}
	bool all = l->places || !list_whole_fits(env, point) || list_whole(l->spile, point, l->vars, listing);
	// The usual way, also when that has found nothing or not all: list_whole() is silent, point_resolve() reports why.
	if (!all || l->n + listing->by_point.n_live == n_before)
		add_sites(l, env, point, listing);
	listing_leave_out(listing, &first);
}

static struct unit *parse_points(const struct lister *l, const char *points, struct diag_ctx *dc)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };

	sp_buf_printf(&script, "probe %s {}", points);
	l->spile->script = source_add(&l->spile->sources, "<input>", script.data, script.len, SOURCE_USER);
	return parse_file(&l->spile->sources, l->spile->script, &l->parse, dc);
}

// Adds what the points stand for. `is_all`: nothing else is listed, so what is found first can be put out at once.
static void add_points(struct lister *l, const char *points, bool is_all, struct diag_ctx *dc, struct listing *listing)
{
	struct point_env env = session_point_env(l->spile, &l->spile->arena);
	struct unit *unit = parse_points(l, points, dc);

	env.dc = dc;
	env.only_named = !l->vars;
	for (unsigned i = 0; i < unit->n_probes && !dc->n_errors; i++) {
		for (unsigned k = 0; k < unit->probes[i]->points.n; k++) {
			const struct ast_points *points = &unit->probes[i]->points;
			const struct ast_point *point = points->v[k];

			if (!list_aliases(&l->aliases, point, l->vars, listing) && point_is_family(point->parts[0].name))
				add_point(l, &env, point, is_all && unit->n_probes == 1 && points->n == 1, listing);
		}
	}
	unit_destroy(unit);
}

// The same, without a word about what is wrong with them.
static void try_points(struct lister *l, const char *points, struct listing *listing)
{
	struct diag_ctx nobody;

	diag_ctx_init(&nobody, &l->spile->sources);
	add_points(l, points, false, &nobody, listing);
	diag_ctx_deinit(&nobody);
}

// ---- names alone ----------------------------------------------------------------------------------------------------

bool list_is_name(const char *pattern)
{
	return *pattern && !pattern[strspn(pattern, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*?[]-!")];
}

// `timer.*`: what there is, and what takes an argument in the form in which it is written.
static bool is_branch(const char *pattern)
{
	return sp_has_glob(pattern) && !strpbrk(pattern, "(\"{, \t\n");
}

// Adds the forms of points that begin with these names.
static void add_forms(const char *names, struct listing *listing)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	point_print_forms(names, &text);
	for (char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		listing_add(listing, line, "", 0, 0);
	}
}

static void add_branch(struct lister *l, const char *pattern, struct listing *listing)
{
	try_points(l, pattern, listing);
	if (!listing->by_point.n_live)
		list_aliases_named(&l->aliases, pattern, l->vars, listing); // perf.hw.cycles for `perf.*`
	add_forms(pattern, listing);
}

// All that has such a name, kind by kind: those first that are found at once.
static void put_kinds(struct lister *l, const char *name)
{
	static const struct {
		const char *kind, *format;
		bool of_target; // of the program of -c or -x
		bool are_many; // `**` is `*`, with which a share of them is looked at at a time
	} kinds[] = {
		{ "tracepoints", "kernel.trace(\"%s\")?", false, false }, // optional: nobody hears which names are near
		{ "kernel functions", "kernel.function(\"%s\")", false, true },
		{ "marks of the program", "process.mark(\"%s\")", true, false },
		{ "functions of the program", "process.function(\"%s\")", true, true },
	};
	sp_cleanup(listing_deinit) struct listing forms = { 0 }, aliases = { 0 };
	const char *all = name[strspn(name, "*")] ? name : "*";

	add_forms(name, &forms);
	put(l, &forms, "probe points");
	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf point = { 0 };
		sp_cleanup(listing_deinit) struct listing listing = { 0 };

		sp_buf_printf(&point, kinds[i].format, kinds[i].are_many ? all : name);
		if (!kinds[i].of_target || l->spile->opts.command || l->spile->opts.pid)
			try_points(l, sp_buf_str(&point), &listing);
		put(l, &listing, kinds[i].kind);
	}
	list_aliases_named(&l->aliases, name, l->vars, &aliases);
	put(l, &aliases, "aliases");
}

// ---- all ------------------------------------------------------------------------------------------------------------

static void list(struct lister *l, const char *pattern)
{
	sp_cleanup(listing_deinit) struct listing listing = { 0 };
	bool is_name = list_is_name(pattern), is_branchy = is_branch(pattern);

	if (is_branchy && !is_name)
		add_branch(l, pattern, &listing);
	else if (is_name && !is_branchy)
		try_points(l, pattern, &listing);
	if (is_name && !listing.by_point.n_live)
		put_kinds(l, pattern);
	if (!is_name && !listing.by_point.n_live)
		add_points(l, pattern, true, &l->spile->dc, &listing);
	if (!l->n && !listing.by_point.n_live && !l->spile->dc.n_errors)
		list_report(&l->aliases, pattern);
	if (!is_name || listing.by_point.n_live)
		put(l, &listing, NULL);
}

static int list_to(struct spile *spile, const char *pattern, bool vars, bool streams, struct sp_buf *out)
{
	struct lister l = { .spile = spile, .vars = vars, .places = vars && spile->opts.max_level >= SPILE_INFO, .streams = streams,
			    .out = out };
	struct sp_err *err = alias_env_open(spile, &l.parse, &l.aliases);

	if (!err)
		list(&l, pattern);
	session_flush_diags(spile);
	alias_env_close(&l.aliases);
	if (err)
		return session_fail(spile, err);
	return l.n ? 0 : spile->status ? spile->status : 1;
}

int list_print(struct spile *spile, const char *pattern, bool vars, struct sp_buf *out)
{
	return list_to(spile, pattern, vars, false, out);
}

int list_points(struct spile *spile, const char *pattern, bool vars)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 }, title = { 0 };
	int status;

	sp_buf_printf(&title, "-%c %s", vars ? 'L' : 'l', pattern);
	keep_begin_listing(spile, pattern, vars);
	status = list_to(spile, pattern, vars, true, &text);
	keep_end_listing(spile, status, sp_buf_str(&title), &text);
	return status;
}
