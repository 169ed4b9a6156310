// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/show.h"

#include "compiler/driver/show_filter.h"
#include "compiler/driver/show_lines.h"
#include "compiler/driver/show_type.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

// ---- functions ------------------------------------------------------------------------------------------------------

static struct sp_err *show_funcs(struct shower *s)
{
	const char *filter = s->what->target, *wrong = show_filter_check(filter), *last = NULL;
	bool is_plain = !strpbrk(filter, " \t|&!()");
	struct dbg_funcs funcs;

	if (wrong)
		return sp_err_new(SP_ERR_USAGE, "--funcs %s: %s", filter, wrong);
	SP_TRY(show_find_funcs(s, is_plain ? filter : "*", &funcs));
	for (unsigned i = 0; i < funcs.n; i++) {
		const struct dbg_func *func = funcs.v[i];

		if (!is_plain && !show_filter_match(filter, dbg_func_name(func)))
			continue;
		if (s->what->json) {
			show_json_func(s, func);
			show_json_end(s);
		} else if (!last || strcmp(last, dbg_func_name(func))) {
			sp_buf_printf(&s->out, "%s\n", dbg_func_name(func));
		}
		last = dbg_func_name(func);
	}
	return last ? NULL : show_none_found(s, filter);
}

// ---- variables ------------------------------------------------------------------------------------------------------

// Prints where a variable is: "%rdi", "16(%rsp)"; a more complex location as in dumps.
static void print_place(struct shower *s, const struct loc *loc, struct sp_buf *out)
{
	const struct loc_piece *piece = loc->n_pieces == 1 ? &loc->pieces[0] : NULL;
	const struct loc_op *ops = piece ? piece->ops : NULL;
	const struct abi_reg *reg = piece && piece->n_ops && ops[0].kind == LOC_REG && s->module->abi ?
					    abi_reg_dwarf(s->module->abi, ops[0].a) : NULL;

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
	struct show_numbers lines = { 0 };

	SP_TRY(dbg_find_lines(s->module, &query, &places));
	for (unsigned i = 0; i < places.n; i++) {
		struct dbg_var var;
		struct sp_err *err;
		bool found;

		if (!sp_streq(places.v[i].func->name, func->name) || places.v[i].func->line != func->line)
			continue;
		err = dbg_var_named(places.v[i].func, places.v[i].pc, name, &var, &found);
		if (!err && found && var.loc)
			sp_vec_push(&lines.v, places.v[i].line);
		sp_err_free(err);
	}
	show_numbers_sort(&lines);
	show_numbers_print(&lines, out);
	sp_vec_deinit(&lines.v);
	return NULL;
}

// `func` NULL: the variable is outside of functions.
static struct sp_err *print_var(struct shower *s, const struct dbg_func *func, const struct dbg_var *var)
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
	sp_json_begin(&s->out, NULL, '{');
	sp_json_text(&s->out, "name", var->name);
	sp_json_text(&s->out, "type", sp_buf_str(&type));
	sp_json_text(&s->out, var->loc ? "place" : "unreadable", sp_buf_str(&place));
	sp_json_bool(&s->out, "parameter", var->is_param);
	if (has_ranges) {
		sp_json_begin(&s->out, "lines", '[');
		sp_buf_puts(&s->out, sp_buf_str(&ranges));
		sp_json_end(&s->out, ']');
	}
	sp_json_end(&s->out, '}');
	return NULL;
}

static struct sp_err *print_vars(struct shower *s, const struct dbg_func *func, const struct dbg_vars *vars)
{
	for (unsigned i = 0; i < vars->n; i++)
		if (vars->v[i].name)
			SP_TRY(print_var(s, func, &vars->v[i]));
	return NULL;
}

static struct sp_err *show_vars(struct shower *s)
{
	struct dbg_funcs funcs;

	SP_TRY(show_find_funcs(s, s->what->target, &funcs));
	for (unsigned i = 0; i < funcs.n; i++) {
		struct dbg_func *func = funcs.v[i];
		struct dbg_vars vars;

		SP_TRY(dbg_vars_at(func, func->body_pc, &vars));
		if (s->what->json) {
			show_json_func(s, func);
			sp_json_begin(&s->out, "variables", '[');
		} else {
			show_func(s, func);
			sp_buf_putc(&s->out, '\n');
		}
		SP_TRY(print_vars(s, func, &vars));
		if (s->what->externs) {
			dbg_vars_of_unit(func, &vars);
			SP_TRY(print_vars(s, NULL, &vars));
		}
		if (s->what->json) {
			sp_json_end(&s->out, ']');
			show_json_end(s);
		}
	}
	return funcs.n ? NULL : show_none_found(s, s->what->target);
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
	struct sp_err *err = session_describe(spile);

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
