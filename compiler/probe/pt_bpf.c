// SPDX-License-Identifier: GPL-2.0-or-later
// bpf.program("name"), bpf.program(ID): where a BPF program that somebody has loaded is entered, and with .return, left. Its function is
// described by types of its own; the structures behind its parameters are the kernel's.
#include "compiler/model/similar.h"
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"

#include "runtime/base/cleanup.h"

static bool bpf_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "bpf");
}

static bool is_meant(const struct ast_expr *arg, const struct dbg_bpf_program *program)
{
	if (arg->kind == AST_NUMBER)
		return program->id == (uint64_t)arg->number;
	return sp_glob_match(arg->string.text, program->name) || sp_glob_match(arg->string.text, program->short_name);
}

static const struct dbg_bpf_program *program_of(struct point_env *env, const struct site *site)
{
	struct dbg_bpf_programs all = { 0 };

	sp_err_free(dbg_bpf_programs(env->dbg, &all));
	for (unsigned i = 0; i < all.n; i++)
		if (all.v[i].func == site->func)
			return &all.v[i];
	return NULL;
}

static void add_site(struct point_env *env, const struct ast_point *point, struct dbg_module *kernel,
		     const struct dbg_bpf_program *program, struct sites *sites)
{
	struct site *site = point_add_site(env, &pt_bpf, point, sites);

	site->is_return = point_part(point, "return");
	site->point = sp_arena_printf(env->arena, "bpf.program(\"%s\")%s", program->name, site->is_return ? ".return" : "");
	site->function = program->name;
	site->symbol = program->name;
	site->func = program->func;
	site->module = kernel;
	site->space = SPACE_KERNEL;
	site->kind = site->is_return ? SP_SITE_BPF_RETURN : SP_SITE_BPF;
	site->prog_kind = site->is_return ? SP_PROG_FEXIT : SP_PROG_FENTRY;
}

// How many programs of the same name and code come before this one.
static uint32_t number_among_equals(const struct dbg_bpf_programs *all, const struct dbg_bpf_program *program)
{
	uint32_t n = 0;

	for (const struct dbg_bpf_program *other = all->v; other < program; other++)
		n += other->tag == program->tag && !other->why_not && sp_streq(other->name, program->name);
	return n;
}

static const char *explain_no_match(struct point_env *env, const struct ast_expr *arg, const struct dbg_bpf_programs *all)
{
	struct similar similar;
	const char *near, *why = NULL;
	unsigned n_untraced = 0;

	similar_init(&similar, arg->kind == AST_STRING ? arg->string.text : "");
	for (unsigned i = 0; i < all->n; i++) {
		bool is_untraced = all->v[i].why_not && is_meant(arg, &all->v[i]);

		if (is_untraced && !n_untraced++)
			why = sp_arena_printf(env->arena, "program %u, `%s`, cannot be probed: %s", all->v[i].id, all->v[i].short_name, all->v[i].why_not);
		similar_try(&similar, all->v[i].why_not ? NULL : all->v[i].name);
	}
	if (n_untraced > 1)
		return sp_arena_printf(env->arena, "%s; nor can %u others", why, n_untraced - 1);
	if (why)
		return why;
	why = sp_arena_printf(env->arena, "%u BPF programs are loaded now; one that is loaded later is not probed: start the script when it is there", all->n);
	near = similar_text(&similar, env->arena);
	return near ? sp_arena_printf(env->arena, "%s\ndid you mean %s?", why, near) : why;
}

static bool bpf_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const struct ast_expr *arg = point->parts[1].arg;
	struct dbg_bpf_programs all = { 0 };
	struct dbg_module *kernel = NULL;
	size_t before = sites->list.n;
	struct sp_err *err;

	if (env->is_elsewhere) {
		*why_ret = "the script is compiled for another machine, and which BPF programs that has loaded, it alone knows";
		return true;
	}
	err = dbg_kernel(env->dbg, &kernel);
	if (!err)
		err = dbg_bpf_programs(env->dbg, &all);
	if (err) {
		point_report(env, point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	for (unsigned i = 0; i < all.n; i++) {
		struct site *site;

		if (all.v[i].why_not || !is_meant(arg, &all.v[i]))
			continue;
		add_site(env, point, kernel, &all.v[i], sites);
		site = sites->list.v[sites->list.n - 1];
		site->args.bpf.tag = all.v[i].tag;
		site->args.bpf.id = arg->kind == AST_NUMBER ? all.v[i].id : 0;
		site->args.bpf.nth = site->args.bpf.id ? 0 : number_among_equals(&all, &all.v[i]);
	}
	if (sites->list.n == before && !point->optional && !point->sufficient)
		*why_ret = explain_no_match(env, arg, &all);
	return true;
}

// Handlers that use nothing of the program are right for any code of that name.
static void bpf_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	const struct dbg_bpf_program *program = program_of(env, site);

	site->why = sp_arena_printf(env->arena, "%s: BPF program %u, %s", site->is_return ? "fexit" : "fentry", program->id, program->type_name);
	if (!use->n_names && !site->args.bpf.nth)
		site->args.bpf.tag = 0;
}

static void list_names(struct site *site, bool with_return, struct sp_buf *out)
{
	struct dbg_vars vars = { 0 };

	sp_err_free(dbg_vars_at(site->func, 0, &vars));
	for (unsigned i = 0; i < vars.n; i++)
		sp_buf_printf(out, " $%s", vars.v[i].name ? vars.v[i].name : "ctx");
	if (with_return)
		sp_buf_puts(out, " $return");
}

static bool find_return(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret)
{
	const struct c_type *type = NULL;
	const struct loc *loc = NULL;
	struct dbg_vars vars = { 0 };

	if (!site->is_return) {
		diag_hint(env->dc, diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "$return is only known in a .return probe"),
			  "add .return to the probe point");
		return false;
	}
	sp_err_free(dbg_vars_at(site->func, 0, &vars));
	sp_err_free(dbg_return_at(site->func, &type, &loc));
	if (!c_type_is_scalar(type)) {
		diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "%s returns no number", site->point);
		return false;
	}
	// Where the types of a program do not fit what it is, the kernel takes any function to have five arguments: it tells how many.
	if (target_has(env->target, SP_FEATURE_BPF_LOOP))
		ret->base = SITE_BASE_RESULT;
	else
		ret->ctx_off = vars.n * 8;
	ret->base_type = type;
	return true;
}

// `$ctx` is the first parameter, whatever its name.
static bool find_parameter(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret)
{
	const char *name = target->target.name + 1;
	const struct dbg_var *found = NULL;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct dbg_vars vars = { 0 };
	struct diag *d;

	sp_err_free(dbg_vars_at(site->func, 0, &vars));
	for (unsigned i = 0; i < vars.n && !found; i++)
		if (vars.v[i].name && sp_streq(vars.v[i].name, name))
			found = &vars.v[i];
	if (!found && vars.n && sp_streq(name, "ctx"))
		found = &vars.v[0];
	if (found && c_type_is_scalar(found->type)) {
		ret->ctx_off = (uint32_t)found->param_index * 8;
		ret->base_type = dbg_bpf_context(site->module, program_of(env, site), found->type);
		return true;
	}
	d = diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "there is no $%s in %s", name, site->point);
	list_names(site, site->is_return, &text);
	diag_note(env->dc, d, SPAN_NONE, "visible here:%s", sp_buf_str(&text));
	return false;
}

static bool bpf_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			 bool *needs_entry_ret)
{
	(void)needs_entry_ret;
	ret->space = SPACE_KERNEL;
	ret->module = site->module;
	ret->base = SITE_BASE_ARGS;
	if (!(sp_streq(target->target.name, "$return") ? find_return : find_parameter)(env, site, target, ret))
		return false;
	ret->ctx_size = (uint32_t)c_type_strip(ret->base_type)->size;
	return true;
}

static struct site *bpf_entry_site(struct point_env *env, const struct site *site)
{
	struct site *entry = sp_arena_memdup(env->arena, site, sizeof(*site));

	entry->is_return = false;
	entry->kind = SP_SITE_BPF;
	entry->prog_kind = SP_PROG_FENTRY;
	return entry;
}

static void bpf_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	const struct c_type *type = NULL;
	const struct loc *loc = NULL;
	struct dbg_vars vars = { 0 };

	sp_err_free(dbg_return_at(site->func, &type, &loc));
	if (site->is_return && c_type_is_scalar(type)) {
		sp_buf_puts(out, " $return:");
		c_type_print(out, type);
	}
	sp_err_free(dbg_vars_at(site->func, 0, &vars));
	for (unsigned i = 0; i < vars.n; i++) {
		sp_buf_printf(out, " $%s:", vars.v[i].name ? vars.v[i].name : "ctx");
		c_type_print(out, dbg_bpf_context(site->module, program_of(env, site), vars.v[i].type));
	}
}

const struct point_family pt_bpf = {
	.name = "bpf.program",
	.needs_kernel = true,
	.patterns = "bpf.program(string)\nbpf.program(string).return\nbpf.program(number)\nbpf.program(number).return",
	.matches = bpf_matches,
	.resolve = bpf_resolve,
	.choose_hook = bpf_choose_hook,
	.find_var = bpf_find_var,
	.entry_site = bpf_entry_site,
	.list_names = func_list_names,
	.list_vars = bpf_list_vars,
};
