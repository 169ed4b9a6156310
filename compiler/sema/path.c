// SPDX-License-Identifier: GPL-2.0-or-later
// Access paths, such as $var->member[index], @cast(e, "type")->member and @var("name")[1]. Each becomes a base value, which is
// found here (where `$var` is, at this site), and steps from it (steps.h).
#include "compiler/debug/dbg.h"
#include "compiler/sema/access.h"
#include "compiler/sema/context.h"
#include "compiler/sema/steps.h"
#include "compiler/sema/tree.h"

#include <stdlib.h>

static enum path_result fail(struct ast_expr **place)
{
	(*place)->kind = AST_ERROR;
	return PATH_FAILED;
}

static enum path_result run(const struct scene *scene, struct site_value *base, const struct ast_steps *steps, bool address_of,
			    struct ast_expr **place)
{
	return steps_run(scene, base, steps, address_of, place) ? PATH_DONE : fail(place);
}

// What the probe has, when nothing is found by DWARF or BTF there.
static void tell_variables(const struct scene *scene, struct diag *d)
{
	struct sp_buf vars = { 0 };

	if (scene->site && scene->site->family->list_vars)
		scene->site->family->list_vars(scene->cx->opts->env, scene->site, &vars);
	if (vars.len)
		diag_hint(scene->cx->opts->dc, d, "there is%s", sp_buf_str(&vars));
	sp_buf_deinit(&vars);
}

static bool is_static(const struct site_value *value)
{
	return value->base == SITE_BASE_LOC && loc_has(value->loc, LOC_ADDR);
}

// A function's return does not tell where its program was loaded, its entry does: there the address of the variable is taken.
static enum path_result run_at_return(const struct scene *scene, struct site_value *value, const struct ast_expr *atvar, struct ast_expr **place)
{
	struct sp_arena *arena = scene->cx->arena;
	const struct dbg_module *module = value->module;
	struct ast_expr *at = sp_arena_memdup(arena, atvar, sizeof(*atvar)), *entry = sp_arena_memdup(arena, atvar, sizeof(*atvar));
	const struct ast_steps *behind = &atvar->atvar.steps;
	struct ast_steps steps = { .v = sp_arena_array(arena, struct ast_step, behind->n + 1), .n = behind->n + 1 };

	if (module->is_kernel || !module->is_pie || module != scene->site->module || site_knows_load_address(scene->site, module))
		return run(scene, value, behind, atvar->atvar.address_of, place);
	at->atvar.steps.n = 0;
	at->atvar.address_of = true;
	entry->kind = AST_ENTRY;
	entry->entry.a = at;
	steps.v[0] = (struct ast_step){ .kind = STEP_INDEX, .index = tree_number(arena, atvar, 0) };
	if (behind->n)
		memcpy(steps.v + 1, behind->v, behind->n * sizeof(*behind->v));
	value->base = SITE_BASE_EXPR;
	value->expr = entry;
	value->base_type = steps_pointer_to(scene, value->base_type);
	return run(scene, value, &steps, atvar->atvar.address_of, place);
}

// `atvar`: the @var() that it is instead, or NULL.
static enum path_result resolve_target(const struct scene *scene, const struct ast_expr *atvar, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	struct diag_ctx *dc = scene->cx->opts->dc;
	struct site_value *value;
	bool needs_entry = false;

	if (sp_starts_with(e->target.name, "$$"))
		return pretty_expand(scene, place) ? PATH_DONE : fail(place);
	if (!scene->site || !scene->site->family->find_var) {
		tell_variables(scene, diag(dc, e->op_span, DIAG_VAR_CONTEXT,
					   "%s has no meaning here: %s probes no function or tracepoint", e->target.name,
					   scene->site ? scene->site->point : "this probe"));
		return fail(place);
	}
	value = steps_base(scene, e);
	value->is_listed = e->target.is_listed;
	if (!scene->site->family->find_var(scene->cx->opts->env, scene->site, e, value,
					   &needs_entry))
		return fail(place);
	if (needs_entry && value->base == SITE_BASE_RECORD && (!e->target.steps.n || e->target.address_of)) {
		struct diag *d = diag(dc, e->op_span, DIAG_TRACE_MIXED,
				      "%s is an array in the record, which is gone where arguments of the prototype are", e->target.name);

		diag_hint(dc, d, "the argument of a function can be the array itself: kernel_string(%s)", e->target.name);
		return fail(place);
	}
	// In a .return probe `$p->n` means the value at the entry. Memory may have changed since, so it is read at the entry. What @var()
	// names is read at the return, when it has a place by then.
	if (scene->site->is_return && atvar && is_static(value))
		return run_at_return(scene, value, atvar, place);
	if (scene->site->is_return && !sp_streq(e->target.name, "$return") &&
	    (e->target.steps.n || e->target.address_of || is_static(value)))
		needs_entry = true;
	if (needs_entry)
		return PATH_NEEDS_ENTRY;
	return run(scene, value, &e->target.steps, e->target.address_of, place);
}

// seen[a][b], as C writes what is seen[a, b] here.
static bool is_key_behind_key(const struct ast_expr *e)
{
	return e->target.base->kind == AST_INDEX && e->target.steps.n == 1 && e->target.steps.v[0].kind == STEP_INDEX;
}

static enum path_result resolve_autocast(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	const struct c_type *type = autocast_type(e->target.base);
	const struct type_home *home = type ? autocast_home(scene->cx, type) : NULL;
	struct site_value *value;

	if (!type) {
		struct sp_buf text = { 0 };
		struct diag *d;

		if (!scene->last_round) {
			scene->cx->waits = true;
			return PATH_WAITS;
		}
		if (e->target.base->kind != AST_ERROR) {
			ast_print_expr(&text, e->target.base);
			d = diag(scene->cx->opts->dc, e->op_span, DIAG_AUTOCAST_UNKNOWN,
				 "it is not known what %s points to", sp_buf_str(&text));
			if (is_key_behind_key(e))
				diag_hint(scene->cx->opts->dc, d, "the keys of an array stand in one pair of brackets: [a, b]");
			else
				diag_hint(scene->cx->opts->dc, d, "say it: @cast(%s, \"struct name\")->member", sp_buf_str(&text));
			sp_buf_deinit(&text);
		}
		return fail(place);
	}
	value = steps_base(scene, e);
	value->base = SITE_BASE_EXPR;
	value->expr = e->target.base;
	value->base_type = type;
	value->space = home ? home->space : scene->site ? scene->site->space : SPACE_KERNEL;
	value->module = home ? home->module : NULL;
	return run(scene, value, &e->target.steps, e->target.address_of, place);
}

// The module that a script names in @cast or @var: "kernel", "<sys/stat.h>", "/bin/ls", "ext4".
static struct dbg_module *open_module(const struct scene *scene, const char *name,
				      struct sp_err **err_ret)
{
	const struct point_env *env = scene->cx->opts->env;
	struct dbg *dbg = env->dbg;
	struct dbg_module *module = NULL;

	// "kernel<linux/sched.h>" needs no compiled header: the kernel's own debug information has the types it uses.
	if (sp_streq(name, "kernel") || sp_streq(name, "vmlinux") || sp_starts_with(name, "kernel<"))
		*err_ret = dbg_kernel(dbg, &module);
	else if (*name == '<')
		*err_ret = env->header_module(env->header_ctx, name, &module);
	else if (strchr(name, '/') || sp_streq(name, ""))
		*err_ret = dbg_program(dbg, name, &module);
	else if ((*err_ret = dbg_kernel_module(dbg, name, &module))) {
		sp_err_free(*err_ret);
		*err_ret = dbg_program(dbg, name, &module);
	}
	return *err_ret ? NULL : module;
}

// A program may have several types of one name: the one in the probed function's file is preferred.
static const struct c_type *look_up_type(const struct scene *scene, struct dbg_module *module, const char *name)
{
	struct dbg_func *func = scene->site ? scene->site->func : NULL;

	return func && func->module == module ? dbg_find_type_near(func, name) : dbg_find_type(module, name);
}

// "file" may mean "struct file". A search that finds nothing reads all debug information, so the likely form is tried first.
static const struct c_type *find_type(const struct scene *scene, struct dbg_module *module, const char *name)
{
	static const char *const tags[] = { "struct ", "", "union ", "enum " };
	static const char *const plain[] = { "char", "short", "int", "long", "unsigned", "signed", "bool", "_Bool" };
	const struct c_type *type = NULL;
	size_t len = strcspn(name, " *");
	bool is_plain = name[len] == ' ' || (len > 2 && strncmp(name + len - 2, "_t", 2) == 0);

	for (unsigned i = 0; i < SP_ARRAY_SIZE(plain); i++)
		is_plain |= sp_is_word(name, len, plain[i]);
	if (is_plain)
		type = look_up_type(scene, module, name);
	for (unsigned i = 0; !type && i < SP_ARRAY_SIZE(tags); i++)
		if (!is_plain || *tags[i])
			type = look_up_type(scene, module, sp_arena_printf(scene->cx->arena, "%s%s", tags[i], name));
	return type;
}

// "struct file" is looked for as "file".
static const char *untagged(const char *name)
{
	const char *blank = strchr(name, ' ');

	return blank && (sp_starts_with(name, "struct ") || sp_starts_with(name, "union ") || sp_starts_with(name, "enum ")) ? blank + 1 : name;
}

static void hint_similar(const struct scene *scene, struct diag *d, struct dbg_module *module, enum dbg_named what, const char *name)
{
	const char *near = dbg_did_you_mean(module, what, name, scene->cx->arena);

	if (near)
		diag_hint(scene->cx->opts->dc, d, "%s", near);
}

// Two enumerations may share an enumerator's name: the one in the probed function's file is preferred.
static bool find_enumerator(const struct scene *scene, struct dbg_module *module, const char *name, struct dbg_var *ret)
{
	struct dbg_func *func = scene->site ? scene->site->func : NULL;

	return (func && func->module == module && dbg_enumerator_near(func, name, ret)) || dbg_enumerator(module, name, ret);
}

// Does the module have the type of a @cast, the variable or enumerator of a @var or @enum?
static bool has_named(const struct scene *scene, struct dbg_module *module, const struct ast_expr *e)
{
	struct dbg_var var;
	bool found = false;

	if (e->kind == AST_CAST)
		return find_type(scene, module, e->cast.type_name) != NULL;
	if (e->atvar.is_enum)
		return find_enumerator(scene, module, e->atvar.name, &var);
	sp_err_free(dbg_global_var(module, e->atvar.name, &var, &found));
	return found;
}

// "nfs:kernel" is a list: the first module that has what the expression names. Otherwise the last one that can be read is to blame.
static const struct ast_expr *of_list(const struct scene *scene, const struct ast_expr *e, const struct ast_expr *list)
{
	struct sp_arena *arena = scene->cx->arena;
	struct ast_expr *one = sp_arena_memdup(arena, list, sizeof(*list)), *best = one;

	for (const char *at = list->string.text, *end; at; at = *end ? end + 1 : NULL) {
		struct sp_err *err = NULL;
		struct dbg_module *module;

		end = at + strcspn(at, ":");
		one = sp_arena_memdup(arena, list, sizeof(*list));
		one->string.text = sp_arena_strndup(arena, at, (size_t)(end - at));
		one->string.len = (uint32_t)(end - at);
		module = open_module(scene, one->string.text, &err);
		if (module)
			best = one;
		if (module && has_named(scene, module, e))
			break;
		sp_err_free(err);
	}
	return best;
}

// A function may be called by probes of programs, and still ask for what the kernel has.
static struct dbg_module *probed_or_kernel(const struct scene *scene, const struct ast_expr *e)
{
	struct dbg_module *probed = scene->site->module, *kernel;
	struct sp_err *err = NULL;

	if (has_named(scene, probed, e))
		return probed;
	kernel = open_module(scene, "kernel", &err);
	sp_err_free(err);
	return kernel && has_named(scene, kernel, e) ? kernel : probed;
}

// The module that @cast or @var names; without a name the probed module, which "" is, too, or else the kernel. NULL after a diagnostic.
static struct dbg_module *module_of(const struct scene *scene, const struct ast_expr *e, const struct ast_expr *name)
{
	struct diag_ctx *dc = scene->cx->opts->dc;
	struct sp_err *err = NULL;
	struct dbg_module *module;
	char *text;

	if ((!name || sp_streq(name->string.text, "")) && scene->site && scene->site->module)
		return name || !scene->function ? scene->site->module : probed_or_kernel(scene, e);
	if (name && strchr(name->string.text, ':'))
		name = of_list(scene, e, name);
	module = open_module(scene, name ? name->string.text : "kernel", &err);
	if (module)
		return module;
	text = sp_err_text(err);
	diag(dc, name ? name->span : e->op_span, name && *name->string.text == '<' ? DIAG_CAST_HEADER : DIAG_MODULE_UNREADABLE, "%s",
	     text);
	free(text);
	sp_err_free(err);
	return NULL;
}

// @cast(p, "T")->m takes p for a pointer to T; when T is a pointer type, p is a T. @cast(n, "char") without steps converts n.
static enum path_result resolve_cast(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	struct dbg_module *module = module_of(scene, e, e->cast.module);
	const struct c_type *type, *bare;
	bool is_pointer;
	struct site_value *value;

	if (!module)
		return fail(place);
	type = find_type(scene, module, e->cast.type_name);
	if (!type) {
		struct diag *d = diag(scene->cx->opts->dc, e->op_span, DIAG_CAST_TYPE,
				      "there is no type '%s' in %s", e->cast.type_name, module->name);

		if (module->source == DBG_SYMTAB && module->why_no_dwarf)
			diag_hint(scene->cx->opts->dc, d, "%s", module->why_no_dwarf);
		else
			hint_similar(scene, d, module, DBG_NAMED_TYPE, untagged(e->cast.type_name));
		return fail(place);
	}
	value = steps_base(scene, e);
	bare = c_type_strip(type);
	is_pointer = bare && bare->kind == C_POINTER;
	if (e->cast.is_enum && (!bare || bare->kind != C_ENUM)) {
		diag(scene->cx->opts->dc, e->op_span, DIAG_ACCESS_SHAPE, "'%s' is no enumeration", e->cast.type_name);
		return fail(place);
	}
	if (!is_pointer && !e->cast.is_enum && (e->cast.steps.n || e->cast.address_of || !c_type_is_scalar(type)))
		type = steps_pointer_to(scene, type);
	value->base = SITE_BASE_EXPR;
	value->expr = e->cast.value;
	value->base_type = type;
	value->space = module->is_kernel ? SPACE_KERNEL : SPACE_USER;
	value->module = module;
	return run(scene, value, &e->cast.steps, e->cast.address_of && e->cast.steps.n, place);
}

static void report_no_atvar(const struct scene *scene, const struct ast_expr *e, struct dbg_module *module, bool found,
			    const struct dbg_var *var, struct sp_err *err)
{
	struct diag_ctx *dc = scene->cx->opts->dc;
	struct diag *d = diag(dc, e->op_span, found ? DIAG_VAR_ABSENT : DIAG_VAR_UNKNOWN,
			      found	       ? "variable '%s' of %s has no address" :
			      e->atvar.is_enum ? "there is no enumerator '%s' in %s" :
						 "there is no variable '%s' in %s",
			      e->atvar.name, module->name);

	if (!err && found && var->why_not)
		diag_note(dc, d, SPAN_NONE, "%s%s", sp_starts_with(var->why_not, "it") ? "" : "it ", var->why_not);
	if (err) {
		char *text = sp_err_text(err);

		diag_note(dc, d, SPAN_NONE, "%s", text);
		free(text);
	} else if (module->source != DBG_DWARF && module->why_no_dwarf) {
		diag_hint(dc, d, "%s", module->why_no_dwarf);
	} else if (!found && !e->atvar.is_enum) {
		hint_similar(scene, d, module, DBG_NAMED_VAR, e->atvar.name);
	}
}

bool path_is_of_probe(const struct ast_expr *e)
{
	return e->kind == AST_ATVAR && !e->atvar.is_enum && !e->atvar.module && !strchr(e->atvar.name, '@');
}

bool path_asks_module(const struct ast_expr *e)
{
	if (e->kind == AST_CAST)
		return !e->cast.module;
	if (e->kind != AST_ATVAR || !e->atvar.module)
		return e->kind == AST_ATVAR;
	return !e->atvar.is_enum && !sp_streq(e->atvar.module->string.text, "kernel") && !sp_streq(e->atvar.module->string.text, "vmlinux");
}

// @var("x") is first what `$x` is at the probe. PATH_WAITS: the probe has no `$x`, so the module's globals are searched.
static enum path_result resolve_as_target(const struct scene *scene, struct ast_expr **place)
{
	struct diag_ctx *dc = scene->cx->opts->dc;
	size_t mark = diag_mark(dc);
	enum path_result result;
	struct ast_expr *target;

	if (!path_is_of_probe(*place) || !scene->site || !scene->site->family->find_var)
		return PATH_WAITS;
	target = tree_target(scene->cx->arena, *place);
	result = resolve_target(scene, *place, &target);
	if (result == PATH_FAILED && dc->diags.n > mark &&
	    (dc->diags.v[mark]->id == DIAG_VAR_UNKNOWN || dc->diags.v[mark]->id == DIAG_DEBUG_MISSING)) {
		diag_rewind(dc, mark);
		return PATH_WAITS;
	}
	if (result == PATH_DONE)
		target->resolved->text = steps_text(scene, *place);
	if (result != PATH_NEEDS_ENTRY)
		*place = target;
	return result;
}

static enum path_result resolve_atvar(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	enum path_result as_target = resolve_as_target(scene, place);
	struct dbg_module *module;
	struct sp_err *err = NULL;
	struct dbg_var var;
	bool found = false;
	struct site_value *value;

	if (as_target != PATH_WAITS)
		return as_target;
	module = module_of(scene, e, e->atvar.module);
	if (!module)
		return fail(place);
	if (e->atvar.is_enum)
		found = find_enumerator(scene, module, e->atvar.name, &var);
	else
		err = dbg_global_var(module, e->atvar.name, &var, &found);
	if (err || !found || !var.loc) {
		report_no_atvar(scene, e, module, found, &var, err);
		sp_err_free(err);
		return fail(place);
	}
	value = steps_base(scene, e);
	value->base = SITE_BASE_LOC;
	value->loc = var.loc;
	value->base_type = var.type;
	value->space = module->is_kernel ? SPACE_KERNEL : SPACE_USER;
	value->module = module;
	if (scene->site && scene->site->is_return && is_static(value))
		return run_at_return(scene, value, e, place);
	return run(scene, value, &e->atvar.steps, e->atvar.address_of, place);
}

enum path_result path_resolve(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;

	if (e->kind == AST_CALL)
		return access_check_call(scene, e) ? PATH_DONE : fail(place);
	if (e->kind == AST_CAST)
		return resolve_cast(scene, place);
	if (e->kind == AST_ATVAR)
		return resolve_atvar(scene, place);
	return e->target.base ? resolve_autocast(scene, place) : resolve_target(scene, NULL, place);
}
