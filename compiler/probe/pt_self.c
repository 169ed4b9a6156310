// SPDX-License-Identifier: GPL-2.0-or-later
// The script's own life: begin, end, error, never.
#include "compiler/probe/point_util.h"

static bool self_matches(const struct ast_point *point)
{
	const char *name = point->parts[0].name;

	return sp_streq(name, "begin") || sp_streq(name, "end") || sp_streq(name, "error") ||
	       sp_streq(name, "never");
}

static enum sp_site_kind kind_of(const char *name)
{
	if (sp_streq(name, "begin"))
		return SP_SITE_BEGIN;
	if (sp_streq(name, "end"))
		return SP_SITE_END;
	return SP_SITE_ERROR;
}

static bool self_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites,
			 const char **why_ret)
{
	struct site *site = point_add_site(env, &pt_self, point, sites);
	struct sp_buf text = { 0 };

	(void)why_ret;
	ast_print_point(&text,
			&(struct ast_point){ .parts = point->parts, .n_parts = point->n_parts });
	site->point = point_take(env, &text);
	site->is_never = sp_streq(point->parts[0].name, "never");
	if (!site->is_never)
		site->kind = kind_of(point->parts[0].name);
	site->prog_kind = SP_PROG_USER;
	site->args.session.order = point->parts[0].arg ? point->parts[0].arg->number : 0;
	return true;
}

const struct point_family pt_self = {
	.name = "begin",
	.patterns = "begin\nbegin(number)\nend\nend(number)\nerror\nerror(number)\nnever",
	.matches = self_matches,
	.resolve = self_resolve,
};
