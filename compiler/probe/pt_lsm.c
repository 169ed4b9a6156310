// SPDX-License-Identifier: GPL-2.0-or-later
// lsm.HOOK, lsm("HOOK"): the kernel asks its security modules whether something is allowed, and the handler is one of them. The
// parameters are those of the kernel's function bpf_lsm_HOOK, which does nothing but to be such a place.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"

#define PREFIX "bpf_lsm_"

static bool lsm_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "lsm");
}

// The kernel.function() of such a place.
static struct ast_point *function_point(struct point_env *env, const struct ast_point *point, const char *hook)
{
	struct ast_point *ret = sp_arena_memdup(env->arena, point, sizeof(*point));
	struct ast_expr *name = sp_arena_new(env->arena, struct ast_expr);

	name->kind = AST_STRING;
	name->span = point->parts[point->n_parts - 1].span;
	name->string.text = sp_arena_printf(env->arena, PREFIX "%s", hook);
	name->string.len = (uint32_t)strlen(name->string.text);
	ret->parts = sp_arena_array(env->arena, struct ast_point_part, 2);
	ret->parts[0] = (struct ast_point_part){ .name = "kernel", .span = point->parts[0].span };
	ret->parts[1] = (struct ast_point_part){ .name = "function", .arg = name, .span = name->span };
	ret->n_parts = 2;
	return ret;
}

static bool lsm_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const struct ast_expr *arg = point->parts[0].arg;
	const char *hook = arg ? arg->string.text : point->parts[1].name;
	size_t before = sites->list.n;

	if (!pt_kernel.resolve(env, function_point(env, point, hook), sites, why_ret))
		return false;
	for (size_t i = before; i < sites->list.n; i++) {
		struct site *site = sites->list.v[i];

		site->family = &pt_lsm;
		site->origin = point;
		site->point = sp_arena_printf(env->arena, "lsm.%s", site->symbol + strlen(PREFIX));
		site->kind = SP_SITE_LSM;
		site->prog_kind = SP_PROG_LSM;
		site->args = (union sp_hook_args){ 0 };
		site->why = "security hook: the kernel asks whether it is allowed";
	}
	if (sites->list.n == before)
		*why_ret = "the kernel has no such security hook, or was built without CONFIG_BPF_LSM";
	return true;
}

// What is said to the kernel: read, it is what other programs have said before.
static bool lsm_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			 bool *needs_entry_ret)
{
	const struct c_type *type = NULL;
	const struct loc *loc = NULL;
	unsigned n_params;

	if (!sp_streq(target->target.name, "$return"))
		return func_find_var(env, site, target, ret, needs_entry_ret);
	sp_err_free(dbg_return_at(site->func, &type, &loc));
	if (!c_type_strip(type) || !dbg_btf_has_func(site->module, site->symbol, &n_params)) {
		diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "%s is told, not asked: it has no $return", site->point);
		return false;
	}
	ret->space = SPACE_KERNEL;
	ret->module = site->module;
	ret->base = SITE_BASE_CTX;
	ret->base_type = type;
	ret->ctx_off = n_params * 8;
	ret->ctx_size = (uint32_t)c_type_strip(type)->size;
	ret->is_result = true;
	return true;
}

static void lsm_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	const struct c_type *type = NULL;
	const struct loc *loc = NULL;

	func_list_vars(env, site, out);
	sp_err_free(dbg_return_at(site->func, &type, &loc));
	if (!c_type_strip(type))
		return;
	sp_buf_puts(out, " $return:");
	c_type_print(out, type);
}

// All is said in resolve.
static void lsm_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)env, (void)site, (void)use;
}

const struct point_family pt_lsm = {
	.name = "lsm",
	.needs_kernel = true,
	.patterns = "lsm.*\nlsm(string)",
	.matches = lsm_matches,
	.resolve = lsm_resolve,
	.choose_hook = lsm_choose_hook,
	.find_var = lsm_find_var,
	.list_names = func_list_names,
	.list_vars = lsm_list_vars,
};
