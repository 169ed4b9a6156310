// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.function("f"), module("m").function("f"), .statement(...): functions of the kernel and of its modules.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"
#include "compiler/probe/pt_place.h"

static bool kernel_matches(const struct ast_point *point)
{
	return (sp_streq(point->parts[0].name, "kernel") || sp_streq(point->parts[0].name, "module")) &&
	       point->n_parts > 1 &&
	       (sp_streq(point->parts[1].name, "function") || sp_streq(point->parts[1].name, "statement"));
}

// What a point asks for that DWARF alone has; NULL: symbols and BTF are enough.
static const char *dwarf_only(const struct ast_point *point)
{
	const struct ast_expr *name = point->parts[1].arg;

	if (point_part(point, "label"))
		return "labels";
	if (point_part(point, "callee") || point_part(point, "callees"))
		return "calls";
	if (point_part(point, "inline"))
		return "inlined instances";
	if (point_part(point, "exported"))
		return "which functions are exported";
	if (name->kind == AST_STRING && strpbrk(name->string.text, "@;"))
		return "source files and lines";
	return NULL;
}

static bool resolve_in(struct search *s)
{
	const char *why = s->module->source != DBG_DWARF ? s->module->why_no_dwarf : NULL;
	const char *missing = why ? dwarf_only(s->point) : NULL;

	if (missing) {
		*s->why_ret = sp_arena_printf(s->env->arena, "DWARF alone tells %s: %s", missing, why);
		return true;
	}
	return place_matches(s->point) ? place_resolve(s) : func_resolve(s);
}

// Modules may have functions of the same name: the kernel finds "MODULE:FUNCTION".
static void qualify_symbols(struct point_env *env, struct sites *sites, size_t first, const char *module)
{
	for (size_t i = first; i < sites->list.n; i++) {
		struct site *site = sites->list.v[i];

		if (*site->symbol)
			site->symbol = sp_arena_printf(env->arena, "%s:%s", module, site->symbol);
	}
}

static bool resolve_modules(struct search *s)
{
	const struct ast_expr *name = s->point->parts[1].arg;
	const char *function = name->kind == AST_STRING ? name->string.text : NULL;
	struct dbg_modules found;
	unsigned n;

	if (!point_kernel_modules(s->env, &s->point->parts[0], NULL, function, &found))
		return false;
	for (unsigned i = 0; i < found.n; i++) {
		size_t n_before = s->sites->list.n;

		s->module = found.v[i];
		s->prefix = sp_arena_printf(s->env->arena, "module(\"%s\")", s->module->name);
		if (!resolve_in(s))
			return false;
		qualify_symbols(s->env, s->sites, n_before, s->module->name);
	}
	n = found.n + found.n_without;
	if (n != 1 && search_is_empty(s))
		*s->why_ret = n ? sp_arena_printf(s->env->arena, "looked in %u modules", n) : "the kernel has no such module";
	return true;
}

static bool resolve_kernel(struct search *s)
{
	struct sp_err *err = dbg_kernel(s->env->dbg, &s->module);

	if (err) {
		point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	s->prefix = "kernel";
	return resolve_in(s);
}

static bool kernel_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	struct search search;

	search_init(&search, env, &pt_kernel, point, sites, why_ret);
	return search_end(&search, point->parts[0].arg ? resolve_modules(&search) : resolve_kernel(&search));
}

// May the point be at many functions, by a pattern of their names or of their files? Each trampoline is a program of its own, and is
// attached alone.
static bool has_many_functions(const struct ast_point *point)
{
	const struct ast_point_part *statement = point_part(point, "statement");
	const char *text = statement && statement->arg && statement->arg->kind == AST_STRING ? statement->arg->string.text : "";
	const char *lines = strrchr(text, ':');

	return point_is_pattern(point) || strcspn(text, "*?[") < (lines ? (size_t)(lines - text) : strlen(text));
}

// A trampoline costs an event less than a kprobe, but each is attached and detached alone: 68 took 11 seconds in an emulated guest with
// Linux 6.12, and 0.5 in a link that they share (attach_multi.c). A handler at a return keeps its own: the room that a link has for
// calls that have not returned grows with its functions and processors alone.
#define MANY_ENTRIES 16

static bool shares_link(const struct point_env *env, const struct site *site, const struct point_use *use)
{
	return !site->is_return && use->n_entries >= MANY_ENTRIES && target_has(env->target, SP_FEATURE_KPROBE_MULTI);
}

// Why a trampoline (fentry, fexit) cannot serve this site; NULL: it can.
static const char *why_no_trampoline(struct point_env *env, const struct site *site,
				     const struct point_use *use)
{
	const struct dbg_func *func = site->func;
	unsigned n_params;

	if (!target_has(env->target, SP_FEATURE_FENTRY) || !target_has(env->target, SP_FEATURE_BTF))
		return "the target has no fentry";
	if (site->origin->parts[0].arg)
		return "a function of a kernel module";
	if (site->callers)
		return "the caller is looked at";
	if (func->is_inline)
		return sp_arena_printf(env->arena, "an instance inlined into %s",
				       func->caller ? func->caller : "its caller");
	if (!use->sets_result && has_many_functions(site->origin) && target_has(env->target, SP_FEATURE_KPROBE))
		return "a pattern's matches are attached in one call";
	if (!use->sets_result && shares_link(env, site, use))
		return sp_arena_printf(env->arena, "%u functions are attached in one call", use->n_entries);
	if (!site_is_at_symbol(site) || !func->symbol)
		return "not at a symbol";
	if (!dbg_symbol_is_unique(func))
		return sp_arena_printf(env->arena, "several functions are called %s", func->symbol);
	if (!dbg_btf_has_func(site->module, func->symbol, &n_params))
		return sp_arena_printf(env->arena, "BTF does not describe %s", func->symbol);
	if (use->reads_registers)
		return "registers are read";
	if (use->is_crowded)
		return "the kernel takes no more trampolines at a function";
	for (unsigned i = 0; i < use->n_names; i++) {
		struct dbg_var var;
		bool found = false;

		if (sp_streq(use->names[i], "$return")) {
			const struct c_type *type = NULL;
			const struct loc *loc = NULL;

			sp_err_free(dbg_return_at(site->func, &type, &loc));
			if (!c_type_is_scalar(type))
				return "$return is not a number";
			continue;
		}
		// What a return handler needs of the parameters, it gets from the entry.
		if (site->is_return)
			continue;
		sp_err_free(dbg_var_named(site->func, site->pc, use->names[i] + 1, &var, &found));
		if (!found) // a global variable, which any hook reads, or none at all
			continue;
		if (var.is_param && var.in_entry_args && c_type_strip(var.type) &&
		    c_type_strip(var.type)->size <= 8)
			continue;
		return sp_arena_printf(env->arena,
				       var.is_param ? "%s is not passed in a register"
							     : "%s is a local",
				       use->names[i]);
	}
	return NULL;
}

// ---- functions that are given a result instead of being run --------------------------------------------------------------

// The kernel lets BPF programs answer for its security functions, wherever else they may not (kernel/bpf/verifier.c), but only by
// a trampoline. Elsewhere bpf_override_return() is the better one: to a trampoline, 0 means that the function is to run.
static bool is_security(const struct site *site)
{
	return site->func->symbol && sp_starts_with(site->func->symbol, "security_");
}

static bool can_override(const struct point_env *env, const struct site *site)
{
	return target_has(env->target, SP_FEATURE_OVERRIDE) && !is_security(site);
}

// NULL: the kernel that loads the script may yet refuse it.
static const char *why_not_on_list(const struct site *site)
{
	if (is_security(site))
		return NULL;
	switch (dbg_is_replaceable(site->func)) {
	case DBG_REPLACEABLE_NOT:
		return "it is not on the kernel's list of functions that may fail (/sys/kernel/debug/error_injection/list)";
	case DBG_REPLACEABLE_NONE:
		return "the kernel was built without CONFIG_FUNCTION_ERROR_INJECTION, which leaves its security_* functions alone";
	case DBG_REPLACEABLE_UNKNOWN:
	case DBG_REPLACEABLE:
		break;
	}
	return NULL;
}

static const char *why_not_replaced(struct point_env *env, const struct site *site, const struct point_use *use)
{
	const char *why_not = NULL;

	if (!site_is_at_symbol(site) || site->func->is_inline)
		return "this is not its entry";
	for (unsigned i = 0; i < use->n_names; i++)
		if (sp_streq(use->names[i], "$return"))
			return "what it returned is not known yet, and so $return cannot be read";
	if (!can_override(env, site))
		why_not = why_no_trampoline(env, site, use);
	return why_not ? why_not : why_not_on_list(site);
}

static void choose_replacing_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	bool overrides = can_override(env, site);

	site->why_not_replaced = why_not_replaced(env, site, use);
	site->replaces = !site->why_not_replaced;
	if (!site->replaces)
		return;
	site->kind = overrides ? SP_SITE_KPROBE : SP_SITE_FENTRY;
	site->prog_kind = overrides ? SP_PROG_REGS : SP_PROG_REPLACE;
	site->why = overrides ? "kprobe: it runs unless the handler gives a result (bpf_override_return)" :
				"fentry: it runs unless the handler gives a result (fmod_ret)";
}

static bool find_given_result(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret)
{
	const struct loc *loc = NULL;

	if (!site->replaces) {
		diag(env->dc, target->op_span, DIAG_WRITE_PLACE, "%s cannot be made to return something: %s", site->function,
		     site->why_not_replaced);
		return false;
	}
	sp_err_free(dbg_return_at(site->func, &ret->base_type, &loc));
	if (!c_type_strip(ret->base_type)) {
		diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "%s returns nothing", site->function);
		return false;
	}
	ret->space = site->space;
	ret->module = site->module;
	ret->base = SITE_BASE_CONST;
	ret->is_result = true;
	return true;
}

// ---- the family ----------------------------------------------------------------------------------------------------------

static void kernel_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	const char *why_not;

	if (use->sets_result) {
		choose_replacing_hook(env, site, use);
		return;
	}
	why_not = why_no_trampoline(env, site, use);
	if (why_not) {
		site->kind = site->is_return ? SP_SITE_KRETPROBE : SP_SITE_KPROBE;
		site->prog_kind = SP_PROG_REGS;
		site->why = sp_arena_printf(env->arena, "%s: %s",
					    site->is_return ? "kretprobe" : "kprobe", why_not);
		return;
	}
	site->kind = site->is_return ? SP_SITE_FEXIT : SP_SITE_FENTRY;
	site->prog_kind = site->is_return ? SP_PROG_FEXIT : SP_PROG_FENTRY;
	site->why = sp_arena_printf(
		env->arena, "%s: BTF knows %s%s", site->is_return ? "fexit" : "fentry",
		site->symbol, use->n_names && !site->is_return ? " and only parameters are used" :
			      site->max_active ? ", and so many calls as there are" : "");
}

static bool kernel_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			    bool *needs_entry_ret)
{
	bool is_given = (site->replaces || site->why_not_replaced) && sp_streq(target->target.name, "$return");

	return is_given ? find_given_result(env, site, target, ret) : func_find_var(env, site, target, ret, needs_entry_ret);
}

const struct point_family pt_kernel = {
	.name = "kernel.function",
	.needs_kernel = true,
	.patterns = FUNC_PATTERNS("kernel") FUNC_PATTERNS("module(string)"),
	.matches = kernel_matches,
	.resolve = kernel_resolve,
	.choose_hook = kernel_choose_hook,
	.find_var = kernel_find_var,
	.entry_site = func_entry_site,
	.list_names = func_list_names,
	.list_vars = func_list_vars,
};
