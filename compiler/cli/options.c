// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

enum { // long options without a letter
	OPT_DUMP = 256, OPT_STOP_AFTER, OPT_LIST_PASSES, OPT_DIAG, OPT_COLOR, OPT_EXPLAIN, OPT_ENGINE, OPT_COMPATIBLE,
	OPT_VERIFY, OPT_SUPPRESS_HANDLER_ERRORS, OPT_SUPPRESS_TIME_LIMITS, OPT_SKIP_BADVARS, OPT_LDD, OPT_ALL_MODULES,
	OPT_MODINFO, OPT_IGNORED, OPT_RUNTIME, OPT_COST,
};

// SystemTap's options that ask for what is always so here, or for what there is not.
static const struct {
	int opt;
	const char *name, *why;
} without_effect[] = {
	{ 'b', "-b", "what the handlers print is one stream, in order" },
	{ 'B', "-B", "no kernel module is built" },
	{ OPT_MODINFO, "--modinfo", "no kernel module is built" },
	{ 'R', "-R", "the runtime is part of spile" },
	{ 'd', "-d", "symbols are looked up where the script runs, when it asks for them" },
	{ OPT_LDD, "--ldd", "symbols are looked up where the script runs, when it asks for them" },
	{ OPT_ALL_MODULES, "--all-modules", "symbols are looked up where the script runs, when it asks for them" },
	{ 'q', "-q", "what a script uses of the library is not recorded" },
};

static const struct option long_options[] = {
	{ "dump", required_argument, NULL, OPT_DUMP },
	{ "stop-after", required_argument, NULL, OPT_STOP_AFTER },
	{ "list-passes", no_argument, NULL, OPT_LIST_PASSES },
	{ "diag", required_argument, NULL, OPT_DIAG },
	{ "color", optional_argument, NULL, OPT_COLOR },
	{ "colour", optional_argument, NULL, OPT_COLOR },
	{ "explain", required_argument, NULL, OPT_EXPLAIN },
	{ "engine", required_argument, NULL, OPT_ENGINE },
	{ "runtime", required_argument, NULL, OPT_RUNTIME },
	{ "bpf", no_argument, NULL, OPT_IGNORED },
	{ "compatible", required_argument, NULL, OPT_COMPATIBLE },
	{ "cost", no_argument, NULL, OPT_COST },
	{ "verify-passes", no_argument, NULL, OPT_VERIFY },
	{ "suppress-handler-errors", no_argument, NULL, OPT_SUPPRESS_HANDLER_ERRORS },
	{ "suppress-time-limits", no_argument, NULL, OPT_SUPPRESS_TIME_LIMITS },
	{ "skip-badvars", no_argument, NULL, OPT_SKIP_BADVARS },
	{ "ldd", no_argument, NULL, OPT_LDD },
	{ "all-modules", no_argument, NULL, OPT_ALL_MODULES },
	{ "modinfo", required_argument, NULL, OPT_MODINFO },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

void options_print_help(void)
{
	puts("Usage: spile [options] FILE [ARGUMENTS]     run a script from a file\n"
	     "   or: spile [options] - [ARGUMENTS]        ... from standard input\n"
	     "   or: spile [options] -e SCRIPT [ARGUMENTS]\n"
	     "   or: spile [options] -l PROBE             list matching probe points (-L: with variables)\n"
	     "\n"
	     "Script:\n"
	     "  -e SCRIPT      the script's text\n"
	     "  -I DIR         look in DIR for library scripts, too\n"
	     "  -D NAME=VALUE  set a limit: MAXSTRINGLEN MAXMAPENTRIES MAXACTION\n"
	     "                 MAXACTION_INTERRUPTIBLE MAXERRORS\n"
	     "  -G NAME=VALUE  set a global variable\n"
	     "  -g             guru mode: allow what can do harm\n"
	     "  -w, -W         no warnings; warnings are errors\n"
	     "  -u             do not optimise\n"
	     "  --compatible=VERSION  behave as that version of SystemTap\n"
	     "  --skip-badvars  $variables that cannot be read are 0\n"
	     "\n"
	     "Target:\n"
	     "  -r RELEASE|PATH  compile for another kernel, by release or vmlinux\n"
	     "  -c COMMAND     start the probes, run COMMAND, end when it ends; target() is its pid\n"
	     "  -x PID         target() is PID\n"
	     "  --engine=auto|kernel|user  where process() handlers run; user: by ptrace, without privileges\n"
	     "\n"
	     "Run:\n"
	     "  -p PASS        stop after pass 1 parse, 2 elaborate, 3 translate, 4 compile, 5 run\n"
	     "  -o FILE        write output to FILE (with -p4: the compiled script)\n"
	     "  -m NAME        name of the compiled script\n"
	     "  -k             keep the compiled script\n"
	     "  -T SECONDS     end after that time\n"
	     "  -s MEGABYTES   room for what handlers have printed and nobody has read yet\n"
	     "  -t             print how often each handler ran, and how long\n"
	     "  --suppress-handler-errors  run-time errors are warnings and do not end the script\n"
	     "  --suppress-time-limits  no limit to what a handler does (with -g)\n"
	     "  -v             tell about the passes and hooks; -vv: more\n"
	     "\n"
	     "Look inside:\n"
	     "  -l PROBE, -L PROBE  list probe points; with their variables\n"
	     "  --explain TAG  more about a diagnostic (\"E401\")\n"
	     "  --diag=json    diagnostics for programs, one JSON object a line\n"
	     "  --cost         compile only; print what each probe takes: instructions, memory, loops\n"
	     "  --dump=PASS, --stop-after=PASS, --list-passes, --verify-passes\n"
	     "  -V, --version; -h, --help\n"
	     "\n"
	     "Taken for SystemTap's sake, without effect: -b -B -d -q -R --all-modules --ldd --modinfo\n"
	     "\n"
	     "Exit status: 0 all is well, 1 script error, 2 usage, 3 missing privilege or kernel feature,\n"
	     "4 made for another target, 5 internal error.");
}

static int usage_error(const char *fmt, const char *what)
{
	fputs("spile: ", stderr);
	fprintf(stderr, fmt, what);
	fputs("\nTry 'spile --help'.\n", stderr);
	return 2;
}

static bool parse_number(const char *text, long min, long max, long *ret)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

static bool parse_seconds(const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value > 0) || value > 1e9)
		return false;
	*ret = value;
	return true;
}

static void note_without_effect(struct cli_options *o, int opt)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(without_effect); i++)
		if (without_effect[i].opt == opt)
			o->without_effect |= 1u << i;
}

static void tell_without_effect(const struct cli_options *o)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(without_effect); i++)
		if (o->without_effect & 1u << i && !o->compile.no_warnings)
			fprintf(stderr, "WARNING: %s has no effect: %s\n", without_effect[i].name, without_effect[i].why);
}

// It becomes the name of a file, and of BPF objects.
static bool is_module_name(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(name);
}

static int set_ring_size(struct cli_options *o, const char *arg)
{
	long megabytes, size = 1;

	if (!parse_number(arg, 1, 1024, &megabytes))
		return usage_error("-s takes a number of megabytes from 1 to 1024, not '%s'", arg);
	while (size < megabytes)
		size *= 2;
	snprintf(o->ring_size, sizeof(o->ring_size), "SPILE_RING_SIZE=%ld", size << 20);
	sp_vec_push(&o->defines, o->ring_size);
	return 0;
}

static int set_list(struct cli_options *o, const char *pattern, bool vars)
{
	o->action = CLI_LIST;
	o->pattern = pattern;
	o->list_vars = vars;
	return 0;
}

// Options with a letter.
static int apply_short(struct cli_options *o, int opt, const char *arg)
{
	long number;

	switch (opt) {
	case 'e':
		if (o->script_text)
			return usage_error("only one script can be given%s", "");
		o->script_text = arg;
		return 0;
	case 'p':
		if (!parse_number(arg, 1, 5, &number))
			return usage_error("-p takes a pass from 1 to 5, not '%s'", arg);
		o->last_phase = (int)number;
		return 0;
	case 'x':
		if (!parse_number(arg, 1, INT32_MAX, &number))
			return usage_error("-x takes a process id, not '%s'", arg);
		o->compile.pid = (int)number;
		return 0;
	case 'T':
		return parse_seconds(arg, &o->seconds) ? 0 : usage_error("-T takes a number of seconds, not '%s'", arg);
	case 'l':
		return set_list(o, arg, false);
	case 'L':
		return set_list(o, arg, true);
	case 'D':
		sp_vec_push(&o->defines, arg);
		return 0;
	case 'G':
		if (!strchr(arg, '='))
			return usage_error("-G takes NAME=VALUE, not '%s'", arg);
		sp_vec_push(&o->globals, arg);
		return 0;
	case 'I':
		sp_vec_push(&o->tapset_dirs, arg);
		return 0;
	case 's':
		return set_ring_size(o, arg);
	case 'm':
		o->module = arg;
		return is_module_name(arg) ? 0 : usage_error("-m takes a name of letters, digits, - and _, not '%s'", arg);
	case 'b': case 'B': case 'd': case 'q': case 'R':
		note_without_effect(o, opt);
		return 0;
	case 'c': o->compile.command = arg; return 0;
	case 'o': o->output = arg; return 0;
	case 'r': o->compile.kernel = arg; return 0;
	case 't': o->timing = true; return 0;
	case 'v': o->verbose++; return 0;
	case 'k': o->keep = true; return 0;
	case 'g': o->compile.guru = 1; return 0;
	case 'u': o->compile.no_optimization = 1; return 0;
	case 'w': o->compile.no_warnings = 1; return 0;
	case 'W': o->compile.warnings_are_errors = 1; return 0;
	case 'V': o->action = CLI_VERSION; return 0;
	case 'h': o->action = CLI_HELP; return 0;
	}
	return 2; // getopt has said what is wrong
}

static int set_engine(struct cli_options *o, const char *arg)
{
	if (!strcmp(arg, "auto"))
		o->engine = SPILERT_ENGINE_AUTO;
	else if (!strcmp(arg, "kernel"))
		o->engine = SPILERT_ENGINE_KERNEL;
	else if (!strcmp(arg, "user"))
		o->engine = SPILERT_ENGINE_USER;
	else
		return usage_error("--engine is auto, kernel or user, not '%s'", arg);
	return 0;
}

static int apply_long(struct cli_options *o, int opt, const char *arg)
{
	switch (opt) {
	case OPT_DUMP:
		sp_vec_push(&o->dumps, arg);
		return 0;
	case OPT_STOP_AFTER:
		o->compile.stop_after = arg;
		return 0;
	case OPT_LIST_PASSES:
		o->action = CLI_LIST_PASSES;
		return 0;
	case OPT_DIAG:
		o->compile.diag_json = !strcmp(arg, "json");
		return o->compile.diag_json || !strcmp(arg, "text") ? 0 : usage_error("--diag is text or json, not '%s'", arg);
	case OPT_COLOR:
		o->compile.diag_color = !arg || !strcmp(arg, "always") || (!strcmp(arg, "auto") && isatty(2));
		return 0;
	case OPT_EXPLAIN:
		o->action = CLI_EXPLAIN;
		o->pattern = arg;
		return 0;
	case OPT_ENGINE:
		return set_engine(o, arg);
	case OPT_RUNTIME:
		return !strcmp(arg, "bpf") ? 0 : usage_error("the only runtime is bpf, not '%s'", arg);
	case OPT_COMPATIBLE:
		o->compile.compatible = arg;
		return 0;
	case OPT_COST:
		o->compile.cost = 1;
		return 0;
	case OPT_VERIFY:
		o->compile.verify = 1;
		return 0;
	case OPT_SUPPRESS_HANDLER_ERRORS:
		o->suppress_handler_errors = true;
		return 0;
	case OPT_SUPPRESS_TIME_LIMITS:
		o->suppress_time_limits = true;
		sp_vec_push(&o->defines, "MAXACTION=0");
		sp_vec_push(&o->defines, "MAXACTION_INTERRUPTIBLE=0");
		return 0;
	case OPT_SKIP_BADVARS:
		o->compile.skip_bad_vars = 1;
		return 0;
	case OPT_LDD:
	case OPT_ALL_MODULES:
	case OPT_MODINFO:
		note_without_effect(o, opt);
		return 0;
	case OPT_IGNORED:
		return 0;
	}
	return apply_short(o, opt, arg);
}

// What is left behind the options: the script file, unless -e or -l took its place, and the script's arguments.
static int take_operands(struct cli_options *o, int argc, char **argv)
{
	bool wants_script = o->action == CLI_RUN && !o->script_text;

	if (wants_script) {
		if (optind == argc)
			return usage_error("a script is missing%s", "");
		o->script_path = argv[optind++];
	}
	while (optind < argc)
		sp_vec_push(&o->args, argv[optind++]);
	return 0;
}

static void terminate_lists(struct cli_options *o)
{
	sp_vec_push(&o->args, NULL);
	sp_vec_push(&o->defines, NULL);
	sp_vec_push(&o->dumps, NULL);
	sp_vec_push(&o->globals, NULL);
	o->compile.args = o->args.v;
	o->compile.defines = o->defines.v;
	o->compile.dumps = o->dumps.v;
}

int options_parse(int argc, char **argv, struct cli_options *ret)
{
	struct cli_options *o = ret;
	int opt, status;

	*o = (struct cli_options){ .last_phase = 5, .compile = SPILE_OPTS_INIT };
	o->compile.diag_color = isatty(2);
	while ((opt = getopt_long(argc, argv, "e:p:x:T:l:L:D:G:I:c:o:m:r:s:d:B:R:vkgutbqwWVh", long_options, NULL)) != -1) {
		status = apply_long(o, opt, optarg);
		if (status) {
			options_deinit(o);
			return status;
		}
	}
	status = take_operands(o, argc, argv);
	if (!status && o->suppress_time_limits && !o->compile.guru)
		status = usage_error("--suppress-time-limits needs guru mode (-g)%s", "");
	if (status) {
		options_deinit(o);
		return status;
	}
	tell_without_effect(o);
	terminate_lists(o);
	return 0;
}

void options_deinit(struct cli_options *options)
{
	sp_vec_deinit(&options->args);
	sp_vec_deinit(&options->defines);
	sp_vec_deinit(&options->tapset_dirs);
	sp_vec_deinit(&options->dumps);
	sp_vec_deinit(&options->globals);
}
