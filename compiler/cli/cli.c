// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/cli.h"

#include "compiler/cli/pager.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/log.h"
#include "runtime/base/mark.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

void cli_print_line(const char *prefix, const char *text)
{
	fflush(stdout); // so that both streams appear in order on a terminal
	fprintf(stderr, "%s%s\n", prefix, text);
}

static void log_compile(void *ctx SP_UNUSED, enum spile_level level, const char *text)
{
	cli_print_line(sp_log_word(level), text);
}

static void show_diag(void *ctx SP_UNUSED, const char *text)
{
	fflush(stdout);
	fputs(text, stderr);
}

static void show_output(void *ctx, const char *text, size_t len)
{
	struct cli *cli = ctx;

	if (cli->captured) {
		sp_buf_add(cli->captured, text, len);
		return;
	}
	if (cli->pages && !cli->pager)
		cli->pager = pager_start();
	// What comes next may take a while.
	if ((fwrite(text, 1, len, stdout) != len || fflush(stdout)) && !cli->output_error)
		cli->output_error = errno;
}

void cli_show_progress(void *ctx SP_UNUSED, const char *text)
{
	fprintf(stderr, "\r\033[K%s", text);
}

void cli_mark_phase(void *ctx, int phase, int is_end)
{
	if (is_end)
		SP_MARK("phase__end", phase, ctx);
	else
		SP_MARK("phase__begin", phase, ctx);
}

static const char *describe(void *ctx, int kernel)
{
	struct cli *cli = ctx;

	free(cli->description);
	cli->description = spilert_describe(kernel);
	return cli->description;
}

const char *cli_beside_program(const char *name, char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	path[len > 0 ? len : 0] = '\0';
	slash = strrchr(path, '/');
	// A hard link to a program with privileges may be in anybody's folder.
	if (!slash || (size_t)(slash - path) + 1 + strlen(name) >= size || sp_env_is_raised())
		return NULL;
	*slash = '\0';
	if (sp_streq(path, SPILE_BINDIR))
		return NULL;
	*slash = '/';
	strcpy(slash + 1, name);
	return access(path, R_OK) == 0 ? path : NULL;
}

// Adds the default folders of library scripts before those of -I: the last ones win. In a source tree's build some are made by make.
static void add_default_tapsets(struct cli *cli)
{
	struct cli_options *o = &cli->options;
	const char *env = sp_env("SPILE_TAPSET"), *own = cli_beside_program("tapsets", cli->tapset_dir, sizeof(cli->tapset_dir));
	const char *made = cli_beside_program("tapsets-made", cli->made_tapset_dir, sizeof(cli->made_tapset_dir));
	bool is_named = env && *env;
	const char *first[2] = { is_named ? env : own ? own : SPILE_DATADIR "/tapset", is_named || !own ? NULL : made };
	unsigned n = first[1] ? 2 : 1;

	for (unsigned i = 0; i < n; i++)
		sp_vec_push(&o->tapset_dirs, NULL);
	memmove(o->tapset_dirs.v + n, o->tapset_dirs.v, (o->tapset_dirs.n - n) * sizeof(*o->tapset_dirs.v));
	memcpy(o->tapset_dirs.v, first, n * sizeof(*first));
	sp_vec_push(&o->tapset_dirs, NULL);
	o->compile.tapset_dirs = o->tapset_dirs.v;
	if (is_named && access(env, R_OK) && !o->compile.no_warnings)
		fprintf(stderr, "WARNING: SPILE_TAPSET=%s: %s\n", env, strerror(errno));
}

static const char *default_module_dir(struct cli *cli)
{
	if (!cli_beside_program("spile-gen.so", cli->module_dir, sizeof(cli->module_dir)))
		return NULL;
	*strrchr(cli->module_dir, '/') = '\0';
	return cli->module_dir;
}

// Of one character of `len` bytes; 0: they are no UTF-8.
static bool steers(const char *c, size_t len)
{
	return len == 0 || (len == 1 && ((unsigned char)*c < ' ' || *c == 0x7f)) || (len == 2 && *c == '\xc2' && (unsigned char)c[1] < 0xa0);
}

void cli_add_shown(struct sp_buf *out, const char *text)
{
	for (const char *c = text; *c;) {
		size_t len = sp_utf8_len(c), n = SP_MAX(len, (size_t)1);

		if (!steers(c, len))
			sp_buf_add(out, c, n);
		else
			for (size_t i = 0; i < n; i++)
				sp_buf_printf(out, "\\%03o", (unsigned char)c[i]);
		c += n;
	}
}

int cli_report(struct sp_err *err)
{
	sp_cleanup_free char *text = err ? sp_err_text(err) : NULL;

	if (text)
		cli_print_line("ERROR: ", text);
	sp_err_free(err);
	return text ? 1 : 0;
}

static const char *last_pass_of_phase(int phase)
{
	return phase == 1 ? "parse" : phase == 2 ? "size" : phase == 3 ? "plan" : NULL;
}

void cli_init(struct cli *cli)
{
	struct cli_options *o = &cli->options;

	add_default_tapsets(cli);
	o->compile.module_dir = default_module_dir(cli);
	o->compile.ctx = cli;
	o->compile.log = log_compile;
	o->compile.max_level = (enum spile_level)(SPILE_WARN + SP_MIN(o->verbose, 2u));
	o->compile.diag = show_diag;
	o->compile.output = show_output;
	o->compile.progress = isatty(STDERR_FILENO) ? cli_show_progress : NULL;
	if (o->compile.progress)
		setenv("DEBUGINFOD_PROGRESS", "1", 0); // libdebuginfod has its own
	o->compile.describe = describe;
	o->compile.phase = cli_mark_phase;
	o->compile.globals = o->globals.v;
	bool compiles = o->action == CLI_RUN || o->action == CLI_PACK || o->action == CLI_CHECK;
	o->compile.cache = ((compiles && o->last_phase >= 4) || o->action == CLI_LIST) && !o->no_cache;
	o->compile.runs = o->action == CLI_RUN && o->last_phase == 5;
	o->compile.user_engine = o->engine == SPILERT_ENGINE_USER ? 2 : o->engine == SPILERT_ENGINE_AUTO;
	if (o->last_phase < 4 && !o->compile.stop_after) {
		o->compile.stop_after = cli->default_dump[0] = last_pass_of_phase(o->last_phase);
		if (o->dumps.n == 1) // only the terminator
			o->compile.dumps = cli->default_dump;
	}
}

void cli_deinit(struct cli *cli)
{
	options_deinit(&cli->options);
	sp_buf_deinit(&cli->diags);
	free(cli->description);
}
