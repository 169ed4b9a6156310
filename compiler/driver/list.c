// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/list.h"

#include "compiler/driver/library.h"
#include "compiler/driver/list_parts.h"

#include "runtime/base/cleanup.h"

// A probe point, and the variables of one of its sites: " $file:struct file* $count:size_t".
struct listed {
	char *point;
	char *vars;
	uint64_t pc;
	size_t seq;
};

struct listing {
	SP_VEC(struct listed) points;
};

static void listing_deinit(struct listing *listing)
{
	sp_vec_each(listed, &listing->points) {
		free(listed->point);
		free(listed->vars);
	}
	sp_vec_deinit(&listing->points);
}

static int compare_listed(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;
	int order = strcmp(a->point, b->point);

	if (!order)
		order = (a->pc > b->pc) - (a->pc < b->pc);
	return order ? order : (a->seq > b->seq) - (a->seq < b->seq);
}

static void add_line(void *ctx, const char *point, const char *vars, uint64_t pc)
{
	struct listing *listing = ctx;

	sp_vec_push(&listing->points, (struct listed){ sp_strdup(point), sp_strdup(vars), pc, listing->points.n });
}

static void add_sites(struct point_env *env, const struct sites *sites, bool vars, struct listing *listing)
{
	sp_vec_each(place, &sites->list) {
		struct site *site = *place;
		struct sp_buf text = { 0 };

		if (vars && site->family->list_vars)
			site->family->list_vars(env, site, &text);
		add_line(listing, site->point, sp_buf_str(&text), site->pc);
		sp_buf_deinit(&text);
	}
}

static void list_point(struct point_env *env, struct spile *spile, const struct ast_point *point, bool vars,
		       struct listing *listing)
{
	size_t n_before = listing->points.n;
	struct sites sites = { 0 };

	if (list_parts_fit(point))
		list_parts(spile, point, vars, add_line, listing);
	// When that has found nothing, this says why.
	if (listing->points.n == n_before && point_resolve(env, point, &sites))
		add_sites(env, &sites, vars, listing);
	sp_vec_deinit(&sites.list);
}

// Is " $name:type" of len bytes one of the variables in vars?
static bool has_var(const char *vars, const char *var, size_t len)
{
	const char *found = vars;

	while ((found = strstr(found, " $"))) {
		if (!strncmp(found, var, len) && (!found[len] || sp_starts_with(found + len, " $")))
			return true;
		found += 2;
	}
	return false;
}

// The variables that all sites of one point (the instances of an inlined function) have.
static void add_common(const struct listed *first, const struct listed *end, struct sp_buf *out)
{
	const char *var = first->vars;

	while (*var) {
		const char *next = strstr(var + 2, " $");
		size_t len = next ? (size_t)(next - var) : strlen(var);
		const struct listed *other = first + 1;

		while (other < end && has_var(other->vars, var, len))
			other++;
		if (other == end)
			sp_buf_add(out, var, len);
		var += len;
	}
}

// Where " name:type" begins; the type may hold blanks, and "::" in C++. NULL: nowhere.
static const char *next_var(const char *text)
{
	while ((text = strchr(text, ' '))) {
		size_t len = strspn(text + 1, "$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		if (len && text[1 + len] == ':' && text[2 + len] != ':')
			return text;
		text++;
	}
	return NULL;
}

static void put_json(const char *point, const char *vars, bool with_vars, struct sp_buf *out)
{
	const char *var = next_var(vars), *next;

	sp_buf_puts(out, "{\"point\":");
	sp_buf_json(out, point);
	sp_buf_puts(out, with_vars ? ",\"variables\":[" : "");
	for (; var; var = next) {
		sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 }, type = { 0 };
		size_t len = strcspn(var, ":");

		next = next_var(var + 1);
		sp_buf_add(&name, var + 1, len - 1);
		sp_buf_add(&type, var + len + 1, next ? (size_t)(next - var) - len - 1 : strlen(var + len + 1));
		sp_buf_puts(out, out->data[out->len - 1] == '[' ? "{\"name\":" : ",{\"name\":");
		sp_buf_json(out, sp_buf_str(&name));
		sp_buf_puts(out, ",\"type\":");
		sp_buf_json(out, sp_buf_str(&type));
		sp_buf_putc(out, '}');
	}
	sp_buf_puts(out, with_vars ? "]}\n" : "}\n");
}

static void put_out(struct listing *listing, bool vars, bool json, struct sp_buf *out)
{
	const struct listed *first = listing->points.v, *end = first + listing->points.n;

	if (listing->points.n)
		qsort(listing->points.v, listing->points.n, sizeof(*listing->points.v), compare_listed);
	while (first < end) {
		sp_cleanup(sp_buf_deinit) struct sp_buf common = { 0 };
		const struct listed *next = first + 1;

		while (next < end && sp_streq(first->point, next->point))
			next++;
		add_common(first, next, &common);
		if (json)
			put_json(first->point, sp_buf_str(&common), vars, out);
		else
			sp_buf_printf(out, "%s%s\n", first->point, sp_buf_str(&common));
		first = next;
	}
}

// What the points of the pattern are looked up in, besides the families of probes.
static struct sp_err *open_scripts(struct spile *spile, struct parse_env *parse, struct alias_env *ret)
{
	const char *const *more = spile->opts.more_scripts;
	struct unit **units;

	*ret = (struct alias_env){ .spile = spile };
	SP_TRY(session_describe(spile, true));
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

			if (!list_aliases(&scripts, point, vars, add_line, &listing))
				list_point(&env, spile, point, vars, &listing);
		}
	}
	put_out(&listing, vars, spile->opts.list_json != 0, out);
	session_flush_diags(spile);
	unit_destroy(unit);
	close_scripts(&scripts);
	return listing.points.n ? 0 : spile->status ? spile->status : 1;
}

int list_points(struct spile *spile, const char *pattern, bool vars)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	int status = list_print(spile, pattern, vars, &text);

	session_output(spile, &text);
	return status;
}
