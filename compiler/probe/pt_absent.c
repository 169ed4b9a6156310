// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/pt_absent.h"

#include "compiler/probe/point_util.h"

#include <stdlib.h>

#define MAX_RUNS 4 // of lines that a message shows

struct line {
	unsigned number;
	const char *file;
	uint64_t pc;
	bool is_readable;
};

struct lines {
	SP_VEC(struct line) v; // by number
};

struct reg_search {
	const struct point_env *env;
	const struct site *site;
	const char *reg;
	bool at_entry;
};

static void check_register(void *ctx, const struct loc_op *op)
{
	struct reg_search *s = ctx;

	if (s->reg || (op->kind != LOC_REG && op->kind != LOC_ENTRY_REG))
		return;
	s->reg = point_unreadable_reg(s->env, s->site, op->a);
	s->at_entry = op->kind == LOC_ENTRY_REG;
}

const char *absent_reg(const struct point_env *env, const struct site *site, const struct loc *loc)
{
	struct reg_search search = { .env = env, .site = site };

	if (loc->n_pieces == 1)
		loc_each(loc, check_register, &search);
	return search.reg;
}

bool absent_is(const struct point_env *env, const struct site *site, const struct dbg_var *var)
{
	return !var->loc || absent_reg(env, site, var->loc);
}

static const char *why(const struct point_env *env, const struct site *site, const struct dbg_var *var)
{
	struct reg_search search = { .env = env, .site = site };

	if (!var->loc)
		return var->why_not ? var->why_not : "the debug information does not say where it is";
	if (var->loc->n_pieces == 1)
		loc_each(var->loc, check_register, &search);
	return sp_arena_printf(env->arena, "%s %s", search.at_entry ? "depends, at the entry, on" : "lives in", search.reg);
}

bool absent_keep(struct dbg_func *func, uint64_t pc, struct dbg_var *var, const struct loc **frame_ret)
{
	*frame_ret = NULL;
	if (!var->loc || !loc_has(var->loc, LOC_ENTRY_REG))
		return true;
	if (dbg_entry_of(func, &var->why_not))
		*frame_ret = dbg_frame_at(func, pc, &var->why_not);
	if (!*frame_ret)
		var->loc = NULL;
	return *frame_ret;
}

static int by_number(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

// At another place of the site's module.
static bool is_readable(const struct point_env *env, const struct site *site, struct dbg_func *func, uint64_t pc, const char *name)
{
	struct dbg_var var;
	const struct loc *frame;
	bool found = false;

	sp_err_free(dbg_var_named(func, pc, name, &var, &found));
	return found && absent_keep(func, pc, &var, &frame) && !absent_is(env, site, &var);
}

static void find_lines(const struct point_env *env, const struct site *site, const char *name, struct lines *ret)
{
	struct dbg_places places;

	dbg_func_lines(site->func, &places);
	for (unsigned i = 0; i < places.n; i++) {
		const struct dbg_place *place = &places.v[i];
		struct line line = { .number = place->line, .file = place->file, .pc = place->pc };

		line.is_readable = is_readable(env, site, site->func, place->pc, name);
		sp_vec_push(&ret->v, line);
	}
	if (ret->v.n)
		qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), by_number);
}

static unsigned line_of(const struct site *site)
{
	const char *file;
	unsigned line = 0;

	if (site->pc == site->func->entry_pc || !dbg_line_of(site->module, site->pc, &file, &line))
		line = site->func->line;
	return line;
}

// Of two that are equally near the later one: values come before they go.
static struct line *nearest(const struct lines *lines, unsigned wanted)
{
	struct line *best = NULL;
	unsigned best_distance = 0;

	sp_vec_each(line, &lines->v) {
		unsigned distance = line->number > wanted ? line->number - wanted : wanted - line->number;

		if (!line->is_readable || (best && distance > best_distance))
			continue;
		best = line;
		best_distance = distance;
	}
	return best;
}

// "line 12", "lines 12 to 15, 20 and 31 to 33": runs of lines between which none lies that has code and no value.
static void print_runs(struct sp_buf *out, const struct lines *lines)
{
	struct {
		unsigned first, last;
	} runs[MAX_RUNS];
	unsigned n = 0;
	bool in_run = false, more = false;

	sp_vec_each(line, &lines->v) {
		if (line->is_readable && in_run) {
			runs[n - 1].last = line->number;
		} else if (line->is_readable) {
			if ((more = n == MAX_RUNS))
				break;
			runs[n].first = runs[n].last = line->number;
			n++;
		}
		in_run = line->is_readable;
	}
	sp_buf_puts(out, n == 1 && runs[0].first == runs[0].last ? "line" : "lines");
	for (unsigned i = 0; i < n; i++) {
		sp_buf_printf(out, "%s %u", !i ? "" : i + 1 == n && !more ? " and" : ",", runs[i].first);
		if (runs[i].last != runs[i].first)
			sp_buf_printf(out, " to %u", runs[i].last);
	}
	if (more)
		sp_buf_puts(out, " and more");
}

// process("/bin/ls") of process("/bin/ls").function("main@ls.c:12").return.
static int prefix_length(const struct site *site)
{
	static const char *const components[] = { ".function(", ".statement(" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(components); i++) {
		const char *found = strstr(site->point, components[i]);
		if (found)
			return (int)(found - site->point);
	}
	return 0;
}

// A program's files have long names: the last part is enough to name a line of a function.
static const char *short_name(const char *file)
{
	const char *slash = *file == '/' ? strrchr(file, '/') : NULL;

	return slash ? slash + 1 : file;
}

// Does a probe at the line read it in each place where that is set, in all instances of the function?
static bool is_readable_everywhere(const struct point_env *env, const struct site *site, const char *name, const struct line *line)
{
	const struct dbg_line_range lines = { line->number, line->number };
	const struct dbg_line_query query = { .func = site->func->name, .file = short_name(line->file), .lines = &lines, .n_lines = 1 };
	struct dbg_places places = { 0 };
	struct sp_err *err = dbg_find_lines(site->module, &query, &places);
	bool ret = !err;

	sp_err_free(err);
	for (unsigned i = 0; i < places.n && ret; i++)
		ret = is_readable(env, site, places.v[i].func, places.v[i].pc, name);
	return ret;
}

static void print_hint(struct point_env *env, const struct site *site, struct diag *d, const char *name,
		       struct lines *lines)
{
	int prefix = prefix_length(site);
	struct line *line = nearest(lines, line_of(site));
	uint64_t pc = line->pc;

	// The nearest for all instances; when there is none, the nearest of this one, by its address.
	while (line && !is_readable_everywhere(env, site, name, line)) {
		line->is_readable = false;
		line = nearest(lines, line_of(site));
	}
	if (line)
		diag_hint(env->dc, d, "the nearest place is %.*s.statement(\"%s@%s:%u\")", prefix, site->point,
			  site->func->name, short_name(line->file), line->number);
	else
		diag_hint(env->dc, d, "the nearest place is %.*s.statement(%#llx)", prefix, site->point,
			  (unsigned long long)pc);
}

bool absent_tell_lines(struct point_env *env, const struct site *site, struct diag *d, const char *name)
{
	struct lines lines = { 0 };
	struct sp_buf runs = { 0 };
	const struct line *line;

	if (!diag_is_kept(env->dc, d) || !site->func || !site->func->scope || !prefix_length(site))
		return false;
	find_lines(env, site, name, &lines);
	line = nearest(&lines, line_of(site));
	if (line) {
		print_runs(&runs, &lines);
		diag_note(env->dc, d, SPAN_NONE, "$%s can be read at %s of %s", name, sp_buf_str(&runs), short_name(line->file));
		print_hint(env, site, d, name, &lines);
	}
	sp_buf_deinit(&runs);
	sp_vec_deinit(&lines.v);
	return line;
}

// "at the start of f", "at the return of f", "at line 12 of f".
static void print_place(struct sp_buf *out, const struct site *site)
{
	const char *function = site->func ? site->func->name : site->point;

	if (site->is_return)
		sp_buf_printf(out, "the return of %s", function);
	else if (!site->func || site->pc == site->func->entry_pc || site->pc == site->func->body_pc)
		sp_buf_printf(out, "the start of %s", function);
	else
		sp_buf_printf(out, "line %u of %s", line_of(site), function);
}

void absent_report(struct point_env *env, const struct site *site, struct span span, const struct dbg_var *var)
{
	struct sp_buf place = { 0 };
	struct diag *d;

	if (env->dc->n_trials) { // nobody sees it, and its line takes time to find
		diag(env->dc, span, DIAG_VAR_ABSENT, "$%s", var->name);
		return;
	}
	print_place(&place, site);
	d = diag(env->dc, span, DIAG_VAR_ABSENT, "$%s has no value at %s: %s", var->name, sp_buf_str(&place),
		 why(env, site, var));
	sp_buf_deinit(&place);
	if (var->line && site->func && site->func->file)
		diag_note(env->dc, d, SPAN_NONE, "it is declared in %s, line %u", site->func->file, var->line);
	absent_tell_lines(env, site, d, var->name);
}
