// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/show_lines.h"

#include "compiler/probe/point_util.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

#include <ctype.h>
#include <limits.h>

// ---- functions ------------------------------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
	const struct dbg_func *x = *(struct dbg_func *const *)a, *y = *(struct dbg_func *const *)b;
	int order = strcmp(dbg_func_name(x), dbg_func_name(y));

	order = order ? order : strcmp(x->file ? x->file : "", y->file ? y->file : "");
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool same_func(const struct dbg_func *x, const struct dbg_func *y)
{
	return by_name(&x, &y) == 0;
}

void show_json_func(struct shower *s, const struct dbg_func *func)
{
	sp_json_begin(&s->out, NULL, '{');
	sp_json_text(&s->out, "name", dbg_func_name(func));
	if (func->file) {
		sp_json_text(&s->out, "file", func->file);
		sp_json_number(&s->out, "line", func->line);
	}
}

void show_json_end(struct shower *s)
{
	sp_json_end(&s->out, '}');
	sp_buf_putc(&s->out, '\n');
}

void show_func(struct shower *s, const struct dbg_func *func)
{
	sp_buf_puts(&s->out, dbg_func_name(func));
	point_print_file(&s->out, func->file, func->line);
}

struct sp_err *show_find_funcs(struct shower *s, const char *target, struct dbg_funcs *ret)
{
	const char *at = strchr(target, '@');
	struct dbg_func_query query = { .calls = true };
	unsigned n = 0;

	query.name = at ? sp_arena_strndup(&s->spile->arena, target, (size_t)(at - target)) : target;
	query.file = at ? at + 1 : NULL;
	SP_TRY(dbg_find_funcs(s->module, &query, ret));
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	for (unsigned i = 0; i < ret->n; i++)
		if (!n || !same_func(ret->v[n - 1], ret->v[i]))
			ret->v[n++] = ret->v[i];
	ret->n = n;
	return NULL;
}

struct sp_err *show_none_found(struct shower *s, const char *target)
{
	struct similar similar;

	similar_init(&similar, target);
	dbg_similar(s->module, DBG_NAMED_FUNC, &similar);
	return sp_err_new(SP_ERR_SCRIPT, "%s%s has no function `%s`%s%s%s", s->module->is_kernel ? "the " : "", s->module->name,
			  target, similar.n ? "; did you mean `" : "", similar.n ? similar.best[0].name : "", similar.n ? "`?" : "");
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

void show_numbers_sort(struct show_numbers *numbers)
{
	size_t n = 0;

	if (numbers->v.n)
		qsort(numbers->v.v, numbers->v.n, sizeof(*numbers->v.v), by_number);
	for (size_t i = 0; i < numbers->v.n; i++)
		if (!n || numbers->v.v[n - 1] != numbers->v.v[i])
			numbers->v.v[n++] = numbers->v.v[i];
	numbers->v.n = n;
}

void show_numbers_print(const struct show_numbers *numbers, struct sp_buf *out)
{
	for (size_t i = 0; i < numbers->v.n; i++)
		sp_buf_printf(out, "%s%u", i ? "," : "", numbers->v.v[i]);
}

// What --lines asks for.
struct wanted {
	const char *name; // of functions or, with is_file, of files
	bool is_file;
	bool has_range;
	struct dbg_line_range range; // of a function: counted from its line
};

// Reads ":2-5", ":2+3" (three lines) or ":2". False: it is no range.
static bool parse_range(const char *text, struct dbg_line_range *ret)
{
	unsigned long first, last;
	char *end, sign;

	if (!isdigit((unsigned char)text[1]))
		return false;
	first = last = strtoul(text + 1, &end, 10);
	sign = *end;
	if ((sign == '-' || sign == '+') && isdigit((unsigned char)end[1])) {
		last = SP_MIN(strtoul(end + 1, &end, 10), (unsigned long)UINT_MAX);
		last += sign == '+' ? first - 1 : 0;
	}
	*ret = (struct dbg_line_range){ (unsigned)first, (unsigned)SP_MIN(last, (unsigned long)UINT_MAX) };
	return !*end && first <= UINT_MAX && first <= last;
}

// "ns::f" names a function; a name with a slash or a dot is that of a file.
static struct wanted parse_wanted(struct shower *s, const char *target)
{
	const char *colon = strrchr(target, ':');
	struct wanted wanted = { .name = target };

	if (colon && parse_range(colon, &wanted.range)) {
		wanted.has_range = true;
		wanted.name = sp_arena_strndup(&s->spile->arena, target, (size_t)(colon - target));
	}
	wanted.is_file = !strchr(wanted.name, '@') && strpbrk(wanted.name, "./");
	return wanted;
}

// The lines where a probe can be set in the function itself, without those of what is inlined there.
static struct sp_err *find_lines(struct shower *s, const struct dbg_func *func, const struct dbg_line_range *range,
				 struct show_numbers *ret)
{
	struct dbg_line_query query = { .func = func->name, .file = func->file, .lines = range, .n_lines = range != NULL };
	struct dbg_places places;

	SP_TRY(dbg_find_lines(s->module, &query, &places));
	for (unsigned i = 0; i < places.n; i++)
		if (places.v[i].line >= func->line && sp_streq(places.v[i].func->name, func->name) &&
		    places.v[i].func->line == func->line)
			sp_vec_push(&ret->v, places.v[i].line);
	show_numbers_sort(ret);
	return NULL;
}

// Prints the lines of `range` that the source has, and marks those in `lines`.
static void print_source(struct shower *s, const struct dbg_text *source, const struct dbg_line_range *range,
			 const struct show_numbers *lines)
{
	size_t k = 0;

	for (unsigned number = SP_MAX(range->first, 1u); number <= range->last && number <= source->n; number++) {
		const char *text = source->lines[number - 1];
		bool is_probed;

		while (k < lines->v.n && lines->v.v[k] < number)
			k++;
		is_probed = k < lines->v.n && lines->v.v[k] == number;
		sp_buf_printf(&s->out, *text ? "%6u%c %s\n" : "%6u%c\n", number, is_probed ? '*' : ' ', text);
	}
}

// Prints the source, or only the numbers when it is not there. `range` NULL: from `start` to the last line with a probe.
static void print_lines(struct shower *s, const struct dbg_func *func, const char *file, unsigned start,
			const struct dbg_line_range *range, const struct show_numbers *lines)
{
	struct dbg_line_range whole = { start, lines->v.n ? sp_vec_last(&lines->v) : 0 };
	const struct dbg_text *source;

	if (s->what->json) {
		sp_json_begin(&s->out, "lines", '[');
		show_numbers_print(lines, &s->out);
		sp_json_end(&s->out, ']');
		show_json_end(s);
		return;
	}
	sp_buf_putc(&s->out, '\n');
	source = file && lines->v.n ? dbg_text(func, file) : NULL;
	if (source && source->is_there) {
		print_source(s, source, range ? range : &whole, lines);
		return;
	}
	sp_vec_each(line, &lines->v)
		sp_buf_printf(&s->out, "%6u*\n", *line);
}

// Prints nothing when no line of the function is in the range.
static struct sp_err *show_lines_of_func(struct shower *s, const struct dbg_func *func, const struct wanted *wanted,
					 struct show_numbers *found)
{
	unsigned room = UINT_MAX - func->line;
	struct dbg_line_range lines = { func->line + SP_MIN(wanted->range.first, room),
				   func->line + SP_MIN(wanted->range.last, room) };
	const struct dbg_line_range *range = wanted->has_range ? &lines : NULL;

	SP_TRY(find_lines(s, func, range, found));
	if (wanted->has_range && !found->v.n)
		return NULL;
	if (s->what->json)
		show_json_func(s, func);
	else
		show_func(s, func);
	print_lines(s, func, func->file, func->line, range, found);
	return NULL;
}

static struct sp_err *none_in_range(struct shower *s, const struct wanted *wanted)
{
	return sp_err_new(SP_ERR_SCRIPT, "`%s` has no line in `%s` where a probe can be set: they count from its own line, "
			  "0; `--lines %s` shows them all", wanted->name, s->what->target, wanted->name);
}

static struct sp_err *show_lines_of_funcs(struct shower *s, const struct wanted *wanted)
{
	struct dbg_funcs funcs;
	bool any = !wanted->has_range;

	SP_TRY(show_find_funcs(s, wanted->name, &funcs));
	for (unsigned i = 0; i < funcs.n; i++) {
		struct show_numbers found = { 0 };
		struct sp_err *err = show_lines_of_func(s, funcs.v[i], wanted, &found);

		any |= found.v.n > 0;
		sp_vec_deinit(&found.v);
		SP_TRY(err);
	}
	if (!funcs.n)
		return show_none_found(s, wanted->name);
	return any ? NULL : none_in_range(s, wanted);
}

static int by_file(const void *a, const void *b)
{
	return strcmp(((const struct dbg_place *)a)->file, ((const struct dbg_place *)b)->file);
}

static struct sp_err *show_lines_of_files(struct shower *s, const struct wanted *wanted)
{
	struct dbg_line_query query = { .func = "*", .file = wanted->name, .lines = &wanted->range,
					.n_lines = wanted->has_range };
	struct dbg_places places;

	SP_TRY(dbg_find_lines(s->module, &query, &places));
	if (places.n)
		qsort(places.v, places.n, sizeof(*places.v), by_file);
	for (unsigned first = 0, next; first < places.n; first = next) {
		const struct dbg_place *place = &places.v[first];
		struct show_numbers lines = { 0 };

		for (next = first; next < places.n && sp_streq(places.v[next].file, place->file); next++)
			sp_vec_push(&lines.v, places.v[next].line);
		show_numbers_sort(&lines);
		if (s->what->json) {
			sp_json_begin(&s->out, NULL, '{');
			sp_json_text(&s->out, "file", place->file);
		} else {
			sp_buf_puts(&s->out, place->file);
		}
		print_lines(s, place->func, place->file, 1, wanted->has_range ? &wanted->range : NULL, &lines);
		sp_vec_deinit(&lines.v);
	}
	if (places.n)
		return NULL;
	return sp_err_new(SP_ERR_SCRIPT, "%s%s has no line in `%s` where a probe can be set",
			  s->module->is_kernel ? "the " : "", s->module->name, s->what->target);
}

struct sp_err *show_lines(struct shower *s)
{
	struct wanted wanted = parse_wanted(s, s->what->target);

	return wanted.is_file ? show_lines_of_files(s, &wanted) : show_lines_of_funcs(s, &wanted);
}
