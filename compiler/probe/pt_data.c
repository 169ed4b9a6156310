// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.data("variable"), kernel.data(ADDRESS), process("path").data("variable"): memory is written or read, as the processor's
// debug registers tell.
#include "compiler/model/loc.h"
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_process.h"

#define MAX_LENGTH 8

static bool data_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "kernel") && point->n_parts > 2 && sp_streq(point->parts[1].name, "data");
}

// What is watched is aligned, and so no longer than the largest power of two in it.
static int64_t watched_length(const struct c_type *type)
{
	uint64_t size = c_type_strip(type) ? c_type_strip(type)->size : 1;
	int64_t length = MAX_LENGTH;

	while (length > 1 && (uint64_t)length > size)
		length /= 2;
	return length;
}

// The reason, and on its next line the hint.
static const char *with_similar(struct point_env *env, struct dbg_module *module, const char *name, const char *why)
{
	const char *near = dbg_did_you_mean(module, DBG_NAMED_VAR, name, env->arena);

	return near ? sp_arena_printf(env->arena, "%s\n%s", why, near) : why;
}

// The length of a variable; 0: there is none of that name, and why.
static int64_t find_variable(struct point_env *env, const struct ast_point *point, const char *name,
			     struct dbg_module **kernel_ret, const char **why_ret)
{
	struct dbg_var var;
	bool found = false;
	struct sp_err *err = dbg_kernel(env->dbg, kernel_ret);

	if (!err)
		err = dbg_global_var(*kernel_ret, name, &var, &found);
	if (err) {
		point_report(env, point->span, DIAG_MODULE_UNREADABLE, err);
		return 0;
	}
	if (found)
		return watched_length(var.type);
	// Only debug information knows variables; where there is none, the kernel finds the symbol or says that it cannot.
	if ((*kernel_ret)->source != DBG_DWARF)
		return 1;
	*why_ret = with_similar(env, *kernel_ret, name, sp_arena_printf(env->arena, "looked for a variable in %s", (*kernel_ret)->debug_path));
	return 0;
}

static bool has_name(struct point_env *env, const struct ast_expr *arg)
{
	if (arg->kind != AST_STRING || *arg->string.text)
		return true;
	diag(env->dc, arg->span, DIAG_POINT_VALUE, "the name of the variable is missing");
	return false;
}

static bool parse_length(struct point_env *env, const struct ast_point *point, int64_t address, int64_t *ret)
{
	const struct ast_point_part *part = point_part(point, "length");

	*ret = part ? part->arg->number : 1;
	if (*ret != 1 && *ret != 2 && *ret != 4 && *ret != MAX_LENGTH) {
		diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "1, 2, 4 or 8 bytes can be watched");
		return false;
	}
	if (address % *ret == 0)
		return true;
	diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "%lld bytes can be watched at a multiple of %lld alone", (long long)*ret,
	     (long long)*ret);
	return false;
}

static bool data_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const struct ast_expr *arg = point->parts[1].arg;
	const char *symbol = arg->kind == AST_STRING ? arg->string.text : "";
	struct sp_buf text = { 0 };
	struct dbg_module *kernel = NULL;
	struct site *site;
	int64_t length;

	if (*symbol && !(length = find_variable(env, point, symbol, &kernel, why_ret)))
		return *why_ret != NULL;
	if (!has_name(env, arg))
		return false;
	if (!*symbol && !parse_length(env, point, arg->number, &length))
		return false;
	site = point_add_site(env, &pt_data, point, sites);
	if (*symbol)
		sp_buf_printf(&text, "kernel.data(\"%s\")", symbol);
	else
		sp_buf_printf(&text, "kernel.data(%#llx)", (unsigned long long)arg->number);
	point_print_rest(&text, point, 2);
	site->point = point_take(env, &text);
	site->kind = SP_SITE_WATCH;
	site->prog_kind = SP_PROG_PERF;
	site->space = SPACE_KERNEL;
	site->symbol = symbol;
	site->module = kernel;
	site->args.watch.address = *symbol ? 0 : (uint64_t)arg->number;
	site->args.watch.size = (uint32_t)length;
	site->args.watch.reads = point_part(point, "rw") != NULL;
	return true;
}

static void data_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)use;
	site->why = sp_arena_printf(env->arena, "watchpoint: %u byte%s, on every processor", site->args.watch.size,
				    site->args.watch.size == 1 ? "" : "s");
}

const struct point_family pt_data = {
	.name = "kernel.data",
	.needs_kernel = true,
	.patterns = "kernel.data(string).write\nkernel.data(string).rw\nkernel.data(number).write\nkernel.data(number).rw\n"
		    "kernel.data(number).length(number).write\nkernel.data(number).length(number).rw",
	.matches = data_matches,
	.resolve = data_resolve,
	.choose_hook = data_choose_hook,
};

// ---- programs -------------------------------------------------------------------------------------------------------

static bool process_data_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "process") && point_part(point, "data");
}

// What is watched in a program.
struct watched {
	uint64_t address;
	const struct c_type *type;
};

// "->member" or ".member" behind the variable's name, and so on. False: *s->why_ret says what is wrong.
static bool follow_members(struct search *s, const char *rest, struct watched *ret)
{
	while (*rest) {
		size_t mark = *rest == '.' ? 1 : 2, len = strcspn(rest + mark, ".-");
		const char *name = sp_arena_strndup(s->env->arena, rest + mark, len);
		const struct c_type *type = c_type_strip(ret->type);
		const struct c_member *member;
		uint64_t bit_off;

		if (type && type->kind == C_POINTER) {
			*s->why_ret = sp_arena_printf(s->env->arena, "what the pointer before `%s` leads to is another address in each run", rest);
			return false;
		}
		type = type ? dbg_complete_type(type) : NULL;
		member = type ? c_type_member(type, name, &bit_off) : NULL;
		if (!member || member->bit_size) {
			*s->why_ret = sp_arena_printf(s->env->arena, "there is no member `%s` that can be watched", name);
			return false;
		}
		ret->address += bit_off / 8;
		ret->type = member->type;
		rest += mark + len;
	}
	return true;
}

static bool find_watched(struct search *s, const char *text, struct watched *ret)
{
	size_t len = strcspn(text, ".-");
	const char *name = sp_arena_strndup(s->env->arena, text, len), *at = strchr(name, '@');
	struct dbg_var var;
	bool found = false;

	// "NAME@FILE.c" has a dot that no member follows.
	if (at) {
		const char *arrow = strstr(text, "->");

		len = arrow ? (size_t)(arrow - text) : strlen(text);
		name = sp_arena_strndup(s->env->arena, text, len);
	}
	sp_err_free(dbg_global_var(s->module, name, &var, &found));
	if (found && var.loc && (var.at || loc_is_static(var.loc))) {
		*ret = (struct watched){ var.at ? var.at : (uint64_t)var.loc->pieces[0].ops[0].a, var.type };
		return follow_members(s, text + len, ret);
	}
	if (!found && !text[len] && dbg_symbol_address(s->module, name, &ret->address))
		return true;
	if (found)
		*s->why_ret = sp_arena_printf(s->env->arena, "`%s` of %s is not at one address", name, s->module->path);
	else
		*s->why_ret = with_similar(s->env, s->module, name,
					   sp_arena_printf(s->env->arena, "%s has no variable `%s`", s->module->path, name));
	return false;
}

static bool add_process_data(struct search *s)
{
	const struct ast_point_part *part = point_part(s->point, "data");
	const char *name = part->arg->kind == AST_STRING ? part->arg->string.text : "";
	struct watched watched = { 0 };
	struct sp_buf text = { 0 };
	uint64_t start = 0, unused;
	bool is_linked = true; // the address is one of the file's own, as .statement(ADDRESS) has it, and not one of the process
	struct site *site;
	int64_t length;

	if (!has_name(s->env, part->arg))
		return false;
	if (*name && !find_watched(s, name, &watched))
		return true;
	if (!*name) {
		watched.address = (uint64_t)part->arg->number;
		is_linked = *dbg_section_at(s->module, watched.address, &unused);
	}
	if (is_linked && !dbg_offset_address(s->module, 0, &start)) {
		*s->why_ret = sp_arena_printf(s->env->arena, "%s has no address for the start of its file", s->module->path);
		return true;
	}
	length = watched_length(watched.type);
	if (point_part(s->point, "length") || !*name) {
		if (!parse_length(s->env, s->point, (int64_t)watched.address, &length))
			return false;
	}
	while (*name && watched.address % (uint64_t)length)
		length /= 2;
	site = point_add_site(s->env, s->family, s->point, s->sites);
	if (*name)
		sp_buf_printf(&text, "%s.data(\"%s\")", s->prefix, name);
	else
		sp_buf_printf(&text, "%s.data(%#llx)", s->prefix, (unsigned long long)watched.address);
	point_print_rest(&text, s->point, (unsigned)(part - s->point->parts) + 1);
	site->point = point_take(s->env, &text);
	site->kind = SP_SITE_WATCH;
	site->prog_kind = SP_PROG_PERF;
	site->space = SPACE_KERNEL; // the kernel's engine alone has it
	site->symbol = name;
	site->module = s->module;
	site->watched = is_linked ? watched.address : 0;
	site->args.watch.address = is_linked ? watched.address - start : watched.address;
	site->args.watch.is_relative = is_linked;
	site->args.watch.size = (uint32_t)length;
	site->args.watch.reads = point_part(s->point, "rw") != NULL;
	return true;
}

static bool process_data_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	return process_each(env, &pt_process_data, point, add_process_data, sites, why_ret);
}

static void process_data_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)use;
	site->why = sp_arena_printf(env->arena, "watchpoint: %u byte%s of a process", site->args.watch.size,
				    site->args.watch.size == 1 ? "" : "s");
}

#define DATA_PATTERNS(at)                                                                                        \
	at ".data(string).write\n" at ".data(string).rw\n" at ".data(number).write\n" at ".data(number).rw\n"     \
	at ".data(string).length(number).write\n" at ".data(string).length(number).rw\n"                           \
	at ".data(number).length(number).write\n" at ".data(number).length(number).rw\n"

const struct point_family pt_process_data = {
	.name = "process.data",
	.needs_kernel = true,
	.patterns = PROCESS_PATTERNS(DATA_PATTERNS),
	.matches = process_data_matches,
	.resolve = process_data_resolve,
	.choose_hook = process_data_choose_hook,
};
