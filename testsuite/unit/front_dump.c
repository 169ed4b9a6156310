// SPDX-License-Identifier: GPL-2.0-or-later
// front_dump lex|macro|parse [--args a b ... --] [-g] FILE: prints the dump after that pass, then the diagnostics. Exit status 1
// when there are errors. The environment of conditions is fixed, so that goldens are the same everywhere.
#include "compiler/front/macro.h"
#include "compiler/front/tapset.h"

#include "runtime/base/cleanup.h"

#include <stdio.h>

static const char *config(void *ctx, const char *name)
{
	(void)ctx;
	return sp_streq(name, "CONFIG_SMP") ? "y" : sp_streq(name, "CONFIG_XFS_FS") ? "m" :
	       sp_streq(name, "CONFIG_HZ") ? "250" : "";
}

struct options {
	const char *pass, *file;
	const char **dirs;
	unsigned n_dirs;
	bool json;
	struct parse_env env;
};

static bool read_options(int argc, char **argv, struct options *ret)
{
	int i = 2;

	if (argc < 3)
		return false;
	ret->pass = argv[1];
	ret->dirs = sp_calloc(argc, sizeof(*ret->dirs));
	for (; i < argc - 1; i++) {
		if (sp_streq(argv[i], "--args")) {
			ret->env.args = (const char *const *)argv + i + 1;
			while (i + 1 < argc - 1 && !sp_streq(argv[i + 1], "--")) {
				ret->env.n_args++;
				i++;
			}
			i += i + 1 < argc - 1;
		} else if (sp_streq(argv[i], "-g")) {
			ret->env.guru = true;
		} else if (sp_streq(argv[i], "--json")) {
			ret->json = true;
		} else if (sp_streq(argv[i], "-I")) {
			ret->dirs[ret->n_dirs++] = argv[++i];
		} else {
			return false;
		}
	}
	ret->file = argv[argc - 1];
	return i == argc - 1;
}

static void dump_tokens(struct source_map *sources, uint32_t file, const struct options *options,
			struct diag_ctx *dc, struct sp_buf *out)
{
	struct token_list raw = { 0 }, expanded = { 0 };
	struct sp_arena arena = { 0 };

	lex_file(sources, file, &arena, dc, &raw);
	if (sp_streq(options->pass, "macro"))
		macro_expand(sources, &raw, &options->env, &arena, dc, &expanded);
	lex_dump(out, sp_streq(options->pass, "macro") ? &expanded : &raw, sources);
	token_list_deinit(&raw);
	token_list_deinit(&expanded);
	sp_arena_deinit(&arena);
}

static void dump_tree(struct source_map *sources, uint32_t file, const struct options *options,
		      struct diag_ctx *dc, struct sp_buf *out)
{
	struct unit *unit = parse_file(sources, file, &options->env, dc);

	ast_dump(out, unit, sources);
	if (!dc->n_errors && ast_verify(unit, sources))
		sp_buf_printf(out, "BROKEN TREE: %s\n", ast_verify(unit, sources));
	unit_destroy(unit);
}

static int run(struct options *options, struct source_map *sources, struct diag_ctx *dc, struct sp_buf *out)
{
	struct tapset *tapset = NULL;
	uint32_t file = 0;
	struct sp_err *err = NULL;

	if (options->n_dirs)
		err = tapset_open(sources, options->dirs, options->n_dirs, &options->env, dc, &tapset);
	if (!err)
		err = source_read(sources, options->file, SOURCE_USER, &file);
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);

		printf("ERROR: %s\n", text);
		sp_err_free(err);
		tapset_close(tapset);
		return 1;
	}
	if (tapset)
		options->env.macros = tapset_macros(tapset);
	if (sp_streq(options->pass, "parse"))
		dump_tree(sources, file, options, dc, out);
	else
		dump_tokens(sources, file, options, dc, out);
	for (size_t i = 0; i < dc->diags.n; i++) {
		if (options->json)
			diag_render_json(dc, dc->diags.v[i], out);
		else
			diag_render_text(dc, dc->diags.v[i], false, out);
	}
	fwrite(sp_buf_str(out), 1, out->len, stdout);
	tapset_close(tapset);
	return dc->n_errors ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options options = {
		.env = { .kernel_release = "6.12.38-cloud-amd64", .arch = "x86_64", .compat = "5.6", .config = config },
	};
	struct source_map sources;
	struct diag_ctx dc;
	struct sp_buf out = { 0 };
	int status;

	if (!read_options(argc, argv, &options)) {
		fprintf(stderr, "usage: front_dump lex|macro|parse [-g] [--json] [-I DIR] [--args A ... --] FILE\n");
		return 2;
	}
	source_map_init(&sources);
	diag_ctx_init(&dc, &sources);
	status = run(&options, &sources, &dc, &out);
	sp_buf_deinit(&out);
	diag_ctx_deinit(&dc);
	source_map_deinit(&sources);
	free(options.dirs);
	return status;
}
