// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/pt_func.h"

#include "compiler/model/similar.h"
#include "compiler/probe/func_warn.h"
#include "compiler/probe/pattern.h"
#include "compiler/probe/pt_absent.h"
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_callee.h"
#include "compiler/probe/pt_exit.h"

#include <stdlib.h>

#define MAX_LISTED 24 // variables that a diagnostic names

// ---- arguments ------------------------------------------------------------------------------------------------------

bool func_parse_query(struct point_env *env, const struct ast_point_part *part, struct dbg_func_query *ret)
{
	struct pattern pattern;

	if (!pattern_parse(env, part, &pattern))
		return false;
	*ret = (struct dbg_func_query){ .name = pattern.name, .file = pattern.file };
	if (pattern.kind == PATTERN_NO_LINE || pattern.kind == PATTERN_RELATIVE) // behind its own line: the function itself
		return true;
	if (pattern.kind == PATTERN_LINES && pattern.n_lines == 1 &&
	    pattern.lines[0].first == pattern.lines[0].last && pattern.lines[0].first) {
		ret->line = pattern.lines[0].first;
		return true;
	}
	if (pattern.kind == PATTERN_OFFSET) {
		diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "%s+%#llx is one instruction, which has no such event", pattern.name,
		     (unsigned long long)pattern.offset);
		return false;
	}
	diag_hint(env->dc, diag(env->dc, part->arg->span, DIAG_POINT_VALUE,
				"a function is named by one line of it, as in \"%s@file.c:10\"", pattern.name),
		  "statement(\"...\") sets probes at lines");
	return false;
}

// ---- sites ----------------------------------------------------------------------------------------------------------

void func_print_place(struct sp_buf *out, const struct dbg_func *func, const char *file, unsigned line)
{
	const char *name = dbg_func_name(func);

	sp_buf_quoted(out, name, strlen(name));
	point_print_file(out, file, line);
}

void func_print_name(struct sp_buf *out, const struct dbg_func *func)
{
	func_print_place(out, func, func->file, func->line);
}

static void print_point(struct sp_buf *out, const struct search *s, const struct dbg_func *func)
{
	sp_buf_puts(out, s->prefix);
	sp_buf_puts(out, ".function(\"");
	func_print_name(out, func);
	sp_buf_puts(out, "\")");
	point_print_rest(out, s->point, 2);
}

static bool is_listed(void *ctx, const struct dbg_func *func)
{
	const struct search *s = ctx;
	struct sp_buf text = { 0 };

	print_point(&text, s, func);
	bool result = s->env->is_listed(s->env->list_ctx, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return result;
}

uint64_t func_hook_pc(const struct dbg_func *func, bool is_return)
{
	if (is_return || func->is_inline || !func->body_pc)
		return func->entry_pc;
	return func->body_pc;
}

static const char *symbol_of(const struct dbg_func *func)
{
	return func->symbol ? func->symbol : func->linkage_name ? func->linkage_name : func->name;
}

static uint64_t offset_to_symbol(const struct dbg_func *func, uint64_t pc)
{
	return func->entry_pc ? func->symbol_off + (pc - func->entry_pc) : 0;
}

void func_set_kernel_place(struct site *site, const struct dbg_func *func, uint64_t pc)
{
	if (func->module && !sp_streq(func->module->name, "kernel"))
		site->section = dbg_section_at(func->module, pc, &site->section_start);
	site->args.kernel.linked = pc;
	site->args.kernel.offset = offset_to_symbol(func, pc);
}

// The kernel sets its breakpoints in mappings that nobody may write to.
static void warn_if_writable(struct search *s, const struct dbg_func *func, uint64_t pc)
{
	struct diag *d;

	if (!point_is_for_uprobes(s->env) || s->writable == func->module || !dbg_is_writable(func->module, pc))
		return;
	s->writable = func->module;
	d = diag(s->env->dc, s->point->span, DIAG_CODE_WRITABLE, "the kernel sets no probe in %s of %s: the program may write to its code there",
		 *func->name ? func->name : "this place", func->module->path);
	diag_hint(s->env->dc, d, "--engine=user probes it");
}

// What is run instead of the instruction is no part of the sequence: the kernel ends that where it finds the thread elsewhere, and the thread
// goes on in it as if it could not be preempted.
static bool is_restartable(struct search *s, const struct dbg_func *func, uint64_t pc)
{
	bool is = !func->module->is_kernel && dbg_is_restartable(func->module, pc);

	if (is)
		search_forbid(s, func, sp_arena_printf(s->env->arena, "%#llx is in a restartable sequence (rseq(2)), which a probe would break",
						       (unsigned long long)pc));
	return is;
}

struct site *func_add_site(struct search *s, struct dbg_func *func, uint64_t pc)
{
	bool is_return = point_part(s->point, "return") != NULL;
	bool in_kernel = func->module->is_kernel;
	uint64_t file_offset = 0;
	struct site *site;

	if ((!in_kernel && !dbg_file_offset(func->module, pc, &file_offset)) || is_restartable(s, func, pc))
		return NULL;
	site = point_add_site(s->env, s->family, s->point, s->sites);
	site->is_return = is_return;
	site->func = func;
	site->space = in_kernel ? SPACE_KERNEL : SPACE_USER;
	site->pc = pc;
	site->prog_kind = SP_PROG_REGS;
	site->module = func->module;
	site->function = func->name;
	site->symbol = symbol_of(func);
	if (in_kernel) {
		site->kind = is_return ? SP_SITE_KRETPROBE : SP_SITE_KPROBE;
		func_set_kernel_place(site, func, pc);
	} else {
		site->kind = is_return ? SP_SITE_URETPROBE : SP_SITE_UPROBE;
		site->args.user.offset = file_offset;
		warn_if_writable(s, func, pc);
		if (is_return)
			dbg_call_at(func, pc, DBG_CALL_ENDED, &site->call);
	}
	return site;
}

static void add_func(struct search *s, struct dbg_func *func)
{
	struct sp_buf text = { 0 };
	size_t n_before = s->sites->list.n;

	if (exit_is_forbidden(s, func))
		return;
	print_point(&text, s, func);
	exit_add_sites(s, func, point_take(s->env, &text));
	if (s->sites->list.n > n_before && func->is_resolver && !point_is_pattern(s->point))
		diag(s->env->dc, s->point->span, DIAG_IFUNC_RESOLVER, "%s is chosen when the program starts; probed is what chooses it",
		     func->name);
}

// function(ADDRESS): the function that begins there.
static bool resolve_number(struct search *s)
{
	uint64_t addr = (uint64_t)point_part(s->point, "function")->arg->number;
	struct dbg_place place;
	struct sp_err *err;
	bool found;

	err = dbg_place_at(s->module, addr, &place, &found);
	if (err) {
		point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	if (found && (place.func->entry_pc == addr || place.func->no_probe))
		add_func(s, place.func);
	else if (found)
		*s->why_ret = sp_arena_printf(s->env->arena, "the address is in %s, which begins at %#llx", place.func->name,
					      (unsigned long long)place.func->entry_pc);
	else
		*s->why_ret = sp_arena_printf(s->env->arena, "no function of %s is at that address", s->module->name);
	return true;
}

// Where variables are read: before the return, parameters are what they were at the entry.
static uint64_t read_pc(const struct site *site)
{
	return site->is_return ? func_hook_pc(site->func, false) : site->pc;
}

static const char *why_not_exported(struct point_env *env, const struct dbg_func *func)
{
	return sp_arena_printf(env->arena, func->is_external ? "%s is hidden in its library" : "%s is static", func->name);
}

bool func_resolve(struct search *s)
{
	const struct ast_point *point = s->point;
	const struct ast_point_part *part = point_part(point, "function");
	bool exported = point_part(point, "exported") != NULL;
	struct dbg_func_query query;
	struct dbg_funcs found = { 0 };
	struct sp_err *err;

	if (callee_matches(point))
		return callee_resolve(s);
	if (part->arg->kind == AST_NUMBER)
		return resolve_number(s);
	if (!func_parse_query(s->env, part, &query))
		return false;
	query.inlines = !point_part(point, "call") && !point_part(point, "return") && !exported;
	query.calls = !point_part(point, "inline");
	query.once = s->env->only_named;
	query.is_probed = s->env->is_probed;
	if (s->env->is_listed) {
		query.skips = is_listed;
		query.skips_ctx = s;
	}
	err = dbg_find_funcs(s->module, &query, &found);
	if (err) {
		point_report(s->env, point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	for (unsigned i = 0; i < found.n; i++)
		if (!exported || (found.v[i]->is_external && !found.v[i]->is_hidden))
			add_func(s, found.v[i]);
	if (s->env->is_probed)
		func_warn_of_calls(s, &found);
	if (search_is_empty(s) && !s->forbidden.n && !point->optional && !point->sufficient)
		*s->why_ret = exported && found.n ? why_not_exported(s->env, found.v[0]) : func_explain_no_match(s->env, s->module, &query);
	return true;
}

struct site *func_entry_site(struct point_env *env, const struct site *site)
{
	const char *why;
	struct dbg_func *func = site->is_return ? site->func : dbg_entry_of(site->func, &why);
	struct site *entry;

	if (!func)
		return NULL;
	entry = sp_arena_memdup(env->arena, site, sizeof(*site));
	entry->is_return = false;
	entry->exit = EXIT_NONE;
	entry->args = (union sp_hook_args){ 0 };
	if (site->is_return) {
		entry->pc = func_hook_pc(func, false);
	} else {
		entry->func = func;
		entry->pc = dbg_entry_probe_pc(func);
		entry->symbol = symbol_of(func);
	}
	if (site->space == SPACE_KERNEL) {
		entry->kind = SP_SITE_KPROBE;
		entry->prog_kind = SP_PROG_REGS;
		func_set_kernel_place(entry, func, entry->pc);
	} else {
		entry->kind = SP_SITE_UPROBE;
		dbg_file_offset(site->module, entry->pc, &entry->args.user.offset);
		if (site->call.frame && !dbg_call_at(entry->func, entry->pc, DBG_CALL_BEGINS, &entry->call))
			entry->call.frame = NULL;
	}
	return entry;
}

// ---- variables ------------------------------------------------------------------------------------------------------

static void report_no_debug(struct point_env *env, const struct site *site, struct span span,
			    const char *name)
{
	const char *path = site->module->path ? site->module->path : site->module->name;
	bool is_partial = site->module->source != DBG_SYMTAB && site->func;
	struct diag *d = diag(env->dc, span, DIAG_DEBUG_MISSING,
			      "%s cannot be found: %s has no debug information", name,
			      is_partial ? site->func->name : path);

	if (is_partial)
		diag_note(env->dc, d, SPAN_NONE, "only its symbol is known, in %s", path);
	if (sp_streq(name, "$return"))
		diag_note(env->dc, d, SPAN_NONE, "returnval() needs none: it is the register of the result");
	else if (!site->is_return)
		diag_note(env->dc, d, SPAN_NONE, "long_arg(1), pointer_arg(1) and the like need none: arguments by their number");
	if (site->module->why_no_dwarf)
		diag_hint(env->dc, d, "%s", site->module->why_no_dwarf);
	else if (is_partial)
		diag_hint(env->dc, d, "function(\"*@*\") leaves out functions that have no debug information");
}

static const char *place_of(const struct site *site)
{
	return site->func ? site->func->name : site->point;
}

static void report_unknown(struct point_env *env, struct site *site, struct span span,
			   const char *name)
{
	struct dbg_vars vars = { 0 };
	struct similar similar;
	struct sp_buf text = { 0 };
	struct diag *d;
	struct sp_err *err;
	const char *near;
	unsigned n = 0;

	if (site->module->source == DBG_SYMTAB || !site->func->scope) {
		report_no_debug(env, site, span, name);
		return;
	}
	d = diag(env->dc, span, DIAG_VAR_UNKNOWN, "there is no %s in %s", name, place_of(site));
	if (!diag_is_kept(env->dc, d))
		return;
	err = dbg_vars_at(site->func, read_pc(site), &vars);
	sp_err_free(err);
	similar_init(&similar, name);
	for (unsigned i = 0; i < vars.n; i++) {
		if (!vars.v[i].name || (!vars.v[i].in_entry_args && absent_is(env, site, &vars.v[i])))
			continue;
		similar_try(&similar, sp_arena_printf(env->arena, "$%s", vars.v[i].name));
		if (n++ < MAX_LISTED)
			sp_buf_printf(&text, " $%s", vars.v[i].name);
	}
	if (site->is_return) {
		sp_buf_puts(&text, " $return");
		similar_try(&similar, "$return");
	}
	if (text.len)
		diag_note(env->dc, d, SPAN_NONE, "visible here:%s%s", sp_buf_str(&text),
			  n > MAX_LISTED ? " ..." : "");
	else
		diag_note(env->dc, d, SPAN_NONE, "no variable is visible here");
	if (site->module->only || (site->module->source != DBG_DWARF && site->module->why_no_dwarf))
		diag_note(env->dc, d, SPAN_NONE, site->module->only ? "%s" : "only parameters are known without DWARF: %s",
			  site->module->only ? site->module->only : site->module->why_no_dwarf);
	near = similar_text(&similar, env->arena);
	// A local of a block that the place is not in.
	if (absent_tell_lines(env, site, d, name + 1))
		near = NULL;
	if (near)
		diag_hint(env->dc, d, "did you mean %s?", near);
	sp_buf_deinit(&text);
}

// The verifier lets a trampoline's program take pointers to structures, to integers and to void alone from its context
// (btf_ctx_access() of Linux): others, such as `char **` and functions, are read as memory.
static void use_context(struct site_value *ret, const struct c_type *type, uint32_t index)
{
	const struct c_type *own = c_type_strip(type), *target = own->kind == C_POINTER ? c_type_strip(own->target) : NULL;
	bool is_structure = target && (target->kind == C_STRUCT || target->kind == C_UNION) && !target->is_declaration;

	ret->base = !target || is_structure || target->kind == C_INT ? SITE_BASE_CTX : SITE_BASE_ARGS;
	ret->ctx_off = index * 8;
	ret->ctx_size = (uint32_t)own->size;
}

static bool find_return(struct point_env *env, struct site *site, struct span span,
			struct site_value *ret)
{
	const struct c_type *type = NULL;
	const struct loc *loc = NULL;
	const char *reg;
	unsigned n_params = 0;
	struct sp_err *err;

	if (!site->is_return) {
		struct diag *d = diag(env->dc, span, DIAG_VAR_UNKNOWN,
				      "$return is only known in a .return probe");

		diag_hint(env->dc, d, "add .return to the probe point");
		return false;
	}
	err = dbg_return_at(site->func, &type, &loc);
	if (err) {
		point_report(env, span, DIAG_DEBUG_MISSING, err);
		return false;
	}
	if (!c_type_strip(type)) {
		if (site->module->source == DBG_SYMTAB || !site->func->scope)
			report_no_debug(env, site, span, "$return");
		else
			diag(env->dc, span, DIAG_VAR_UNKNOWN, "%s returns nothing", place_of(site));
		return false;
	}
	if (site->exit == EXIT_JUMP) {
		point_report_no_result(env, site, span, "$return");
		return false;
	}
	if (site->func->no_result) {
		diag_hint(env->dc, diag(env->dc, span, DIAG_VAR_ABSENT, "$return of %s is %s", place_of(site), site->func->no_result),
			  "returnval() is what is in the register");
		return false;
	}
	ret->base_type = type;
	if (site->kind == SP_SITE_FEXIT && dbg_btf_has_func(site->module, site->symbol, &n_params)) {
		use_context(ret, type, n_params);
		return true;
	}
	if (!loc) {
		diag(env->dc, span, DIAG_VAR_ABSENT, "$return of %s is not returned in registers", place_of(site));
		return false;
	}
	reg = absent_reg(env, site, loc);
	if (reg) {
		diag(env->dc, span, DIAG_VAR_ABSENT, "$return of %s is in %s", place_of(site), reg);
		return false;
	}
	ret->base = SITE_BASE_LOC;
	ret->loc = loc;
	return true;
}

// A name that was looked up as a global variable of a module.
struct point_global {
	struct point_global *next;
	const struct dbg_module *module;
	const char *name;
	bool exists;
};

// Is there such a variable in any unit of the module? That there is none is slow to find out: it is asked once.
static bool is_global(struct point_env *env, struct dbg_module *module, const char *name)
{
	struct point_global *g;
	struct dbg_var var;

	for (g = env->globals; g; g = g->next)
		if (g->module == module && sp_streq(g->name, name))
			return g->exists;
	g = sp_arena_new(env->arena, struct point_global);
	g->module = module;
	g->name = name;
	sp_err_free(dbg_global_var(module, name, &var, &g->exists));
	g->next = env->globals;
	env->globals = g;
	return g->exists;
}

// A variable of the function's unit, or of its file: other folders may have a file of that name.
static bool find_global(struct point_env *env, struct site *site, const char *name,
			struct dbg_var *ret)
{
	const char *base;
	bool found = false;

	if (!site->func->file || (!site->module->only && !is_global(env, site->module, name)) || dbg_is_of_outer(site->func, name))
		return false;
	if (dbg_var_of_unit(site->func, name, ret))
		return true;
	base = strrchr(site->func->file, '/');
	base = base ? base + 1 : site->func->file;
	sp_err_free(dbg_global_var(site->module, sp_arena_printf(env->arena, "%s@%s", name, site->func->file), ret, &found));
	if (!found)
		sp_err_free(dbg_global_var(site->module, sp_arena_printf(env->arena, "%s@%s", name, base), ret, &found));
	return found;
}

static bool use_parameter(struct site *site, const struct dbg_var *var, struct site_value *ret)
{
	const struct c_type *type = c_type_strip(var->type);
	bool in_context = site->kind == SP_SITE_FENTRY || site->kind == SP_SITE_FEXIT || site->kind == SP_SITE_LSM;

	if (!in_context || !var->is_param || !var->in_entry_args || !type)
		return false;
	use_context(ret, type, (uint32_t)var->param_index);
	return true;
}

bool func_find_var(struct point_env *env, struct site *site, const struct ast_expr *target,
		   struct site_value *ret, bool *needs_entry_ret)
{
	const char *name = target->target.name;
	struct dbg_var var;
	bool found = false;
	struct sp_err *err;

	ret->space = site->space;
	ret->module = site->module;
	if (sp_streq(name, "$return"))
		return find_return(env, site, target->op_span, ret);
	err = dbg_var_named(site->func, read_pc(site), name + 1, &var, &found);
	if (err) {
		point_report(env, target->op_span, DIAG_DEBUG_MISSING, err);
		return false;
	}
	if (!found && (find_global(env, site, name + 1, &var) || dbg_enumerator_near(site->func, name + 1, &var))) {
		ret->base = SITE_BASE_LOC;
		ret->loc = var.loc;
		ret->base_type = var.type;
		if (!var.loc)
			absent_report(env, site, target->op_span, &var);
		return var.loc != NULL;
	}
	if (!found) {
		report_unknown(env, site, target->op_span, name);
		return false;
	}
	ret->base_type = var.type;
	if (use_parameter(site, &var, ret))
		return true;
	if (!absent_keep(site->func, read_pc(site), &var, &ret->frame) || absent_is(env, site, &var)) {
		absent_report(env, site, target->op_span, &var);
		return false;
	}
	if (site->is_return && !loc_is_static(var.loc)) {
		*needs_entry_ret = true;
		return true;
	}
	ret->base = SITE_BASE_LOC;
	ret->loc = var.loc;
	return true;
}

static void list_var(struct sp_buf *out, const char *name, const struct c_type *type)
{
	sp_buf_puts(out, " $");
	sp_buf_puts(out, name);
	sp_buf_putc(out, ':');
	c_type_print(out, type);
}

// Is it a variable of an outer block, with the name of one of an inner block? Inner ones come first.
static bool is_hidden(const struct dbg_vars *vars, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (vars->v[i].name && sp_streq(vars->v[i].name, vars->v[at].name))
			return true;
	return false;
}

void func_list_names(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret)
{
	struct dbg_vars vars = { 0 };

	(void)env;
	if (!site->func || site->module->source == DBG_SYMTAB)
		return;
	sp_err_free(dbg_vars_at(site->func, read_pc(site), &vars));
	for (int params = 1; params >= 0; params--)
		for (unsigned i = 0; i < vars.n && which != (params ? POINT_LOCALS : POINT_PARMS); i++)
			if (vars.v[i].name && vars.v[i].is_param == params && !is_hidden(&vars, i))
				sp_vec_push(&ret->list, vars.v[i].name);
}

// In " $file:struct file* $count:size_t".
static bool is_known(void *ctx, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = ctx; (at = strstr(at, " $")); at++)
		if (!strncmp(at + 2, name, len) && at[2 + len] == ':')
			return true;
	return false;
}

void func_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	struct dbg_var_query query = { .no_reasons = true, .arena = env->arena };
	struct dbg_vars vars = { 0 };
	const struct c_type *type = NULL;
	const struct loc *loc;

	if (env->known_vars) {
		query.wants = is_known;
		query.ctx = (char *)env->known_vars;
	}
	if (site->module->source == DBG_SYMTAB)
		return;
	if (site->is_return) {
		sp_err_free(dbg_return_at(site->func, &type, &loc));
		if (c_type_strip(type) && !site->func->no_result)
			list_var(out, "return", type);
	}
	dbg_vars_wanted(site->func, read_pc(site), &query, &vars);
	for (unsigned i = 0; i < vars.n; i++)
		if (vars.v[i].name && (vars.v[i].in_entry_args || !absent_is(env, site, &vars.v[i])) && !is_hidden(&vars, i))
			list_var(out, vars.v[i].name, vars.v[i].type);
}
