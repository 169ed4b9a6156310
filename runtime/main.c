// SPDX-License-Identifier: GPL-2.0-or-later
/* spile-run: runs a script that `spile -p4` compiled. */
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/base/option_hint.h"
#include "runtime/base/util.h"
#include "runtime/include/spilert.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

enum { STATUS_OK, STATUS_FAILED, STATUS_USAGE };
enum { OPT_ENGINE = 256, OPT_DESCRIBE, OPT_SUPPRESS_ERRORS, OPT_FOLDED, OPT_FLAMEGRAPH, OPT_JSON, OPT_PROMETHEUS, OPT_REQUIRE_SIGNATURE, OPT_MAX_OVERHEAD, OPT_OVERLOAD };

struct options {
	struct spilert_opts rt;
	const char *file, *output;
	const char **globals;
	size_t n_globals;
};

static const char usage_text[] =
	"Usage: spile-run [OPTIONS] FILE.spo\n"
	"Runs a script that `spile -p4 -o FILE.spo SCRIPT` compiled.\n"
	"\n"
	"  -c COMMAND        run COMMAND when all probes are attached; end when it ends\n"
	"  -x PID            the target process; end when it ends\n"
	"  -T SECONDS        end after SECONDS\n"
	"  -G NAME=VALUE     give the script's global NAME another initial value\n"
	"  -o FILE           print to FILE\n"
	"  -S SIZE[,N]       print to FILE.0, FILE.1 ... of SIZE megabytes, and keep the last N\n"
	"  -t                print how often each handler ran, and how long\n"
	"  -v                say how each probe is attached; -vv: more\n"
	"  -w                no warnings\n"
	"  --engine=ENGINE   where process() probes run: auto, kernel (uprobes) or user (ptrace)\n"
	"  --suppress-handler-errors\n"
	"                    run-time errors do not end the script\n"
	"  --max-overhead=PERCENT\n"
	"                    handlers skip events rather than take more of the CPUs (spile -p4 --max-overhead)\n"
	"  --overload=PERCENT\n"
	"                    the script ends when its handlers take more for a second\n"
	"  --folded          at the end, print arrays whose keys are stacks as \"main;outer;leaf COUNT\"\n"
	"  --flamegraph FILE draw them into FILE.svg or FILE.html\n"
	"  --json            print JSON, an object a line; of scripts that were compiled with --json\n"
	"  --prometheus PORT serve variables as metrics at http://127.0.0.1:PORT/metrics (0: a free port)\n"
	"  --require-signature KEY\n"
	"                    run FILE.spo only when FILE.spo.minisig is its signature by KEY, a public key of minisign\n"
	"                    or a file of such keys; the keys in /etc/spile/require-signature always hold\n"
	"  --describe        write this machine's description, for `spile --target`, and exit\n"
	"  -V, --version     write the version and exit\n"
	"  -h, --help        write this and exit\n"
	"\n"
	"Exit status: 0 the script ended; 1 it ended with errors, or the command of -c failed; 2 wrong usage;\n"
	"3 the kernel lacks a feature or the privileges are missing; 4 compiled for another machine, kernel or\n"
	"program; 5 internal error.\n";

static void print_log(void *ctx, enum spilert_level level, const char *text)
{
	sp_file_say(ctx, sp_log_word(level), text);
}

static void print_progress(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "\r\033[K%s", text);
}

#define HELP_HINT "Try 'spile-run --help'.\n"

static int SP_PRINTF(1, 2) usage_error(const char *fmt, ...)
{
	va_list args;

	fputs("spile-run: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs("\n" HELP_HINT, stderr);
	return STATUS_USAGE;
}

static bool parse_engine(const char *text, enum spilert_engine *ret)
{
	static const char *const names[] = { [SPILERT_ENGINE_AUTO] = "auto", [SPILERT_ENGINE_KERNEL] = "kernel",
					     [SPILERT_ENGINE_USER] = "user" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++) {
		if (sp_streq(text, names[i])) {
			*ret = (enum spilert_engine)i;
			return true;
		}
	}
	return false;
}

static bool parse_pid(const char *text, pid_t *ret)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || end == text || *end || pid <= 0 || pid > INT32_MAX)
		return false;
	*ret = (pid_t)pid;
	return true;
}

static bool parse_port(const char *text, int *ret)
{
	char *end;
	long port;

	errno = 0;
	port = strtol(text, &end, 10);
	if (errno || end == text || *end || port < 0 || port > UINT16_MAX)
		return false;
	*ret = port ? (int)port : -1;
	return true;
}

// SIZE[,N]
static bool parse_rotation(const char *text, struct spilert_opts *ret)
{
	char *end;
	long size, keep = 0;

	errno = 0;
	size = strtol(text, &end, 10);
	if (errno || end == text || size < 1 || size > 1 << 20 || (*end && *end != ','))
		return false;
	if (*end) {
		text = end + 1;
		keep = strtol(text, &end, 10);
		if (errno || end == text || *end || keep < 1 || keep > INT32_MAX)
			return false;
	}
	ret->rotate_size = (uint64_t)size << 20;
	ret->rotate_keep = (unsigned)keep;
	return true;
}

static bool parse_seconds(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text && !*end && *ret > 0;
}

static void describe(void)
{
	sp_cleanup_free char *text = spilert_describe(1);

	fputs(text, stdout);
}

// An option's value into `options`; the exit status when it is wrong.
static int take_option(struct options *options, int option, const char *value)
{
	switch (option) {
	case 'c':
		options->rt.command = value;
		return *value ? STATUS_OK : usage_error("-c takes a command");
	case 'x':
		return parse_pid(value, &options->rt.pid) ? STATUS_OK :
							    usage_error("-x takes the number of a process, not `%s`", value);
	case 'T':
		return parse_seconds(value, &options->rt.seconds) ? STATUS_OK :
								    usage_error("-T takes a number of seconds, not `%s`", value);
	case 'G':
		options->globals[options->n_globals++] = value;
		return STATUS_OK;
	case 'o':
		options->output = value;
		return STATUS_OK;
	case 'S':
		return parse_rotation(value, &options->rt) ?
			       STATUS_OK :
			       usage_error("-S takes a number of megabytes, and behind a comma one of files, not `%s`", value);
	case 'v':
		options->rt.max_level = options->rt.max_level < SPILERT_INFO ? SPILERT_INFO : SPILERT_DEBUG;
		return STATUS_OK;
	case 't': options->rt.timing = 1; return STATUS_OK;
	case 'w': options->rt.no_warnings = 1; return STATUS_OK;
	case OPT_ENGINE:
		return parse_engine(value, &options->rt.engine) ?
			       STATUS_OK :
			       usage_error("--engine takes auto, kernel or user, not `%s`", value);
	case OPT_FOLDED: options->rt.folded = 1; return STATUS_OK;
	case OPT_JSON: options->rt.json = 1; return STATUS_OK;
	case OPT_FLAMEGRAPH: options->rt.flamegraph = value; return STATUS_OK;
	case OPT_PROMETHEUS:
		return parse_port(value, &options->rt.prometheus) ?
			       STATUS_OK :
			       usage_error("--prometheus takes a port from 0 to 65535, not `%s`", value);
	case OPT_REQUIRE_SIGNATURE:
		options->rt.require_signature = value;
		return *value ? STATUS_OK : usage_error("--require-signature takes a public key, or a file");
	case OPT_MAX_OVERHEAD:
		return sp_parse_percent(value, &options->rt.max_overhead) ?
			       STATUS_OK :
			       usage_error("--max-overhead takes a percentage up to 100, not `%s`", value);
	case OPT_OVERLOAD:
		return sp_parse_percent(value, &options->rt.overload) ?
			       STATUS_OK :
			       usage_error("--overload takes a percentage up to 100, not `%s`", value);
	case OPT_SUPPRESS_ERRORS:
		options->rt.suppress_handler_errors = 1;
		return STATUS_OK;
	}
	return STATUS_USAGE; // there is no other
}

// -1: go on; else the exit status.
static int parse(int argc, char **argv, struct options *options)
{
	static const char short_options[] = "c:x:T:G:o:S:tvwVh";
	static const struct option longs[] = {
		{ "engine", required_argument, NULL, OPT_ENGINE },
		{ "folded", no_argument, NULL, OPT_FOLDED },
		{ "flamegraph", required_argument, NULL, OPT_FLAMEGRAPH },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "prometheus", required_argument, NULL, OPT_PROMETHEUS },
		{ "require-signature", required_argument, NULL, OPT_REQUIRE_SIGNATURE },
		{ "max-overhead", required_argument, NULL, OPT_MAX_OVERHEAD },
		{ "overload", required_argument, NULL, OPT_OVERLOAD },
		{ "describe", no_argument, NULL, OPT_DESCRIBE },
		{ "suppress-handler-errors", no_argument, NULL, OPT_SUPPRESS_ERRORS },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status;

	argv[0] = (char *)"spile-run"; // so that messages do not begin with a path
	while ((option = getopt_long(argc, argv, short_options, longs, NULL)) >= 0) {
		switch (option) {
		case '?': // getopt_long(3) has said what is wrong
			sp_option_hint(argv, short_options, longs);
			fputs(HELP_HINT, stderr);
			return STATUS_USAGE;
		case 'h':
			fputs(usage_text, stdout);
			return STATUS_OK;
		case 'V':
			fprintf(stdout, "spile-run %s\n", spilert_version());
			return STATUS_OK;
		case OPT_DESCRIBE:
			describe();
			return STATUS_OK;
		}
		status = take_option(options, option, optarg);
		if (status)
			return status;
	}
	if (optind != argc - 1)
		return usage_error(optind == argc ? "which script is to be run?" : "one script is run, whose arguments spile -p4 takes");
	if (options->rt.rotate_size && !options->output)
		return usage_error("-S needs -o: what are the files called?");
	options->file = options->rt.title = argv[optind];
	return -1;
}

static int run(const struct options *options)
{
	struct spilert *rt;
	int status = spilert_open_file(options->file, &options->rt, &rt);

	if (status)
		return status;
	status = spilert_prepare(rt);
	if (status || !spilert_supervise(rt, &status)) {
		status = status ? status : spilert_load(rt);
		status = status ? status : spilert_attach(rt);
		status = status ? status : spilert_run(rt);
	}
	spilert_close(rt);
	return status;
}

static int run_with_output(struct options *options)
{
	char name[PATH_MAX];
	int status;

	if (options->rt.rotate_size)
		options->rt.rotate_file = options->output;
	if (!options->output || options->rt.rotate_file)
		return run(options);
	sp_file_dated_name(options->output, name, sizeof(name));
	struct sp_err *err = sp_file_open_output(name, &options->rt.out_fd);
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);

		fprintf(stderr, "ERROR: %s\n", text);
		sp_err_free(err);
		return STATUS_FAILED;
	}
	status = run(options);
	// Some file systems tell here that the disk is full.
	if (close(options->rt.out_fd)) {
		fprintf(stderr, "ERROR: cannot write \"%s\": %s\n", name, strerror(errno));
		status = status ? status : STATUS_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { .rt = SPILERT_OPTS_INIT };
	unsigned lost = 0; // messages
	int status;

	if (!sp_file_take_standard())
		return STATUS_FAILED;
	sp_env_take_signals();
	options.globals = sp_calloc((size_t)argc + 1, sizeof(*options.globals));
	options.rt.log = print_log;
	options.rt.log_ctx = &lost;
	options.rt.sandbox = 1;
	options.rt.progress = isatty(STDERR_FILENO) ? print_progress : NULL;
	options.rt.globals = options.globals;
	status = parse(argc, argv, &options);
	if (status < 0)
		status = run_with_output(&options);
	free(options.globals);
	// What went to standard output besides the script's own: --help and such.
	if (fflush(stdout) && !status) {
		fprintf(stderr, "ERROR: cannot write standard output: %s\n", strerror(errno));
		status = STATUS_FAILED;
	}
	return status;
}
