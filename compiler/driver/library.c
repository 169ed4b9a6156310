// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/library.h"

#include "compiler/model/builtin.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/sema.h"
#include "runtime/base/cleanup.h"

struct lines {
	SP_VEC(char *) v;
};

static void lines_deinit(struct lines *lines)
{
	sp_vec_each(line, &lines->v)
		free(*line);
	sp_vec_deinit(&lines->v);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_sorted(struct spile *spile, struct lines *lines)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	if (lines->v.n)
		qsort(lines->v.v, lines->v.n, sizeof(*lines->v.v), by_text);
	sp_vec_each(line, &lines->v)
		sp_buf_printf(&text, "%s\n", *line);
	session_output(spile, &text);
}

struct sp_err *library_open(struct spile *spile, struct parse_env *env, struct tapset **ret)
{
	const char *const *dirs = spile->opts.tapset_dirs;
	unsigned n_dirs = 0;

	*ret = NULL;
	while (dirs && dirs[n_dirs])
		n_dirs++;
	if (!n_dirs)
		return NULL;
	SP_TRY(tapset_open(&spile->sources, dirs, n_dirs, env, &spile->dc, ret));
	env->macros = tapset_macros(*ret);
	return NULL;
}

// The whole library, parsed.
static struct sp_err *open_whole(struct spile *spile, struct tapset **ret)
{
	struct parse_env env;

	*ret = NULL;
	SP_TRY(session_describe(spile, false));
	env = session_parse_env(spile);
	return library_open(spile, &env, ret);
}

int library_list_points(struct spile *spile)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	point_dump_types(&text);
	session_output(spile, &text);
	return 0;
}

static void print_points(struct sp_buf *out, const struct ast_points *points, const char *between)
{
	for (unsigned i = 0; i < points->n; i++) {
		sp_buf_puts(out, i ? between : "");
		ast_print_point(out, points->v[i]);
	}
}

int library_list_aliases(struct spile *spile)
{
	sp_cleanup(lines_deinit) struct lines lines = { 0 };
	struct tapset *tapset;
	struct sp_err *err = open_whole(spile, &tapset);
	struct unit **units = NULL;
	unsigned n_units = tapset ? tapset_all(tapset, &units) : 0;

	if (err)
		return session_fail(spile, err);
	for (unsigned u = 0; u < n_units; u++) {
		for (unsigned i = 0; i < units[u]->n_aliases; i++) {
			const struct ast_alias *alias = units[u]->aliases[i];
			struct sp_buf text = { 0 };

			if (alias->is_private)
				continue;
			print_points(&text, &alias->names, " = ");
			sp_buf_puts(&text, " = ");
			print_points(&text, &alias->points, ", ");
			sp_vec_push(&lines.v, sp_buf_take(&text));
		}
	}
	put_sorted(spile, &lines);
	session_flush_diags(spile);
	free(units);
	tapset_close(tapset);
	return spile->dc.n_errors ? 1 : 0;
}

static const char *type_name(enum ast_type type)
{
	return type == TYPE_VOID ? ast_type_name(TYPE_UNKNOWN) : ast_type_name(type);
}

static char *function_line(const struct function *f)
{
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%s:%s (", f->name, type_name(f->return_type));
	for (unsigned i = 0; i < f->n_params; i++)
		sp_buf_printf(&text, "%s%s:%s", i ? ", " : "", f->locals.v[i]->name, type_name(f->locals.v[i]->type));
	sp_buf_puts(&text, f->embed && f->embed->needs_guru ? ") /* guru */" : ")");
	return sp_buf_take(&text);
}

// Built into the compiler; its arguments have no names, and those that can be left out make forms of their own.
static void add_builtin(struct lines *lines, const struct builtin *b)
{
	static const char *const results[] = { "unknown", "long", "string" };

	for (unsigned n = builtin_min_args(b); n <= builtin_max_args(b); n++) {
		struct sp_buf text = { 0 };

		sp_buf_printf(&text, "%s:%s (", b->name, results[b->result]);
		for (unsigned i = 0; i < n; i++)
			sp_buf_printf(&text, "%sarg%u:%s", i ? ", " : "", i + 1,
				      builtin_arg(b, i) == 's' ? "string" : "long");
		sp_buf_puts(&text, ")");
		sp_vec_push(&lines->v, sp_buf_take(&text));
	}
}

// Names that begin with an underscore are the library's own business.
static bool is_public(const char *name)
{
	return name[0] != '_' && name[0] != '@';
}

int library_list_functions(struct spile *spile)
{
	sp_cleanup(lines_deinit) struct lines lines = { 0 };
	struct point_env points = session_point_env(spile, &spile->arena);
	struct diag_ctx nobody; // the library's warnings concern its authors
	struct sema_opts opts = { .sources = &spile->sources, .dc = &nobody, .env = &points, .max_string = 512, .guru = true,
				  .unoptimized = true };
	struct sp_err *err = open_whole(spile, &opts.tapset);
	struct unit **units = NULL;
	unsigned n_units = opts.tapset ? tapset_all(opts.tapset, &units) : 0;
	struct program *program;

	if (err)
		return session_fail(spile, err);
	diag_ctx_init(&nobody, &spile->sources);
	points.dc = &nobody;
	program = sema_bind(&opts, units, n_units);
	sema_infer(&opts, program);
	sp_vec_each(f, &program->functions)
		if (!(*f)->decl->is_private && is_public((*f)->name))
			sp_vec_push(&lines.v, function_line(*f));
	for (int id = 0; id < BUILTIN_COUNT; id++)
		if (is_public(builtin_info((enum builtin_id)id)->name))
			add_builtin(&lines, builtin_info((enum builtin_id)id));
	put_sorted(spile, &lines);
	session_flush_diags(spile);
	program_destroy(program);
	diag_ctx_deinit(&nobody);
	free(units);
	tapset_close(opts.tapset);
	return spile->dc.n_errors ? 1 : 0;
}
