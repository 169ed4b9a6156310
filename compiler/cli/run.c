// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/run.h"

#include "compiler/cli/background.h"
#include "compiler/cli/compile.h"
#include "compiler/cli/explain.h"
#include "compiler/cli/monitor.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static void log_run(void *ctx, enum spilert_level level, const char *text)
{
	fflush(stdout); // so that both streams appear in order on a terminal
	sp_file_say(ctx, sp_log_word(level), text);
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

int cli_open_output(const char *format, int *fd_ret)
{
	char name[PATH_MAX];

	sp_file_dated_name(format, name, sizeof(name));
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

static void tell_address(void *ctx SP_UNUSED, const char *address)
{
	cli_print_line("web: ", address);
}

static struct spilert_opts run_opts(struct cli *cli, const char *script)
{
	const struct cli_options *o = &cli->options;
	struct spilert_opts opts = SPILERT_OPTS_INIT;

	opts.log = log_run;
	opts.max_level = (enum spilert_level)(SPILERT_WARN + SP_MIN(o->verbose, 2u));
	opts.engine = o->engine;
	opts.command = o->compile.command;
	opts.pid = o->compile.pid;
	opts.seconds = o->seconds;
	opts.no_warnings = o->compile.no_warnings;
	opts.suppress_handler_errors = o->suppress_handler_errors;
	opts.timing = o->timing;
	opts.max_overhead = o->max_overhead;
	opts.overload = o->overload.share;
	opts.overload_seconds = o->overload.seconds;
	opts.folded = o->folded;
	opts.flamegraph = o->flamegraph;
	opts.perf_data = o->perf_data;
	opts.perf_writer = &spilert_perf_writer;
	opts.plot = o->plot;
	opts.plotter = &spilert_plotter;
	opts.sampler = &spilert_sampler;
	opts.unseen = &spilert_unseen;
	opts.json = o->json;
	opts.name = o->module;
	opts.prometheus = o->prometheus;
	opts.web = o->web;
	opts.page = &spilert_page;
	opts.title = script;
	opts.served = tell_address;
	opts.frames = find_frames;
	opts.sandbox = 1;
	opts.frames_ctx = cli;
	opts.progress = isatty(STDERR_FILENO) && !o->background ? cli_show_progress : NULL;
	return opts;
}

static int open_output(const struct cli_options *o, struct spilert_opts *opts)
{
	if (!o->rotate_megabytes)
		return o->output ? cli_open_output(o->output, &opts->out_fd) : 0;
	opts->rotate_file = o->output;
	opts->rotate_size = (uint64_t)o->rotate_megabytes << 20;
	opts->rotate_keep = (unsigned)o->rotate_keep;
	return 0;
}

// Where messages go in the background: into the output, unless that is in several files.
static int open_messages(const struct cli_options *o, const struct spilert_opts *opts, int *fd_ret)
{
	char name[PATH_MAX];

	*fd_ret = opts->out_fd;
	if (!o->rotate_megabytes)
		return 0;
	snprintf(name, sizeof(name), "%s.messages", o->output);
	return cli_open_output(name, fd_ret);
}

static void keep_variables(const struct cli *cli, const struct spilert *rt)
{
	sp_cleanup_free char *text = cli->variables_fd && rt ? spilert_variables(rt) : NULL;

	if (text)
		cli_report(sp_file_write(cli->variables_fd, "variables", text, strlen(text)));
}

// Pass 5: hands the bytes to the runtime.
static int run_bundle(struct cli *cli, const char *script, const void *bundle, size_t size)
{
	const struct cli_options *o = &cli->options;
	struct spilert_opts opts = run_opts(cli, script);
	unsigned lost = 0; // messages
	struct spilert *rt = NULL;
	struct monitor *monitor = NULL;
	enum monitor_ends how;
	struct clock start, end;
	bool is_done;
	char time[80];
	int status = 1, not_shown, begun, messages;

	opts.log_ctx = &lost;
	if (open_output(o, &opts))
		return 1;
	if (o->background && (open_messages(o, &opts, &messages) || background_start(&begun, &status)))
		return status;
	if (o->verbose)
		cli_print_line("", "Pass 5: starting run.");
	status = o->monitor ? monitor_start(script, o->monitor, &opts, &monitor) : 0;
	status = status ? status : spilert_open_memory(bundle, size, &opts, &rt);
	status = status ? status : spilert_prepare(rt);
	is_done = !status && spilert_supervise(rt, &status);
	clock_now(&start); // spilert_supervise() may have forked: this is the process that runs the script
	if (!is_done) {
		status = status ? status : spilert_load(rt);
		if (!status)
			monitor_begin(monitor);
		status = status ? status : spilert_attach(rt);
		if (o->background && !status)
			background_begin(begun, messages);
		status = status ? status : spilert_run(rt);
		keep_variables(cli, rt);
	}
	how = is_done ? MONITOR_IS_OTHER : rt && spilert_is_hurried(rt) ? MONITOR_HURRIES : MONITOR_WAITS;
	spilert_close(rt);
	not_shown = monitor_end(monitor, how);
	status = status ? status : not_shown;
	clock_now(&end);
	clock_print(&start, &end, time, sizeof(time));
	if (o->verbose && !is_done)
		fprintf(stderr, "Pass 5: run %s in %s.\n", status ? "failed" : "completed", time);
	if (opts.out_fd >= 0)
		close(opts.out_fd);
	return status;
}

// The compiled script does not hold how it is to be run.
static void warn_of_run(const struct cli_options *o)
{
	const struct { bool is_given; const char *name; } others[] = {
		{ o->seconds, "-T" },
		{ o->timing, "-t" },
		{ o->suppress_handler_errors, "--suppress-handler-errors" },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(others); i++)
		if (others[i].is_given && !o->compile.no_warnings)
			fprintf(stderr, "WARNING: the compiled script does not keep %s: it is an option of spile-run\n", others[i].name);
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
	if (!status && is_last) {
		warn_of_run(o);
		puts(name);
	}
	if (!status && !is_last && o->keep)
		fprintf(stderr, "Keeping \"%s\".\n", name);
	return status;
}

static int use_bundle(struct cli *cli, const char *script, const void *bundle, size_t size, const struct clock *start)
{
	const struct cli_options *o = &cli->options;
	int status = save_bundle(o, bundle, size, start);

	if (status || o->last_phase == 4 || o->compile.stop_after)
		return status;
	cli_mark_phase(cli, 5, false);
	status = run_bundle(cli, script, bundle, size);
	cli_mark_phase(cli, 5, true);
	return status;
}

int cli_run(struct cli *cli)
{
	struct cli_script script;
	const struct cli_options *o = &cli->options;
	struct cli_object object;
	struct clock start;
	int status;

	clock_now(&start);
	cli_mark_phase(cli, 0, false);
	status = cli_read_script(cli, &script);
	cli_mark_phase(cli, 0, true);
	if (!status) {
		status = cli_compile(cli, &script, &object);
		if (!status && object.bytes && o->explains)
			status = cli_explain(cli, &script, &object);
		else if (!status && object.bytes && (!o->compile.cost || (o->last_phase == 4 && o->output)))
			status = use_bundle(cli, script.name, object.bytes, object.size, &start);
		cli_object_release(cli, &object);
	}
	cli_script_deinit(&script);
	return status;
}
