// SPDX-License-Identifier: GPL-2.0-or-later
// process("path").mark("m"): places that a program's author has marked, with arguments (sys/sdt.h).
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"
#include "compiler/probe/pt_process.h"
#include "compiler/probe/usdt_arg.h"

#include <stdlib.h>

#define MAX_LISTED 16 // marks that a diagnostic names

// ---- sites ----------------------------------------------------------------------------------------------------------

static bool usdt_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "process") && point_part(point, "mark");
}

// A mark of that name by another provider, or the marks whose names are nearest.
static const char *near_to(struct point_env *env, const struct dbg_marks *marks, const char *wanted)
{
	struct similar similar;

	similar_init(&similar, wanted);
	for (unsigned i = 0; i < marks->n; i++) {
		if (sp_streq(marks->v[i].name, wanted))
			return sp_arena_printf(env->arena, "provider '%s'", marks->v[i].provider);
		similar_try(&similar, marks->v[i].name);
	}
	return sp_has_glob(wanted) ? NULL : similar_text(&similar, env->arena);
}

static const char *explain(struct point_env *env, const struct dbg_module *module, const struct dbg_marks *marks, const char *wanted)
{
	const char *near = near_to(env, marks, wanted);
	struct sp_buf text = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < marks->n && n < MAX_LISTED; i++)
		if (!marks->v[i].is_again)
			sp_buf_printf(&text, "%s %s:%s", n++ ? "," : "", marks->v[i].provider, marks->v[i].name);
	if (!n)
		return sp_arena_printf(env->arena, "%s has no marks", module->path);
	if (marks->n_names > n)
		sp_buf_printf(&text, " and %u more", marks->n_names - n);
	if (near)
		sp_buf_printf(&text, "\ndid you mean %s?", near);
	return sp_arena_printf(env->arena, "the marks of %s are%s", module->path, point_take(env, &text));
}

static void add_mark(struct search *s, const struct dbg_mark *mark)
{
	struct dbg_func *func = sp_arena_new(s->env->arena, struct dbg_func);
	struct dbg_place place = { 0 };
	struct sp_buf text = { 0 };
	uint64_t semaphore;
	bool found = false;
	struct site *site;

	sp_err_free(dbg_place_at(s->module, mark->pc, &place, &found));
	*func = (struct dbg_func){ .module = s->module, .name = "", .linkage_name = "", .entry_pc = mark->pc };
	site = func_add_site(s, found ? place.func : func, mark->pc);
	if (!site)
		return;
	site->mark = mark;
	if (mark->semaphore && dbg_file_offset(s->module, mark->semaphore, &semaphore))
		site->args.user.semaphore = semaphore;
	sp_buf_puts(&text, s->prefix);
	if (point_part(s->point, "provider"))
		sp_buf_printf(&text, ".provider(\"%s\")", mark->provider);
	sp_buf_printf(&text, ".mark(\"%s\")", mark->name);
	site->point = point_take(s->env, &text);
}

// As a .d file has it and DTrace writes it, "gc-start", a mark is "gc__start"; NULL: it has no dash, but in brackets.
static const char *without_dashes(struct point_env *env, const char *name)
{
	struct sp_buf text = { 0 };
	bool in_brackets = false, any = false;

	for (const char *c = name; *c; c++) {
		in_brackets = *c == '[' || (in_brackets && *c != ']');
		any |= *c == '-' && !in_brackets;
		if (*c == '-' && !in_brackets)
			sp_buf_puts(&text, "__");
		else
			sp_buf_putc(&text, *c);
	}
	name = point_take(env, &text);
	return any ? name : NULL;
}

static void warn_of_hidden(const struct search *s, const struct dbg_mark *mark)
{
	struct diag *d = diag(s->env->dc, s->point->span, DIAG_SEMAPHORE_HIDDEN,
			      "programs that start from now on do not know that mark \"%s\" of %s is probed: the kernel does not find its semaphore",
			      mark->name, s->module->path);

	diag_hint(s->env->dc, d, "--engine=user finds it, and so does the kernel when the program is linked with -z separate-loadable-segments");
}

static bool resolve_marks(struct search *s)
{
	const struct ast_point_part *provider = point_part(s->point, "provider");
	const char *name = point_part(s->point, "mark")->arg->string.text, *other = without_dashes(s->env, name);
	const bool by_kernel = point_is_for_uprobes(s->env);
	const struct dbg_marks *marks = dbg_marks(s->module);
	size_t n_before = s->sites->list.n;

	for (unsigned i = 0; i < marks->n; i++) {
		const struct dbg_mark *mark = &marks->v[i];

		if ((sp_glob_match(name, mark->name) || (other && sp_glob_match(other, mark->name))) && (!provider || sp_glob_match(provider->arg->string.text, mark->provider)))
			add_mark(s, mark);
	}
	for (size_t i = n_before; i < s->sites->list.n && by_kernel; i++)
		if (s->sites->list.v[i]->mark->is_hidden) {
			warn_of_hidden(s, s->sites->list.v[i]->mark);
			break;
		}
	if (s->sites->list.n == n_before && !s->point->optional && !s->point->sufficient && !s->env->dc->n_trials)
		*s->why_ret = explain(s->env, s->module, marks, name);
	return true;
}

static bool usdt_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	return process_each(env, &pt_usdt, point, resolve_marks, sites, why_ret);
}

static void usdt_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)use;
	site->why = env->user_engine_only ? "breakpoint: the user engine" :
		    site->args.user.semaphore ? "uprobe: a mark of a program, with a semaphore" :
						"uprobe: a mark of a program";
}

// ---- arguments -------------------------------------------------------------------------------------------------------

static bool usdt_find_text(const struct site *site, const char *name, const char **ret)
{
	if (sp_streq(name, "$$name"))
		*ret = site->mark->name;
	else if (sp_streq(name, "$$provider"))
		*ret = site->mark->provider;
	else
		return false;
	return true;
}

static bool find_symbol(void *ctx, const char *name, uint64_t *ret)
{
	return dbg_symbol_address(ctx, name, ret);
}

struct unreadable {
	const struct point_env *env;
	const struct site *site;
	const char *reg; // NULL: none so far
};

static void look_at_op(void *ctx, const struct loc_op *op)
{
	struct unreadable *unreadable = ctx;

	if (op->kind == LOC_REG && !unreadable->reg)
		unreadable->reg = point_unreadable_reg(unreadable->env, unreadable->site, op->a);
}

// An argument whose register no handler at the site can read is as one that is not understood.
static void check_registers(const struct point_env *env, const struct site *site, struct usdt_arg *arg)
{
	struct unreadable unreadable = { .env = env, .site = site };

	if (arg->loc)
		loc_each(arg->loc, look_at_op, &unreadable);
	if (!unreadable.reg)
		return;
	arg->loc = NULL;
	arg->why = sp_arena_printf(env->arena, "it is in %s", unreadable.reg);
}

static bool usdt_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			  bool *needs_entry_ret)
{
	const struct usdt_symbols symbols = { .find = find_symbol, .ctx = site->module };
	const char *name = target->target.name;
	struct usdt_arg arg;
	unsigned long number;
	struct diag *d;
	char *end;

	if (!sp_starts_with(name, "$arg") || !name[4])
		return func_find_var(env, site, target, ret, needs_entry_ret);
	number = strtoul(name + 4, &end, 10);
	if (*end || !number || number > 255 ||
	    !usdt_arg_parse(env->arena, site->module->abi, &symbols, site->mark->args, (unsigned)number - 1, &arg)) {
		d = diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "mark %s has no %s", site->mark->name, name);
		diag_note(env->dc, d, SPAN_NONE, "it has %u arguments", usdt_arg_count(site->mark->args));
		return false;
	}
	check_registers(env, site, &arg);
	if (!arg.loc) {
		diag(env->dc, target->op_span, DIAG_VAR_ABSENT, "%s of mark %s cannot be read: %s", name, site->mark->name, arg.why);
		return false;
	}
	ret->base = SITE_BASE_LOC;
	ret->loc = arg.loc;
	ret->base_type = arg.type;
	ret->space = SPACE_USER;
	ret->module = site->module;
	return true;
}

static void usdt_list_names(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret)
{
	for (unsigned i = 1; which != POINT_LOCALS && i <= usdt_arg_count(site->mark->args); i++)
		sp_vec_push(&ret->list, sp_arena_printf(env->arena, "arg%u", i));
}

// As SystemTap shows them: whatever their size, they are numbers.
static void usdt_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	(void)env;
	for (unsigned i = 1; i <= usdt_arg_count(site->mark->args); i++)
		sp_buf_printf(out, " $arg%u:long", i);
}

#define USDT_PATTERNS(at) at ".mark(string)\n" at ".provider(string).mark(string)\n"

const struct point_family pt_usdt = {
	.name = "process.mark",
	.needs_kernel = true,
	.patterns = PROCESS_PATTERNS(USDT_PATTERNS),
	.matches = usdt_matches,
	.resolve = usdt_resolve,
	.choose_hook = usdt_choose_hook,
	.find_text = usdt_find_text,
	.find_var = usdt_find_var,
	.list_names = usdt_list_names,
	.list_vars = usdt_list_vars,
};
