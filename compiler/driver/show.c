// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/show.h"

#include "compiler/driver/show_filter.h"
#include "compiler/driver/show_type.h"
#include "runtime/base/cleanup.h"

struct shower {
	struct spile *spile;
	const struct spile_show *what;
	struct dbg_module *module;
	struct sp_buf out;
};

// ---- functions ------------------------------------------------------------------------------------------------------

static const char *name_of(const struct dbg_func *func)
{
	return func->full_name ? func->full_name : func->name;
}

static int by_name(const void *a, const void *b)
{
	const struct dbg_func *x = *(struct dbg_func *const *)a, *y = *(struct dbg_func *const *)b;
	int order = strcmp(name_of(x), name_of(y));

	order = order ? order : strcmp(x->file ? x->file : "", y->file ? y->file : "");
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool same_func(const struct dbg_func *x, const struct dbg_func *y)
{
	return by_name(&x, &y) == 0;
}

static void print_json_func(struct shower *s, const struct dbg_func *func)
{
	sp_buf_puts(&s->out, "{\"name\":");
	sp_buf_json(&s->out, name_of(func));
	if (func->file) {
		sp_buf_puts(&s->out, ",\"file\":");
		sp_buf_json(&s->out, func->file);
		sp_buf_printf(&s->out, ",\"line\":%u", func->line);
	}
}

static void print_func(struct shower *s, const struct dbg_func *func)
{
	sp_buf_puts(&s->out, name_of(func));
	if (func->file)
		sp_buf_printf(&s->out, "@%s:%u", func->file, func->line);
}

// The functions of a name or pattern, "f@file.c", each once.
static struct sp_err *find_funcs(struct shower *s, const char *target, struct dbg_funcs *ret)
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

static struct sp_err *none_found(struct shower *s, const char *target)
{
	const char *similar[3];
	unsigned n = dbg_similar_funcs(s->module, target, similar, SP_ARRAY_SIZE(similar));

	return sp_err_new(SP_ERR_SCRIPT, "%s%s has no function `%s`%s%s%s", s->module->is_kernel ? "the " : "", s->module->name,
			  target, n ? "; did you mean `" : "", n ? similar[0] : "", n ? "`?" : "");
}

static struct sp_err *show_funcs(struct shower *s)
{
	const char *filter = s->what->target, *wrong = filter_check(filter), *last = NULL;
	bool is_plain = !strpbrk(filter, " \t|&!()");
	struct dbg_funcs funcs;

	if (wrong)
		return sp_err_new(SP_ERR_USAGE, "--funcs %s: %s", filter, wrong);
	SP_TRY(find_funcs(s, is_plain ? filter : "*", &funcs));
	for (unsigned i = 0; i < funcs.n; i++) {
		const struct dbg_func *func = funcs.v[i];

		if (!is_plain && !filter_match(filter, name_of(func)))
			continue;
		if (s->what->json) {
			print_json_func(s, func);
			sp_buf_puts(&s->out, "}\n");
		} else if (!last || strcmp(last, name_of(func))) {
			sp_buf_printf(&s->out, "%s\n", name_of(func));
		}
		last = name_of(func);
	}
	return last ? NULL : none_found(s, filter);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

struct lines {
	SP_VEC(unsigned) v; // ascending, each once
};

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

// Where a probe can be set in the function itself, not in what is inlined there.
static struct sp_err *find_lines(struct shower *s, const struct dbg_func *func, struct lines *ret)
{
	struct dbg_line_query query = { .func = func->name, .file = func->file };
	struct dbg_places places;
	size_t n = 0;

	SP_TRY(dbg_find_lines(s->module, &query, &places));
	for (unsigned i = 0; i < places.n; i++)
		if (places.v[i].line >= func->line && sp_streq(places.v[i].func->name, func->name) &&
		    places.v[i].func->line == func->line)
			sp_vec_push(&ret->v, places.v[i].line);
	if (ret->v.n)
		qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), by_number);
	for (size_t i = 0; i < ret->v.n; i++)
		if (!n || ret->v.v[n - 1] != ret->v.v[i])
			ret->v.v[n++] = ret->v.v[i];
	ret->v.n = n;
	return NULL;
}

static void print_source(struct shower *s, const struct dbg_text *source, unsigned first, const struct lines *lines)
{
	unsigned last = lines->v.v[lines->v.n - 1];
	size_t k = 0;

	for (unsigned number = SP_MAX(first, 1u); number <= last && number <= source->n; number++) {
		const char *text = source->lines[number - 1];
		bool is_probed;

		while (k < lines->v.n && lines->v.v[k] < number)
			k++;
		is_probed = k < lines->v.n && lines->v.v[k] == number;
		sp_buf_printf(&s->out, *text ? "%6u%c %s\n" : "%6u%c\n", number, is_probed ? '*' : ' ', text);
	}
}

static struct sp_err *show_lines(struct shower *s)
{
	struct dbg_funcs funcs;

	SP_TRY(find_funcs(s, s->what->target, &funcs));
	for (unsigned i = 0; i < funcs.n; i++) {
		const struct dbg_func *func = funcs.v[i];
		struct lines lines = { 0 };
		const struct dbg_text *source = NULL;

		SP_TRY(find_lines(s, func, &lines));
		if (s->what->json) {
			print_json_func(s, func);
			sp_buf_puts(&s->out, ",\"lines\":[");
			for (size_t k = 0; k < lines.v.n; k++)
				sp_buf_printf(&s->out, "%s%u", k ? "," : "", lines.v.v[k]);
			sp_buf_puts(&s->out, "]}\n");
			sp_vec_deinit(&lines.v);
			continue;
		}
		print_func(s, func);
		sp_buf_putc(&s->out, '\n');
		if (lines.v.n && func->file)
			source = dbg_text(func, func->file);
		if (source && source->is_there)
			print_source(s, source, func->line, &lines);
		for (size_t k = 0; k < lines.v.n && !(source && source->is_there); k++)
			sp_buf_printf(&s->out, "%6u*\n", lines.v.v[k]);
		sp_vec_deinit(&lines.v);
	}
	return funcs.n ? NULL : none_found(s, s->what->target);
}

// ---- variables ------------------------------------------------------------------------------------------------------

// "%rdi", "16(%rsp)"; what is more complex, as dumps show it.
static void print_place(struct shower *s, const struct loc *loc, struct sp_buf *out)
{
	const struct loc_piece *piece = loc->n_pieces == 1 ? &loc->pieces[0] : NULL;
	const struct loc_op *ops = piece ? piece->ops : NULL;
	const struct abi_reg *reg = piece && piece->n_ops && ops[0].kind == LOC_REG && s->module->abi ?
					    abi_reg_dwarf(s->module->abi, (int)ops[0].a) : NULL;

	if (reg && piece->where == LOC_IS_VALUE && piece->n_ops == 1)
		sp_buf_printf(out, "%%%s", reg->name);
	else if (reg && piece->where == LOC_IN_MEMORY && piece->n_ops == 1)
		sp_buf_printf(out, "0(%%%s)", reg->name);
	else if (reg && piece->where == LOC_IN_MEMORY && piece->n_ops == 3 && ops[1].kind == LOC_CONST && ops[2].kind == LOC_ADD)
		sp_buf_printf(out, "%lld(%%%s)", (long long)ops[1].a, reg->name);
	else
		loc_print(out, loc);
}

// The lines of the function where the variable can be read: "450-455,460".
static struct sp_err *print_ranges(struct shower *s, const struct dbg_func *func, const char *name, struct sp_buf *out)
{
	struct dbg_line_query query = { .func = func->name, .file = func->file };
	struct dbg_places places;
	SP_VEC(unsigned) lines = { 0 };

	SP_TRY(dbg_find_lines(s->module, &query, &places));
	for (unsigned i = 0; i < places.n; i++) {
		struct dbg_var var;
		struct sp_err *err;
		bool found;

		if (!sp_streq(places.v[i].func->name, func->name) || places.v[i].func->line != func->line)
			continue;
		err = dbg_var_at(places.v[i].func, places.v[i].pc, name, &var, &found);
		if (!err && found && var.loc)
			sp_vec_push(&lines, places.v[i].line);
		sp_err_free(err);
	}
	if (lines.n)
		qsort(lines.v, lines.n, sizeof(*lines.v), by_number);
	for (size_t i = 0; i < lines.n; i++)
		if (!i || lines.v[i] != lines.v[i - 1])
			sp_buf_printf(out, "%s%u", i ? "," : "", lines.v[i]);
	sp_vec_deinit(&lines);
	return NULL;
}

// `func` NULL: the variable is outside of functions.
static struct sp_err *print_var(struct shower *s, const struct dbg_func *func, const struct dbg_var *var, bool is_first)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf type = { 0 }, place = { 0 }, ranges = { 0 };
	bool has_ranges = s->what->ranges && func;

	c_type_print(&type, var->type);
	if (var->loc)
		print_place(s, var->loc, &place);
	else
		sp_buf_puts(&place, var->why_not ? var->why_not : "not known");
	if (has_ranges)
		SP_TRY(print_ranges(s, func, var->name, &ranges));
	if (!s->what->json) {
		sp_buf_printf(&s->out, "  $%s:%s  %s%s%s%s", var->name, sp_buf_str(&type), var->loc ? "" : "(",
			      sp_buf_str(&place), var->loc ? "" : ")", has_ranges ? "  lines " : "");
		sp_buf_printf(&s->out, "%s\n", has_ranges && !ranges.len ? "none" : sp_buf_str(&ranges));
		return NULL;
	}
	sp_buf_puts(&s->out, is_first ? "{\"name\":" : ",{\"name\":");
	sp_buf_json(&s->out, var->name);
	sp_buf_puts(&s->out, ",\"type\":");
	sp_buf_json(&s->out, sp_buf_str(&type));
	sp_buf_puts(&s->out, var->loc ? ",\"place\":" : ",\"unreadable\":");
	sp_buf_json(&s->out, sp_buf_str(&place));
	sp_buf_printf(&s->out, ",\"parameter\":%s", var->is_param ? "true" : "false");
	if (has_ranges)
		sp_buf_printf(&s->out, ",\"lines\":[%s]", sp_buf_str(&ranges));
	sp_buf_putc(&s->out, '}');
	return NULL;
}

static struct sp_err *print_vars(struct shower *s, const struct dbg_func *func, const struct dbg_vars *vars, bool *is_first)
{
	for (unsigned i = 0; i < vars->n; i++) {
		if (!vars->v[i].name)
			continue;
		SP_TRY(print_var(s, func, &vars->v[i], *is_first));
		*is_first = false;
	}
	return NULL;
}

static struct sp_err *show_vars(struct shower *s)
{
	struct dbg_funcs funcs;

	SP_TRY(find_funcs(s, s->what->target, &funcs));
	for (unsigned i = 0; i < funcs.n; i++) {
		struct dbg_func *func = funcs.v[i];
		struct dbg_vars vars;
		bool is_first = true;

		SP_TRY(dbg_vars_at(func, func->body_pc, &vars));
		if (s->what->json) {
			print_json_func(s, func);
			sp_buf_puts(&s->out, ",\"variables\":[");
		} else {
			print_func(s, func);
			sp_buf_putc(&s->out, '\n');
		}
		SP_TRY(print_vars(s, func, &vars, &is_first));
		if (s->what->externs) {
			dbg_vars_of_unit(func, &vars);
			SP_TRY(print_vars(s, NULL, &vars, &is_first));
		}
		sp_buf_puts(&s->out, s->what->json ? "]}\n" : "");
	}
	return funcs.n ? NULL : none_found(s, s->what->target);
}

// ---- types ----------------------------------------------------------------------------------------------------------

static struct sp_err *show_type(struct shower *s)
{
	const struct c_type *type = dbg_find_type(s->module, s->what->target);

	if (!type)
		return sp_err_new(SP_ERR_SCRIPT, "%s%s has no type `%s`",
				  s->module->is_kernel ? "the " : "", s->module->name, s->what->target);
	if (s->what->json)
		show_type_json(&s->out, type);
	else
		show_type_text(&s->out, type);
	return NULL;
}

static struct sp_err *open_module(struct shower *s)
{
	struct point_env env = session_point_env(s->spile, &s->spile->arena);
	const char *in = s->what->in;

	if (!in)
		return dbg_kernel(env.dbg, &s->module);
	if (strchr(in, '/') || access(in, R_OK) == 0)
		return dbg_program(env.dbg, in, &s->module);
	if (!sp_starts_with(in, "module:"))
		return dbg_program(env.dbg, in, &s->module);
	return dbg_kernel_module(env.dbg, in + strlen("module:"), &s->module);
}

int show(struct spile *spile, const struct spile_show *what)
{
	struct shower s = { .spile = spile, .what = what };
	struct sp_err *err = session_describe(spile, false);

	err = err ? err : open_module(&s);
	if (!err && s.module->source != DBG_DWARF && s.module->why_no_dwarf &&
	    (what->what == SPILE_SHOW_LINES || what->what == SPILE_SHOW_VARS))
		sp_log(&spile->log, SP_LOG_WARN, "%s", s.module->why_no_dwarf);
	if (!err) {
		switch (what->what) {
		case SPILE_SHOW_FUNCS:
			err = show_funcs(&s);
			break;
		case SPILE_SHOW_LINES:
			err = show_lines(&s);
			break;
		case SPILE_SHOW_VARS:
			err = show_vars(&s);
			break;
		case SPILE_SHOW_TYPE:
			err = show_type(&s);
			break;
		}
	}
	session_output(spile, &s.out);
	sp_buf_deinit(&s.out);
	return err ? session_fail(spile, err) : 0;
}
