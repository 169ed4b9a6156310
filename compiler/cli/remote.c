// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/remote.h"

#include "compiler/cli/remote_hosts.h"
#include "compiler/cli/remote_job.h"
#include "compiler/cli/remote_link.h"
#include "compiler/cli/remote_script.h"
#include "compiler/cli/run.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/sysinfo.h>
#include <wordexp.h>

#define SAME_SIGNAL_NS 300000000u
#define PATIENCE_NS 2000000000u // for a reader that reads nothing, when another signal than Ctrl-C has ended the session
#define TICK_MS 50 // how often processes that are to end are looked at

struct remote {
	struct cli *cli;
	struct cli_script script;
	struct remote_hosts hosts;
	struct remote_shell shell;
	struct sp_buf arguments;
	char runner[PATH_MAX];
	struct remote_link *links; // of each host
	SP_VEC(struct remote_job *) jobs; // of each description
	struct remote_sink out, err;
	sigset_t signals;
	int signal_fd;
	unsigned n_signals;
	uint64_t signalled_at; // the last time
	bool hurries; // by another signal than Ctrl-C, of which there may be no second
};

static bool is_active(const struct remote_link *link)
{
	return link->state != REMOTE_WAITS && link->state != REMOTE_GONE;
}

// ---- what is the same for all ----------------------------------------------------------------------------------------

static void add_argument(struct remote *r, const char *option, const char *value)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf word = { 0 };

	sp_buf_printf(&word, "%s%s", option, value);
	remote_script_quote(&r->arguments, sp_buf_str(&word));
}

// The options that spile-run has for what is done where the script runs; the compiler has taken the others.
static void make_arguments(struct remote *r)
{
	static const char *const engines[] = { [SPILERT_ENGINE_AUTO] = "auto", [SPILERT_ENGINE_KERNEL] = "kernel",
					       [SPILERT_ENGINE_USER] = "user" };
	const struct cli_options *o = &r->cli->options;
	char number[40];

	if (o->compile.command)
		add_argument(r, "-c", o->compile.command);
	if (o->compile.pid) {
		snprintf(number, sizeof(number), "%d", o->compile.pid);
		add_argument(r, "-x", number);
	}
	if (o->seconds > 0) {
		snprintf(number, sizeof(number), "%.9g", o->seconds);
		add_argument(r, "-T", number);
	}
	if (o->prometheus) {
		snprintf(number, sizeof(number), "%d", SP_MAX(o->prometheus, 0));
		add_argument(r, "--prometheus=", number);
	}
	if (o->max_overhead > 0) {
		snprintf(number, sizeof(number), "%.9g", o->max_overhead * 100);
		add_argument(r, "--max-overhead=", number);
	}
	if (o->overload.share > 0) {
		snprintf(number, sizeof(number), "%.9g", o->overload.share * 100);
		add_argument(r, "--overload=", number);
	}
	for (unsigned i = 0; i < SP_MIN(o->verbose, 2u); i++)
		add_argument(r, "-v", "");
	if (o->timing)
		add_argument(r, "-t", "");
	if (o->compile.no_warnings)
		add_argument(r, "-w", "");
	if (o->folded)
		add_argument(r, "--folded", "");
	if (o->compile.json)
		add_argument(r, "--json", "");
	if (o->suppress_handler_errors)
		add_argument(r, "--suppress-handler-errors", "");
	add_argument(r, "--engine=", engines[o->engine]);
	r->shell.arguments = sp_buf_str(&r->arguments);
}

static const char *find_runner(struct remote *r)
{
	static const char *const names[] = { "spile-run-static", "spile-run" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++) {
		if (cli_beside_program(names[i], r->runner, sizeof(r->runner)))
			return r->runner;
		snprintf(r->runner, sizeof(r->runner), "%s/%s", SPILE_BINDIR, names[i]);
		if (access(r->runner, R_OK) == 0)
			return r->runner;
	}
	return NULL;
}

// Splits the remote shell's name into words, as a shell does.
static int make_shell(struct remote *r)
{
	const struct remote_options *o = &r->cli->options.remote;
	const char *env = sp_env("SPILE_SSH"), *command = o->shell ? o->shell : env && *env ? env : "ssh", *slash;
	wordexp_t words;

	if (wordexp(command, &words, WRDE_NOCMD | WRDE_UNDEF) || !words.we_wordc) {
		fprintf(stderr, "spile: the remote shell cannot be split into words: %s\n", command);
		return 2;
	}
	for (size_t i = 0; i < words.we_wordc; i++)
		sp_vec_push(&r->shell.words, sp_strdup(words.we_wordv[i]));
	wordfree(&words);
	slash = strrchr(r->shell.words.v[0], '/');
	r->shell.is_ssh = sp_streq(slash ? slash + 1 : r->shell.words.v[0], "ssh");
	r->shell.is_alone = r->hosts.list.n == 1;
	r->shell.runner = find_runner(r);
	r->shell.messages = &r->err;
	make_arguments(r);
	return 0;
}

static void make_links(struct remote *r)
{
	bool prefix = r->cli->options.remote.prefix || r->hosts.list.n > 1, json = r->cli->options.show.json;

	r->links = sp_calloc(r->hosts.list.n, sizeof(*r->links));
	for (size_t i = 0; i < r->hosts.list.n; i++) {
		const struct remote_host *host = &r->hosts.list.v[i];
		const char *label = prefix ? host->label : NULL;

		r->links[i] = (struct remote_link){ .host = host, .number = (unsigned)i, .shell = &r->shell, .in = -1, .out = -1, .err = -1,
						    .output = { .sink = &r->out, .label = json ? host->label : label, .json = json },
						    .errors = { .sink = &r->err, .label = label } };
	}
}

static int block_signals(struct remote *r)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &r->shell.signals);
	signal(SIGPIPE, SIG_IGN);
	r->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signal_fd >= 0 ? 0 : cli_report(sp_err_errno(errno, "cannot wait for signals"));
}

// ---- compiling -------------------------------------------------------------------------------------------------------

static struct remote_job *job_of(struct remote *r, const struct remote_link *link)
{
	struct remote_job *job;

	for (size_t i = 0; i < r->jobs.n; i++)
		if (sp_streq(r->jobs.v[i]->description, sp_buf_str(&link->description)))
			return r->jobs.v[i];
	job = sp_calloc(1, sizeof(*job));
	job->description = sp_strdup(sp_buf_str(&link->description));
	job->label = link->host->label;
	sp_vec_push(&r->jobs, job);
	return job;
}

static void start_jobs(struct remote *r)
{
	size_t n_running = 0, room = (size_t)SP_MAX(get_nprocs(), 1);

	for (size_t i = 0; i < r->jobs.n; i++)
		n_running += r->jobs.v[i]->state == REMOTE_JOB_RUNS;
	for (size_t i = 0; i < r->jobs.n && n_running < room; i++) {
		struct remote_job *job = r->jobs.v[i];

		if (job->state != REMOTE_JOB_WAITS)
			continue;
		n_running++;
		if (!r->n_signals && remote_job_start(job, r->cli, &r->script, &r->shell.signals)) {
			job->state = REMOTE_JOB_DONE;
			job->status = 1;
		}
	}
}

// Compiles for hosts that have described themselves, and gives what has been compiled to those that wait for it.
static void supply(struct remote *r)
{
	for (size_t i = 0; i < r->hosts.list.n; i++) {
		struct remote_link *link = &r->links[i];
		const struct remote_job *job;

		if (link->state != REMOTE_IS_DESCRIBED && link->state != REMOTE_WANTS_SCRIPT)
			continue;
		job = job_of(r, link);
		if (job->state == REMOTE_JOB_DONE && job->status)
			remote_link_fail(link, job->status, "the script was not compiled for this machine");
		else if (job->state == REMOTE_JOB_DONE && link->state == REMOTE_WANTS_SCRIPT)
			remote_link_give_script(link, &job->bundle);
	}
	start_jobs(r);
}

// ---- the loop --------------------------------------------------------------------------------------------------------

// Starts hosts as far as --remote-parallel lets. False: all have ended.
static bool start_links(struct remote *r)
{
	unsigned most = r->cli->options.remote.parallel ? r->cli->options.remote.parallel : UINT_MAX, n = 0;

	for (size_t i = 0; i < r->hosts.list.n; i++)
		n += is_active(&r->links[i]);
	for (size_t i = 0; i < r->hosts.list.n && n < most; i++) {
		if (r->links[i].state != REMOTE_WAITS)
			continue;
		remote_link_start(&r->links[i]);
		n += is_active(&r->links[i]);
	}
	return n > 0;
}

// Does nobody read what waits, though all is to end?
static bool is_unread(const struct remote *r, const struct remote_sink *sink)
{
	if (sink->errno_value || remote_sink_is_empty(sink))
		return false;
	return r->n_signals > 1 || (r->hurries && sp_now_ns() > SP_MAX(sink->taken_at, r->signalled_at) + PATIENCE_NS);
}

static void give_up_sinks(struct remote *r)
{
	if (is_unread(r, &r->out))
		remote_sink_give_up(&r->out);
	if (is_unread(r, &r->err))
		remote_sink_give_up(&r->err);
}

static void stop_links(struct remote *r)
{
	r->n_signals++;
	give_up_sinks(r);
	for (size_t i = 0; i < r->hosts.list.n; i++)
		remote_link_stop(&r->links[i], r->n_signals, r->hurries);
}

// A signal that was sent both to the process and to its group is one wish to end, not a second Ctrl-C.
static void take_signals(struct remote *r)
{
	struct signalfd_siginfo info;
	uint64_t now = sp_now_ns();

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info))
		r->hurries |= info.ssi_signo != SIGINT;
	if (r->n_signals && now < r->signalled_at + SAME_SIGNAL_NS)
		return;
	r->signalled_at = now;
	stop_links(r);
}

// When nobody reads what the hosts print, they end.
static void write_sinks(struct remote *r)
{
	bool was_writable = !r->out.errno_value;

	remote_sink_write(&r->err);
	remote_sink_write(&r->out);
	if (was_writable && r->out.errno_value && !r->n_signals)
		stop_links(r);
}

struct watched {
	SP_VEC(struct pollfd) polled; // of the signals, of both sinks, of each job, 3 of each link
	bool ticks;
};

static void watch(struct remote *r, struct watched *ret)
{
	ret->polled.n = 0;
	ret->ticks = r->hurries;
	sp_vec_push(&ret->polled, (struct pollfd){ .fd = r->signal_fd, .events = POLLIN });
	sp_vec_push(&ret->polled, (struct pollfd){ .fd = remote_sink_is_empty(&r->out) ? -1 : r->out.fd, .events = POLLOUT });
	sp_vec_push(&ret->polled, (struct pollfd){ .fd = remote_sink_is_empty(&r->err) ? -1 : r->err.fd, .events = POLLOUT });
	for (size_t i = 0; i < r->jobs.n; i++) {
		const struct remote_job *job = r->jobs.v[i];

		sp_vec_push(&ret->polled, (struct pollfd){ .fd = job->state == REMOTE_JOB_RUNS ? job->done_fd : -1, .events = POLLIN });
	}
	for (size_t i = 0; i < r->hosts.list.n; i++) {
		struct pollfd ends[3];

		remote_link_watch(&r->links[i], ends);
		for (size_t j = 0; j < SP_ARRAY_SIZE(ends); j++)
			sp_vec_push(&ret->polled, ends[j]);
		ret->ticks |= is_active(&r->links[i]) && r->links[i].deadline;
	}
}

static void work(struct remote *r, const struct watched *watched)
{
	const struct pollfd *at = watched->polled.v;
	size_t n_jobs = r->jobs.n;

	if (at->revents)
		take_signals(r);
	at += 3;
	for (size_t i = 0; i < n_jobs; i++, at++)
		if (at->revents)
			remote_job_finish(r->jobs.v[i]);
	for (size_t i = 0; i < r->hosts.list.n; i++, at += 3) {
		remote_link_work(&r->links[i], at);
		remote_link_tend(&r->links[i]);
	}
}

static void serve(struct remote *r)
{
	struct watched watched = { 0 };

	while (start_links(r) || !remote_sink_is_empty(&r->out) || !remote_sink_is_empty(&r->err)) {
		watch(r, &watched);
		if (poll(watched.polled.v, watched.polled.n, watched.ticks ? TICK_MS : -1) < 0)
			continue; // EINTR
		work(r, &watched);
		supply(r);
		write_sinks(r);
		give_up_sinks(r);
	}
	sp_vec_deinit(&watched.polled);
}

static int end_status(struct remote *r)
{
	int status = 0;

	for (size_t i = 0; i < r->hosts.list.n; i++)
		status = SP_MAX(status, r->links[i].status);
	if (r->out.errno_value == EINTR) {
		sp_buf_printf(&r->err.waiting, "WARNING: %zu bytes of output were not written: nobody reads them\n", r->out.n_unread);
		remote_sink_write(&r->err);
		return SP_MAX(status, 1);
	}
	if (r->out.errno_value && r->out.errno_value != EPIPE)
		status = SP_MAX(status, cli_report(sp_err_errno(r->out.errno_value, "cannot write the output")));
	return status;
}

static void deinit(struct remote *r)
{
	for (size_t i = 0; r->links && i < r->hosts.list.n; i++)
		remote_link_deinit(&r->links[i]);
	free(r->links);
	for (size_t i = 0; i < r->jobs.n; i++) {
		remote_job_deinit(r->jobs.v[i]);
		free(r->jobs.v[i]);
	}
	sp_vec_deinit(&r->jobs);
	for (size_t i = 0; i < r->shell.words.n; i++)
		free(r->shell.words.v[i]);
	sp_vec_deinit(&r->shell.words);
	sp_buf_deinit(&r->arguments);
	cli_script_deinit(&r->script);
	remote_sink_deinit(&r->out);
	remote_sink_deinit(&r->err);
	remote_hosts_deinit(&r->hosts);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
}

int remote_run(struct cli *cli)
{
	struct remote r = { .cli = cli, .out = { .fd = STDOUT_FILENO }, .err = { .fd = STDERR_FILENO },
			    .signal_fd = -1 };
	const struct cli_options *o = &cli->options;
	int status;

	if (sp_env_is_raised()) { // ssh would be started with privileges that the user does not have
		fprintf(stderr, "spile: --remote needs a spile without privileges of its own\n");
		return 2;
	}
	status = remote_hosts_read(&o->remote, &r.hosts);
	if (status)
		return status;
	status = cli_read_script(cli, &r.script);
	status = status ? status : make_shell(&r);
	if (!status && o->output)
		status = cli_open_output(o->output, &r.out.fd);
	status = status ? status : block_signals(&r);
	if (!status) {
		make_links(&r);
		serve(&r);
		status = end_status(&r);
		sigprocmask(SIG_SETMASK, &r.shell.signals, NULL);
	}
	if (r.out.fd >= 0 && r.out.fd != STDOUT_FILENO && close(r.out.fd))
		status = SP_MAX(status, cli_report(sp_err_errno(errno, "cannot write \"%s\"", o->output)));
	deinit(&r);
	return status;
}
