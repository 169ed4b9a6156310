// SPDX-License-Identifier: GPL-2.0-or-later
// process("path").plt("f"): calls from one file of functions that are in another one.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_exit.h"
#include "compiler/probe/pt_func.h"
#include "compiler/probe/pt_process.h"

static bool plt_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "process") && point_part(point, "plt");
}

// The unwinder itself: it looks at its own return address.
static bool unwinds(const char *name)
{
	return sp_starts_with(name, "__cxa_throw") || sp_streq(name, "__cxa_rethrow") || sp_starts_with(name, "_Unwind_R") ||
	       sp_streq(name, "_Unwind_ForcedUnwind");
}

// Where a stub returns to is told by the return address alone, which the kernel replaces.
static bool is_forbidden(struct search *s, const struct dbg_func *stub, unsigned *n_unwound)
{
	if (!point_part(s->point, "return") || dbg_func_stack_use(stub) != DBG_STACK_UNWOUND)
		return exit_is_forbidden(s, stub);
	if (s->env->user_engine_only || s->env->is_listed)
		return false;
	if (!unwinds(stub->name)) {
		++*n_unwound;
		return false;
	}
	// It never runs to its end.
	search_forbid(s, stub, "it unwinds the stack, from its own return address on")->never_runs = true;
	return true;
}

static bool resolve_stubs(struct search *s)
{
	unsigned n_unwound = 0;
	const struct ast_point_part *part = point_part(s->point, "plt");
	struct dbg_stubs stubs;

	dbg_find_stubs(s->module, part->arg ? part->arg->string.text : "*", &stubs);
	for (unsigned i = 0; i < stubs.n; i++) {
		struct dbg_func *func = sp_arena_new(s->env->arena, struct dbg_func);
		struct sp_buf text = { 0 };
		struct site *site;

		*func = (struct dbg_func){ .module = s->module, .name = stubs.v[i].name, .linkage_name = stubs.v[i].name,
					   .entry_pc = stubs.v[i].pc, .low_pc = stubs.v[i].pc, .high_pc = stubs.v[i].pc,
					   .body_pc = stubs.v[i].pc };
		site = is_forbidden(s, func, &n_unwound) ? NULL : func_add_site(s, func, func->entry_pc);
		if (!site)
			continue;
		sp_buf_printf(&text, "%s.plt(\"%s\")", s->prefix, func->name);
		point_print_rest(&text, s->point, 2);
		site->point = point_take(s->env, &text);
	}
	if (!stubs.n)
		*s->why_ret = sp_arena_printf(s->env->arena, "%s calls no such function of another file by its procedure linkage table",
					      s->module->path);
	if (n_unwound)
		diag_hint(s->env->dc, diag(s->env->dc, s->point->span, DIAG_RETURN_UNWOUND,
					   "an exception from a function that is called so ends the program while its return is probed"),
			  "--engine=user does not disturb exceptions; of functions of a file, returns are probed so that they pass");
	return true;
}

static bool plt_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	return process_each(env, &pt_plt, point, resolve_stubs, sites, why_ret);
}

static bool plt_find_text(const struct site *site, const char *name, const char **ret)
{
	if (!sp_streq(name, "$$name"))
		return false;
	*ret = site->function;
	return true;
}

static void plt_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)use;
	site->why = env->user_engine_only ? "breakpoint: the user engine" :
		    site->is_return	  ? "uretprobe: a call of another file's function" :
					    "uprobe: a call of another file's function";
}

#define PLT_PATTERNS(at)                                            \
	at ".plt\n" at ".plt.return\n" at ".plt(string)\n"           \
	at ".plt(string).return\n" at ".plt(string).return.maxactive(number)\n"

const struct point_family pt_plt = {
	.name = "process.plt",
	.needs_kernel = true,
	.patterns = PROCESS_PATTERNS(PLT_PATTERNS),
	.matches = plt_matches,
	.resolve = plt_resolve,
	.choose_hook = plt_choose_hook,
	.find_text = plt_find_text,
	.find_var = func_find_var,
	.entry_site = func_entry_site,
	.list_names = func_list_names,
	.list_vars = func_list_vars,
};
