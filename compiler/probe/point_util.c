// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/point_util.h"

#include <stdlib.h>

const struct ast_point_part *point_part(const struct ast_point *point, const char *name)
{
	for (unsigned i = 0; i < point->n_parts; i++)
		if (sp_streq(point->parts[i].name, name))
			return &point->parts[i];
	return NULL;
}

bool point_is_for_uprobes(const struct point_env *env)
{
	return env->is_probed && !env->user_engine_only && target_has(env->target, SP_FEATURE_UPROBE);
}

struct site *point_add_site(struct point_env *env, const struct point_family *family,
			    const struct ast_point *point, struct sites *sites)
{
	struct site *site = sp_arena_new(env->arena, struct site);

	site->family = family;
	site->origin = point;
	site->function = "";
	site->symbol = "";
	site->why = "";
	sp_vec_push(&sites->list, site);
	return site;
}

void point_print_rest(struct sp_buf *out, const struct ast_point *point, unsigned first)
{
	struct ast_point rest = { .parts = point->parts + first, .n_parts = point->n_parts - first };

	if (!rest.n_parts)
		return;
	sp_buf_putc(out, '.');
	ast_print_point(out, &rest);
}

void point_print_file(struct sp_buf *out, const char *file, unsigned line)
{
	if (!file)
		return;
	sp_buf_putc(out, '@');
	sp_buf_puts(out, file);
	if (line)
		sp_buf_printf(out, ":%u", line);
}

const char *point_take(struct point_env *env, struct sp_buf *buf)
{
	const char *ret = sp_arena_strdup(env->arena, sp_buf_str(buf));

	sp_buf_deinit(buf);
	return ret;
}

struct diag *point_report(struct point_env *env, struct span span, enum diag_id id, struct sp_err *err)
{
	char *text = sp_err_text(err);
	struct diag *d = diag(env->dc, span, id, "%s", text);

	free(text);
	sp_err_free(err);
	return d;
}

bool point_kernel_modules(struct point_env *env, const struct ast_point_part *part, const char *section, const char *function,
			  struct dbg_modules *ret)
{
	struct dbg_module **module = sp_arena_new(env->arena, struct dbg_module *);
	const char *name = part->arg->string.text;
	struct sp_err *err;

	if (sp_has_glob(name)) {
		err = dbg_find_kernel_modules(env->dbg, &(struct dbg_module_query){ name, section, function }, ret);
	} else {
		err = dbg_kernel_module(env->dbg, name, module);
		*ret = (struct dbg_modules){ module, 1, 0 };
	}
	if (!err)
		return true;
	point_report(env, part->arg->span, DIAG_MODULE_UNREADABLE, err);
	return false;
}
