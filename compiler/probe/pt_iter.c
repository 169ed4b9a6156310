// SPDX-License-Identifier: GPL-2.0-or-later
// iter.task, iter.tcp: the objects of one sort that the kernel has, one after the other. `$name` is what the kernel tells of each.
#include "compiler/model/similar.h"
#include "compiler/probe/point_util.h"

static bool iter_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "iter");
}

// An iterator through the elements of one BPF map. Through all maps goes iter.bpf_map, which has no elements.
static bool is_in_map(const struct c_type *context)
{
	uint64_t off;

	return c_type_member(context, "map", &off) && (c_type_member(context, "key", &off) || c_type_member(context, "value", &off));
}

static const char *explain_no_match(struct point_env *env, struct dbg_module *kernel, const char *name)
{
	struct dbg_iterators all = { 0 };
	struct similar similar;
	const char *near;

	sp_err_free(dbg_find_iterators(kernel, "*", &all));
	similar_init(&similar, name);
	for (unsigned i = 0; i < all.n; i++) {
		if (sp_streq(all.v[i].name, name))
			return "the kernel has it for the elements of one BPF map, which a script cannot name";
		if (!is_in_map(all.v[i].context))
			similar_try(&similar, all.v[i].name);
	}
	near = similar_text(&similar, env->arena);
	return near ? sp_arena_printf(env->arena, "the kernel has %u iterators\ndid you mean %s?", all.n, near) :
		      sp_arena_printf(env->arena, "the kernel has %u iterators", all.n);
}

static bool iter_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const char *name = point->parts[1].name;
	struct dbg_iterators found = { 0 };
	struct dbg_module *kernel;
	unsigned n_given = 0;
	struct sp_err *err = dbg_kernel(env->dbg, &kernel);

	if (!err)
		err = dbg_find_iterators(kernel, name, &found);
	if (err) {
		point_report(env, point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	for (unsigned i = 0; i < found.n; i++) {
		struct site *site;

		if (is_in_map(found.v[i].context))
			continue;
		n_given++;
		site = point_add_site(env, &pt_iter, point, sites);
		site->point = sp_arena_printf(env->arena, "iter.%s", found.v[i].name);
		site->kind = SP_SITE_ITER;
		site->prog_kind = SP_PROG_ITER;
		site->space = SPACE_KERNEL;
		site->module = kernel;
		site->symbol = found.v[i].name;
		site->context = found.v[i].context;
		site->guard = GUARD_OBJECT;
		site->why = "iterator: once, when all probes are attached, and when run_iter() asks for it";
	}
	if (!n_given && !point->optional && !point->sufficient)
		*why_ret = explain_no_match(env, kernel, name);
	return true;
}

// The members, also those in anonymous unions: each pointer is in one, as the kernel wants it to have 8 bytes everywhere.
static void each_member(const struct c_type *type, void (*fn)(void *ctx, const struct c_member *member), void *ctx)
{
	for (unsigned i = 0; i < type->n_members; i++) {
		const struct c_member *member = &type->members[i];
		const struct c_type *inner = member->name ? NULL : dbg_complete_type(member->type);

		if (member->name)
			fn(ctx, member);
		else if (inner)
			each_member(inner, fn, ctx);
	}
}

static void add_name(void *ctx, const struct c_member *member)
{
	struct point_names *names = ctx;

	sp_vec_push(&names->list, member->name);
}

static void iter_list_names(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret)
{
	(void)env;
	if (which != POINT_LOCALS)
		each_member(site->context, add_name, ret);
}

static void report_unknown(struct point_env *env, struct site *site, const struct ast_expr *target)
{
	const char *name = target->target.name;
	struct diag *d = diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "there is no %s in iter.%s", name, site->symbol);
	struct point_names names = { 0 };
	struct sp_buf text = { 0 };

	iter_list_names(env, site, POINT_VARS, &names);
	sp_vec_each(at, &names.list)
		sp_buf_printf(&text, " $%s", *at);
	diag_note(env->dc, d, SPAN_NONE, "visible here:%s", sp_buf_str(&text));
	sp_buf_deinit(&text);
	sp_vec_deinit(&names.list);
}

static bool iter_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			  bool *needs_entry_ret)
{
	uint64_t bit_off;
	const struct c_member *member = c_type_member(site->context, target->target.name + 1, &bit_off);
	const struct c_type *type = member ? c_type_strip(member->type) : NULL;

	(void)needs_entry_ret;
	if (!type) {
		report_unknown(env, site, target);
		return false;
	}
	ret->space = SPACE_KERNEL;
	ret->module = site->module;
	ret->base = SITE_BASE_CTX;
	ret->ctx_off = (uint32_t)(bit_off / 8);
	ret->ctx_size = (uint32_t)SP_MIN(type->size, (uint64_t)8);
	ret->base_type = member->type;
	ret->field = sp_arena_printf(env->arena, "struct %s.%s:%u:%u", site->context->name, member->name, ret->ctx_size, ret->ctx_off);
	return true;
}

static void print_var(void *ctx, const struct c_member *member)
{
	struct sp_buf *out = ctx;

	sp_buf_printf(out, " $%s:", member->name);
	c_type_print(out, member->type);
}

static void iter_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	(void)env;
	each_member(site->context, print_var, out);
}

const struct point_family pt_iter = {
	.name = "iter",
	.needs_kernel = true,
	.patterns = "iter.*",
	.matches = iter_matches,
	.resolve = iter_resolve,
	.find_var = iter_find_var,
	.list_names = iter_list_names,
	.list_vars = iter_list_vars,
};
