// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/library.h"

#include "compiler/model/builtin.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/sema.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

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

// Opens the library for listings, which need all of it.
static struct sp_err *open_whole(struct spile *spile, struct tapset **ret)
{
	struct parse_env env;

	*ret = NULL;
	SP_TRY(session_describe(spile));
	env = session_parse_env(spile);
	return library_open(spile, &env, ret);
}

int library_list_points(struct spile *spile)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 }, json = { 0 };

	point_dump_types(&text);
	for (char *line = text.data, *end; spile->opts.list_json && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		sp_json_begin(&json, NULL, '{');
		sp_json_text(&json, "point", line);
		sp_json_end(&json, '}');
		sp_buf_putc(&json, '\n');
	}
	session_output(spile, spile->opts.list_json ? &json : &text);
	return 0;
}

// ---- documentation --------------------------------------------------------------------------------------------------

// The comment that ends before `at`, which is in its file's `text`; NULL: there is none. *end_ret: its end.
static const char *comment_before(const char *text, const char *at, const char **end_ret)
{
	while (at > text && at[-1] != '\n')
		at--;
	while (at > text && strchr(" \t\n", at[-1]))
		at--;
	if (at - text < 5 || strncmp(at - 2, "*/", 2))
		return NULL;
	*end_ret = at - 2;
	for (at -= 2; at > text && strncmp(at, "/**", 3); at--)
		;
	return strncmp(at, "/**", 3) ? NULL : at + 3;
}

// With -v: the block of documentation before a declaration, indented.
static void print_doc(const struct spile *spile, struct sp_buf *out, struct span span)
{
	const struct source_file *file = spile->opts.max_level > SPILE_WARN ? source_file(&spile->sources, span.file) : NULL;
	const char *end, *line = file ? comment_before(file->text, file->text + span.off, &end) : NULL;

	for (size_t n; line && line < end; line += n + (line + n < end)) {
		const char *text = line + strspn(line, " \t");

		n = strcspn(line, "\n");
		n = SP_MIN(n, (size_t)(end - line));
		text += text < line + n && *text == '*';
		if (text < line + n)
			sp_buf_printf(out, "\n   %.*s", (int)(line + n - text), text);
	}
}

static void print_points(struct sp_buf *out, const struct ast_points *points, const char *between)
{
	for (unsigned i = 0; i < points->n; i++) {
		sp_buf_puts(out, i ? between : "");
		ast_print_point(out, points->v[i]);
	}
}

static void print_json_points(struct sp_buf *out, const char *key, const struct ast_points *points)
{
	sp_json_begin(out, key, '[');
	for (unsigned i = 0; i < points->n; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf point = { 0 };

		ast_print_point(&point, points->v[i]);
		sp_json_text(out, NULL, sp_buf_str(&point));
	}
	sp_json_end(out, ']');
}

static char *alias_line(const struct spile *spile, const struct ast_alias *alias)
{
	struct sp_buf text = { 0 };

	if (spile->opts.list_json) {
		sp_json_begin(&text, NULL, '{');
		print_json_points(&text, "aliases", &alias->names);
		print_json_points(&text, "points", &alias->points);
		sp_json_end(&text, '}');
	} else {
		print_points(&text, &alias->names, " = ");
		sp_buf_puts(&text, " = ");
		print_points(&text, &alias->points, ", ");
		print_doc(spile, &text, alias->span);
	}
	return sp_buf_take(&text);
}

// Names that begin with an underscore are the library's own business.
// `@x` is a macro, and `$value =` a statement of its own.
static bool is_public(const char *name)
{
	return !strchr("_@$", name[0]);
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

			if (!alias->is_private && is_public(alias->names.v[0]->parts[0].name))
				sp_vec_push(&lines.v, alias_line(spile, alias));
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

// The line of a function: "name:type (a:type, ...) /* guru */", or a JSON object.
struct signature {
	struct sp_buf text;
	bool json;
	unsigned n_params;
};

static void begin_signature(struct signature *sig, const char *name, const char *type)
{
	if (!sig->json) {
		sp_buf_printf(&sig->text, "%s:%s (", name, type);
		return;
	}
	sp_json_begin(&sig->text, NULL, '{');
	sp_json_text(&sig->text, "name", name);
	sp_json_text(&sig->text, "type", type);
	sp_json_begin(&sig->text, "parameters", '[');
}

static void add_param(struct signature *sig, const char *name, const char *type)
{
	if (!sig->json) {
		sp_buf_printf(&sig->text, "%s%s:%s", sig->n_params++ ? ", " : "", name, type);
		return;
	}
	sp_json_begin(&sig->text, NULL, '{');
	sp_json_text(&sig->text, "name", name);
	sp_json_text(&sig->text, "type", type);
	sp_json_end(&sig->text, '}');
}

static void end_signature(struct signature *sig, bool needs_guru)
{
	if (sig->json) {
		sp_json_end(&sig->text, ']');
		sp_json_bool(&sig->text, "guru", needs_guru);
		sp_json_end(&sig->text, '}');
	} else {
		sp_buf_puts(&sig->text, needs_guru ? ") /* guru */" : ")");
	}
}

static char *function_line(const struct spile *spile, const struct function *f)
{
	struct signature sig = { .json = spile->opts.list_json };

	begin_signature(&sig, f->name, type_name(f->return_type));
	for (unsigned i = 0; i < f->n_params; i++)
		add_param(&sig, f->locals.v[i]->name, type_name(f->locals.v[i]->type));
	end_signature(&sig, f->embed && f->embed->needs_guru);
	if (!sig.json)
		print_doc(spile, &sig.text, f->decl->span);
	return sp_buf_take(&sig.text);
}

// Adds a line for each number of arguments that a builtin takes. Its arguments have no names: arg1, arg2.
static void add_builtin(const struct spile *spile, struct lines *lines, const struct builtin *b)
{
	static const char *const results[] = { "unknown", "long", "string" };

	for (unsigned n = builtin_min_args(b); n <= builtin_max_args(b); n++) {
		struct signature sig = { .json = spile->opts.list_json };

		begin_signature(&sig, b->name, results[b->result]);
		for (unsigned i = 0; i < n; i++) {
			char name[16];

			snprintf(name, sizeof(name), "arg%u", i + 1);
			add_param(&sig, name, builtin_arg(b, i) == 's' ? "string" : "long");
		}
		end_signature(&sig, false);
		if (!sig.json && spile->opts.max_level > SPILE_WARN)
			sp_buf_printf(&sig.text, "\n    %s", b->what);
		sp_vec_push(&lines->v, sp_buf_take(&sig.text));
	}
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
			sp_vec_push(&lines.v, function_line(spile, *f));
	for (int id = 0; id < BUILTIN_COUNT; id++)
		if (is_public(builtin_info((enum builtin_id)id)->name))
			add_builtin(spile, &lines, builtin_info((enum builtin_id)id));
	put_sorted(spile, &lines);
	session_flush_diags(spile);
	program_destroy(program);
	diag_ctx_deinit(&nobody);
	free(units);
	tapset_close(opts.tapset);
	return spile->dc.n_errors ? 1 : 0;
}
