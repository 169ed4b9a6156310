// SPDX-License-Identifier: GPL-2.0-or-later
// kprobe.function("f"), kprobe.module("m").function("f"), kprobe.statement(ADDRESS).absolute: symbols of the kernel, without
// what debug information knows of them.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"

static bool kprobe_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "kprobe");
}

// The kernel knows the symbols of modules by "MODULE:SYMBOL".
static void add_symbol(struct point_env *env, const struct ast_point *point, const char *module, struct dbg_func func,
		       struct sites *sites)
{
	struct dbg_func *bare = sp_arena_memdup(env->arena, &func, sizeof(func));
	struct site *site = point_add_site(env, &pt_kprobe, point, sites);
	struct sp_buf text = { 0 };

	bare->scope = NULL;
	bare->file = NULL;
	site->func = bare;
	site->module = func.module;
	site->function = func.name;
	site->is_return = point_part(point, "return") != NULL;
	site->kind = site->is_return ? SP_SITE_KRETPROBE : SP_SITE_KPROBE;
	site->prog_kind = SP_PROG_REGS;
	site->space = SPACE_KERNEL;
	site->pc = func.entry_pc;
	site->symbol = module ? sp_arena_printf(env->arena, "%s:%s", module, func.symbol) : func.symbol;
	func_set_kernel_place(site, &func, func.entry_pc);
	sp_buf_puts(&text, "kprobe");
	if (module)
		sp_buf_printf(&text, ".module(\"%s\")", module);
	sp_buf_printf(&text, ".function(\"%s\")", func.name);
	point_print_rest(&text, point, module ? 3 : 2);
	site->point = point_take(env, &text);
}

static bool find_symbols(struct search *s, const char *module_name)
{
	struct dbg_func_query query = { .name = point_part(s->point, "function")->arg->string.text, .calls = true };
	struct dbg_funcs found = { 0 };
	struct sp_err *err = dbg_find_funcs(s->module, &query, &found);

	if (err) {
		point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	if (!found.n && !module_name)
		dbg_find_symbols(s->module, query.name, &found);
	for (unsigned i = 0; i < found.n; i++)
		if (!search_forbids(s, found.v[i]) && found.v[i]->symbol)
			add_symbol(s->env, s->point, module_name, *found.v[i], s->sites);
	if (search_is_empty(s))
		*s->why_ret = func_explain_no_match(s->env, s->module, &query);
	return true;
}

// Nothing is known of the kernel: whether it has the symbol, is seen when the probe is attached.
static void trust_name(struct point_env *env, const struct ast_point *point, const char *module, struct sites *sites)
{
	const char *name = point_part(point, "function")->arg->string.text;

	add_symbol(env, point, module, (struct dbg_func){ .name = name, .linkage_name = name, .symbol = name }, sites);
}

// As the kernel has it: kvm-intel.ko is kvm_intel.
static const char *module_name(struct point_env *env, const char *file_name)
{
	char *name = sp_arena_strdup(env->arena, file_name);

	for (char *at = name; *at; at++)
		*at = *at == '-' ? '_' : *at;
	return name;
}

static bool resolve_function(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const struct ast_point_part *part = point_part(point, "module");
	const char *name = part ? module_name(env, part->arg->string.text) : NULL;
	struct search search;
	struct sp_err *err;

	search_init(&search, env, &pt_kprobe, point, sites, why_ret);
	err = name ? dbg_kernel_module(env->dbg, name, &search.module) : dbg_kernel(env->dbg, &search.module);
	if (!err)
		return search_end(&search, find_symbols(&search, name));
	if (sp_has_glob(point_part(point, "function")->arg->string.text)) {
		point_report(env, point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	sp_err_free(err);
	trust_name(env, point, name, sites);
	return true;
}

static bool kprobe_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	struct dbg_func *func;
	struct site *site;

	if (point_part(point, "function"))
		return resolve_function(env, point, sites, why_ret);
	func = sp_arena_new(env->arena, struct dbg_func);
	func->name = func->linkage_name = "";
	site = point_add_site(env, &pt_kprobe, point, sites);
	site->func = func;
	site->kind = SP_SITE_KPROBE;
	site->prog_kind = SP_PROG_REGS;
	site->space = SPACE_KERNEL;
	site->args.kernel.address = (uint64_t)point_part(point, "statement")->arg->number;
	site->point = sp_arena_printf(env->arena, "kprobe.statement(%#llx).absolute",
				      (unsigned long long)site->args.kernel.address);
	return true;
}

static void kprobe_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)env, (void)use;
	site->why = site->is_return ? "kretprobe: a symbol of the kernel" :
		    *site->symbol   ? "kprobe: a symbol of the kernel" :
				      "kprobe: an address in the kernel";
}

static bool kprobe_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			    bool *needs_entry_ret)
{
	struct diag *d = diag(env->dc, target->op_span, DIAG_VAR_CONTEXT,
			      "%s has no meaning here: kprobe points know symbols, but no variables", target->target.name);

	(void)ret, (void)needs_entry_ret;
	diag_hint(env->dc, d, "%s%s%s has them; arguments are read by int_arg(1), pointer_arg(2) and so on",
		  *site->function ? "kernel.function(\"" : "kernel.statement", site->function, *site->function ? "\")" : "");
	return false;
}

static struct site *kprobe_entry_site(struct point_env *env, const struct site *site)
{
	struct site *entry;

	if (!site->is_return)
		return NULL;
	entry = sp_arena_memdup(env->arena, site, sizeof(*site));
	entry->is_return = false;
	entry->kind = SP_SITE_KPROBE;
	return entry;
}

#define KPROBE_PATTERNS(at) \
	at "\n" at ".call\n" at ".return\n" at ".return.maxactive(number)\n"

const struct point_family pt_kprobe = {
	.name = "kprobe.function",
	.needs_kernel = true,
	.patterns = KPROBE_PATTERNS("kprobe.function(string)") KPROBE_PATTERNS("kprobe.module(string).function(string)")
		    "kprobe.statement(number).absolute",
	.matches = kprobe_matches,
	.resolve = kprobe_resolve,
	.choose_hook = kprobe_choose_hook,
	.find_var = kprobe_find_var,
	.entry_site = kprobe_entry_site,
};
