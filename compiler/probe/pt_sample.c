// SPDX-License-Identifier: GPL-2.0-or-later
// perf.data("FILE").sample: each sample of a file that perf record has written, in the order of time. sema/bind_sample.c says what
// $variables there are.
#include "compiler/probe/point_util.h"

static const struct pt_sample_variable variables[] = {
#define LONG false
#define STRING true
#define SP_SAMPLE(id, name, type, what) { name, type },
#include "runtime/abi/sample.def"
#undef SP_SAMPLE
#undef LONG
#undef STRING
};

const struct pt_sample_variable *pt_sample_variable(const char *name)
{
	for (unsigned i = 0; i < SP_ARRAY_SIZE(variables); i++)
		if (sp_streq(variables[i].name, name))
			return &variables[i];
	return NULL;
}

static bool sample_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "perf") && point->n_parts > 1 && sp_streq(point->parts[1].name, "data");
}

static bool sample_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	struct site *site = point_add_site(env, &pt_sample, point, sites);
	struct sp_buf text = { 0 };

	(void)why_ret;
	ast_print_point(&text, &(struct ast_point){ .parts = point->parts, .n_parts = point->n_parts });
	site->point = point_take(env, &text);
	site->symbol = point->parts[1].arg->string.text;
	site->kind = SP_SITE_SAMPLE;
	site->prog_kind = SP_PROG_USER;
	site->why = "samples of a file of perf record";
	return true;
}

static void sample_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	(void)env, (void)site;
	for (unsigned i = 0; i < SP_ARRAY_SIZE(variables); i++)
		sp_buf_printf(out, " %s:%s", variables[i].name, variables[i].is_text ? "string" : "long");
}

const struct point_family pt_sample = {
	.name = "perf.data",
	.patterns = "perf.data(string).sample",
	.matches = sample_matches,
	.resolve = sample_resolve,
	.list_vars = sample_list_vars,
};
