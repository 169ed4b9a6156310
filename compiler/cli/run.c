// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/run.h"

#include "compiler/cache/result.h"
#include "compiler/cli/pager.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static void put_line(const char *prefix, const char *text)
{
	fflush(stdout); // so that both streams appear in order on a terminal
	fprintf(stderr, "%s%s\n", prefix, text);
}

static void log_compile(void *ctx SP_UNUSED, enum spile_level level, const char *text)
{
	put_line(level == SPILE_ERROR ? "ERROR: " : level == SPILE_WARN ? "WARNING: " : "", text);
}

static void log_run(void *ctx SP_UNUSED, enum spilert_level level, const char *text)
{
	put_line(level == SPILERT_ERROR ? "ERROR: " : level == SPILERT_WARN ? "WARNING: " : "", text);
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
	fwrite(text, 1, len, stdout);
}

static void show_progress(void *ctx SP_UNUSED, const char *text)
{
	fprintf(stderr, "\r\033[K%s", text);
}

// The marks of the passes, by which scripts see this program at work.
static void mark_phase(void *ctx, int phase, int is_end)
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
	const char *first[2] = { env ? env : own ? own : SPILE_DATADIR "/tapset", env || !own ? NULL : made };
	unsigned n = first[1] ? 2 : 1;

	for (unsigned i = 0; i < n; i++)
		sp_vec_push(&o->tapset_dirs, NULL);
	memmove(o->tapset_dirs.v + n, o->tapset_dirs.v, (o->tapset_dirs.n - n) * sizeof(*o->tapset_dirs.v));
	memcpy(o->tapset_dirs.v, first, n * sizeof(*first));
	sp_vec_push(&o->tapset_dirs, NULL);
	o->compile.tapset_dirs = o->tapset_dirs.v;
}

static const char *default_module_dir(struct cli *cli)
{
	if (!cli_beside_program(".libs/spile-gen.so", cli->module_dir, sizeof(cli->module_dir)))
		return NULL;
	*strrchr(cli->module_dir, '/') = '\0';
	return cli->module_dir;
}

int cli_report(struct sp_err *err)
{
	sp_cleanup_free char *text = err ? sp_err_text(err) : NULL;

	if (text)
		put_line("ERROR: ", text);
	sp_err_free(err);
	return text ? 1 : 0;
}

struct clock {
	struct timespec real;
	struct rusage cpu;
};

static void clock_now(struct clock *c)
{
	clock_gettime(CLOCK_MONOTONIC, &c->real);
	getrusage(RUSAGE_SELF, &c->cpu);
}

static long ms_between(long s1, long us1, long s0, long us0)
{
	return (s1 - s0) * 1000 + (us1 - us0) / 1000;
}

static void clock_print(const struct clock *a, const struct clock *b, char *text, size_t size)
{
	snprintf(text, size, "%ldusr/%ldsys/%ldreal ms",
		 ms_between(b->cpu.ru_utime.tv_sec, b->cpu.ru_utime.tv_usec, a->cpu.ru_utime.tv_sec, a->cpu.ru_utime.tv_usec),
		 ms_between(b->cpu.ru_stime.tv_sec, b->cpu.ru_stime.tv_usec, a->cpu.ru_stime.tv_sec, a->cpu.ru_stime.tv_usec),
		 ms_between(b->real.tv_sec, b->real.tv_nsec / 1000, a->real.tv_sec, a->real.tv_nsec / 1000));
}

// -o: as in SystemTap, the name is a format for strftime().
static int open_output(const char *format, int *fd_ret)
{
	char name[PATH_MAX];
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	if (!strftime(name, sizeof(name), format, &tm))
		snprintf(name, sizeof(name), "%s", format);
	return cli_report(sp_file_open_output(name, fd_ret));
}

// The runtime itself reads no debug information.
static int find_frames(void *ctx, const struct spilert_place *place, struct spilert_frame *ret, int max)
{
	const struct spile_place wanted = { place->path, place->module, place->symbol, place->offset };
	struct spile_frame frames[SPILE_FRAMES_MAX];
	struct cli *cli = ctx;
	int n;

	if (!cli->spile) // the script was in the cache
		cli->spile = spile_create(&cli->options.compile);
	n = spile_frames(cli->spile, &wanted, frames, SP_MIN(max, SPILE_FRAMES_MAX));
	for (int i = 0; i < n; i++)
		ret[i] = (struct spilert_frame){ frames[i].function, frames[i].file, frames[i].line };
	return n;
}

// Pass 5: hands the bytes to the runtime.
static int run_bundle(struct cli *cli, const void *bundle, size_t size)
{
	const struct cli_options *o = &cli->options;
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct spilert *rt = NULL;
	struct clock start, end;
	bool is_done;
	char time[80];
	int status;

	opts.log = log_run;
	opts.max_level = (enum spilert_level)(SPILERT_WARN + SP_MIN(o->verbose, 2u));
	opts.engine = o->engine;
	opts.command = o->compile.command;
	opts.pid = o->compile.pid;
	opts.seconds = o->seconds;
	opts.no_warnings = o->compile.no_warnings;
	opts.suppress_handler_errors = o->suppress_handler_errors;
	opts.timing = o->timing;
	opts.folded = o->folded;
	opts.flamegraph = o->flamegraph;
	opts.frames = find_frames;
	opts.frames_ctx = cli;
	opts.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
	if (o->output && open_output(o->output, &opts.out_fd))
		return 1;
	if (o->verbose)
		put_line("", "Pass 5: starting run.");
	status = spilert_open_memory(bundle, size, &opts, &rt);
	status = status ? status : spilert_prepare(rt);
	is_done = !status && spilert_supervise(rt, &status);
	clock_now(&start); // spilert_supervise() may have forked: this is the process that runs the script
	if (!is_done) {
		status = status ? status : spilert_load(rt);
		status = status ? status : spilert_attach(rt);
		status = status ? status : spilert_run(rt);
	}
	spilert_close(rt);
	clock_now(&end);
	clock_print(&start, &end, time, sizeof(time));
	if (o->verbose && !is_done)
		fprintf(stderr, "Pass 5: run %s in %s.\n", status ? "failed" : "completed", time);
	if (opts.out_fd >= 0)
		close(opts.out_fd);
	return status;
}

static int save_bundle(const struct cli_options *o, const void *bundle, size_t size, const struct clock *start)
{
	bool is_last = o->last_phase == 4;
	char name[PATH_MAX], time[80];
	struct clock end;
	int status = 0;

	if (is_last && o->output)
		snprintf(name, sizeof(name), "%s", o->output);
	else if (o->module)
		snprintf(name, sizeof(name), "%s.spo", o->module);
	else
		snprintf(name, sizeof(name), "spile_%d.spo", getpid());
	clock_now(&end);
	clock_print(start, &end, time, sizeof(time));
	if (is_last || o->keep || o->module)
		status = cli_report(sp_file_replace(AT_FDCWD, name, bundle, size, 0666));
	if (!status && o->verbose)
		fprintf(stderr, "Pass 4: compiled BPF into \"%s\" in %s.\n", name, time);
	if (!status && is_last)
		puts(name);
	else if (!status && o->keep)
		fprintf(stderr, "Keeping \"%s\".\n", name);
	return status;
}

static const char *last_pass_of_phase(int phase)
{
	return phase == 1 ? "parse" : phase == 2 ? "size" : phase == 3 ? "plan" : NULL;
}

// Prints again what the compiler said when it made the result.
static void repeat_messages(const struct cli_options *o, const struct result *result)
{
	const uint8_t *at = result->messages, *end = at + result->messages_size;
	struct result_message message;

	while (result_next_message(&at, end, &message)) {
		if (message.level == RESULT_DIAG)
			o->compile.diag(o->compile.ctx, message.text);
		else if (message.level <= (unsigned)o->compile.max_level)
			o->compile.log(o->compile.ctx, (enum spile_level)message.level, message.text);
	}
}

// Looks for the result of an earlier compilation.
static bool find_result(const struct cli_options *o, const char *name, const struct sp_buf *text, struct result *ret)
{
	struct result_key key = result_key(&o->compile, name, sp_buf_str(text), text->len);
	sp_cleanup_free char *why = NULL;
	bool is_damaged;

	if (result_find(&key, ret, &why, &is_damaged)) {
		if (o->verbose)
			fprintf(stderr, "Pass 1 to 4: using cached %s" RESULT_ENDING ".\n", key.text);
		repeat_messages(o, ret);
		return true;
	}
	if (is_damaged)
		fprintf(stderr, "WARNING: %s" RESULT_ENDING " in the cache is not used: %s\n", key.text, why);
	else if (why && o->verbose)
		fprintf(stderr, "%s" RESULT_ENDING " in the cache is not used: %s\n", key.text, why);
	return false;
}

static int use_bundle(struct cli *cli, const void *bundle, size_t size, const struct clock *start)
{
	const struct cli_options *o = &cli->options;
	int status = save_bundle(o, bundle, size, start);

	if (status || o->last_phase == 4)
		return status;
	mark_phase(cli, 5, false);
	status = run_bundle(cli, bundle, size);
	mark_phase(cli, 5, true);
	return status;
}

static int compile(struct cli *cli, const char *name, const struct sp_buf *text, const struct clock *start)
{
	struct spile *spile = cli->spile = spile_create(&cli->options.compile);
	int status = spile_script_text(spile, name, sp_buf_str(text), text->len);
	const void *bundle;
	size_t size;

	status = status ? status : spile_compile(spile);
	bundle = spile_bundle(spile, &size);
	if (!status && bundle && !cli->options.compile.cost)
		status = use_bundle(cli, bundle, size, start);
	return status;
}

int cli_run(struct cli *cli)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const struct cli_options *o = &cli->options;
	const char *name = o->script_text ? "<input>" : sp_file_script_name(o->script_path);
	struct sp_err *err = NULL;
	struct result result;
	struct clock start;
	int status;

	clock_now(&start);
	mark_phase(cli, 0, false);
	if (o->script_text)
		sp_buf_puts(&text, o->script_text);
	else
		err = sp_file_read(o->script_path, SP_FILE_MAX_SCRIPT, &text);
	mark_phase(cli, 0, true);
	if (err)
		return cli_report(err);
	if (o->compile.cache && !o->poison_cache && result_is_possible(&o->compile) && find_result(o, name, &text, &result)) {
		status = use_bundle(cli, result.object, result.object_size, &start);
		result_deinit(&result);
	} else {
		status = compile(cli, name, &text, &start);
	}
	if (cli->spile)
		spile_destroy(cli->spile);
	cli->spile = NULL;
	return status;
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
	o->compile.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
	if (o->compile.progress)
		setenv("DEBUGINFOD_PROGRESS", "1", 0); // libdebuginfod has its own
	o->compile.describe = describe;
	o->compile.phase = mark_phase;
	o->compile.globals = o->globals.v;
	o->compile.cache = o->action == CLI_RUN && o->last_phase >= 4 && !o->no_cache;
	o->compile.runs = o->last_phase == 5;
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
	free(cli->description);
}
