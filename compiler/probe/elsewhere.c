// SPDX-License-Identifier: GPL-2.0-or-later
// A name alone in the place of a probe point, as `vfs_read`: the points that were probably meant.
#include "compiler/probe/point_util.h"

// Resolves kernel.FAMILY("NAME") without a word to the user. *hint_ret: the hint of the message that there are none, or NULL.
static void resolve(const struct point_env *env, const char *family, const char *name, struct sites *sites_ret,
		    const char **hint_ret)
{
	struct ast_expr arg = { .kind = AST_STRING, .string = { .text = name, .len = (uint32_t)strlen(name) } };
	struct ast_point_part parts[] = { { .name = "kernel" }, { .name = family, .arg = &arg } };
	struct ast_point *point = sp_arena_new(env->arena, struct ast_point);
	struct point_env quiet = *env;
	struct diag_ctx nobody;

	*point = (struct ast_point){ .n_parts = SP_ARRAY_SIZE(parts), .parts = sp_arena_memdup(env->arena, parts, sizeof(parts)) };
	point->parts[1].arg = sp_arena_memdup(env->arena, &arg, sizeof(arg));
	diag_ctx_init(&nobody, env->dc->sources);
	quiet.dc = &nobody;
	quiet.only_named = true;
	*hint_ret = NULL;
	if (!point_resolve(&quiet, point, sites_ret) && nobody.diags.n && nobody.diags.v[0]->hint)
		*hint_ret = sp_arena_strdup(env->arena, nobody.diags.v[0]->hint);
	diag_ctx_deinit(&nobody);
}

void point_elsewhere(const struct point_env *env, const struct ast_point *point, struct sp_buf *ret)
{
	const char *name = point->parts[0].name, *hint;
	struct sites functions = { 0 }, tracepoints = { 0 };

	resolve(env, "function", name, &functions, &hint);
	if (functions.list.n) { // the site's own name says where it is, too
		sp_buf_printf(ret, "kernel.function(\"%s\")", name);
		point_print_rest(ret, point, 1);
		sp_buf_putc(ret, '\n');
	}
	resolve(env, "trace", name, &tracepoints, &hint);
	if (tracepoints.list.n && point->n_parts == 1)
		sp_buf_printf(ret, "%s\n", tracepoints.list.v[0]->point);
	sp_vec_deinit(&functions.list);
	sp_vec_deinit(&tracepoints.list);
}

const char *point_similar_function(const struct point_env *env, const char *name)
{
	struct sites sites = { 0 };
	const char *hint;

	resolve(env, "function", name, &sites, &hint);
	sp_vec_deinit(&sites.list);
	return hint && sp_starts_with(hint, "did you mean") ? hint : NULL;
}
