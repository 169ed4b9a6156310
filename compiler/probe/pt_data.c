// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.data("variable"), kernel.data(ADDRESS): the kernel's memory is written or read, as the processor's debug registers tell.
#include "compiler/probe/point_util.h"

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
	*why_ret = sp_arena_printf(env->arena, "looked for a variable in %s", (*kernel_ret)->debug_path);
	return 0;
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
	if (!*symbol && arg->kind == AST_STRING) {
		diag(env->dc, arg->span, DIAG_POINT_VALUE, "the name of the variable is missing");
		return false;
	}
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
