// SPDX-License-Identifier: GPL-2.0-or-later
// It has more than 600 lines: a case for each option.
#define _GNU_SOURCE // strchrnul
#include "compiler/cli/options.h"
#include "runtime/base/env.h"
#include "runtime/base/option_hint.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum long_option { // of options without a letter
	OPT_BY_NAME = 256, // the row of option.def says all about it
#define OPTION(name, argument, id) OPT_##id,
#include "option.def"
};

static const struct {
	const char *name, *why;
} without_effect[] = {
#define WITHOUT_EFFECT(name, argument, why) { "--" name, why },
#define WITHOUT_EFFECT_HERE(name, why) { name, why },
#include "option.def"
};

static const struct {
	const char *name, *instead;
} refused[] = {
#define REFUSED(name, argument, instead) { "--" name, instead },
#define REFUSED_LETTER(name, instead) { name, instead },
#include "option.def"
};

static const struct {
	const char *name;
	int resource;
} limits[] = {
#define LIMIT(name, resource) { "--" name, resource },
#include "option.def"
};

static const struct option long_options[] = {
#define OPTION(name, argument, id) { name, argument##_argument, NULL, OPT_##id },
#define SAME(name, argument, value) { name, argument##_argument, NULL, value },
#define WITHOUT_EFFECT(name, argument, why) { name, argument##_argument, NULL, OPT_BY_NAME },
#define REFUSED(name, argument, instead) { name, argument##_argument, NULL, OPT_BY_NAME },
#define LIMIT(name, resource) { name, required_argument, NULL, OPT_BY_NAME },
#include "option.def"
	{ NULL, 0, NULL, 0 },
};

static const char short_options[] = "e:E:ip:x:T:l:L:D:G:I:c:o:m:r:s:d:a:B:R:S:vkgutbqwWVhPF";

void options_print_words(void)
{
	static const struct {
		const char *name;
		int argument;
	} longs[] = {
#define OPTION(name, argument, id) { name, argument##_argument },
#define SAME(name, argument, value) { name, argument##_argument },
#define LIMIT(name, resource) { name, required_argument },
#include "option.def"
	};

	for (const char *c = short_options; *c; c++) {
		char letter[] = { '-', *c, '\0' };
		bool has_effect = *c != ':';

		for (size_t i = 0; has_effect && i < SP_ARRAY_SIZE(without_effect); i++)
			has_effect = !sp_streq(letter, without_effect[i].name);
		for (size_t i = 0; has_effect && i < SP_ARRAY_SIZE(refused); i++)
			has_effect = !sp_streq(letter, refused[i].name);
		if (has_effect)
			puts(letter);
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(longs); i++)
		printf("--%s%s\n", longs[i].name, longs[i].argument == required_argument ? "=" : "");
}

#define HELP_HINT "Try 'spile --help'.\n"

static int usage_error(const char *fmt, const char *what)
{
	fputs("spile: ", stderr);
	fprintf(stderr, fmt, what);
	fputs("\n" HELP_HINT, stderr);
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

static bool is_machine(const char *arch)
{
	struct utsname uts;

	return !uname(&uts) && (!strcmp(arch, uts.machine) || (!strcmp(arch, "arm64") && !strcmp(uts.machine, "aarch64")));
}

// Options without effect whose argument is one of three words.
static bool is_word_of(const char *option, const char *word)
{
	static const struct {
		const char *option, *words[3];
	} rows[] = {
		{ "--privilege", { "stapusr", "stapsys", "stapdev" } },
		{ "--prologue-searching", { "always", "auto", "never" } },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++)
		if (sp_streq(rows[i].option, option))
			return sp_streq(rows[i].words[0], word) || sp_streq(rows[i].words[1], word) || sp_streq(rows[i].words[2], word);
	return true;
}

// An option that is only a row of option.def: without effect here, refused, or a limit of the process.
static int apply_by_name(struct cli_options *o, const char *name, const char *arg)
{
	long number;

	if (arg && !is_word_of(name, arg))
		return usage_error(sp_streq(name, "--privilege") ? "--privilege is stapusr, stapsys or stapdev, not '%s'"
								 : "--prologue-searching is always, auto or never, not '%s'", arg);
	if (!strcmp(name, "-a") && is_machine(arg))
		return 0;
	for (size_t i = 0; i < SP_ARRAY_SIZE(without_effect); i++)
		if (!strcmp(without_effect[i].name, name))
			o->without_effect |= 1u << i;
	for (size_t i = 0; i < SP_ARRAY_SIZE(refused); i++) {
		if (strcmp(refused[i].name, name))
			continue;
		fprintf(stderr, "spile: %s is not supported: %s\n", name, refused[i].instead);
		return 2;
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(limits); i++) {
		struct rlimit limit;

		if (strcmp(limits[i].name, name))
			continue;
		if (!parse_number(arg, 0, LONG_MAX, &number))
			return usage_error("--rlimit-... takes a number, not '%s'", arg);
		limit.rlim_cur = limit.rlim_max = (rlim_t)number;
		if (setrlimit(limits[i].resource, &limit))
			return usage_error("the system refuses that limit: %s", strerror(errno));
	}
	return 0;
}

// --vp 00201 has a digit for each pass. spile has one verbosity for all passes: the largest digit.
static int set_verbosity(struct cli_options *o, const char *digits)
{
	unsigned most = 0;

	if (strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 5)
		return usage_error("--vp takes a digit for each of five passes, not '%s'", digits);
	for (; *digits; digits++)
		most = SP_MAX(most, (unsigned)(*digits - '0'));
	o->verbose += most;
	return 0;
}

// False: errno says why not.
static bool is_folder(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode);
}

// A folder of -I that is not there is as good as empty: SystemTap takes it, and so do scripts for several machines.
static void warn_of_folders(const struct cli_options *o)
{
	sp_vec_each(dir, &o->tapset_dirs)
		if (!is_folder(*dir))
			fprintf(stderr, "WARNING: -I %s: %s\n", *dir, strerror(errno));
}

static void tell_without_effect(const struct cli_options *o)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(without_effect); i++)
		if (o->without_effect & 1u << i)
			fprintf(stderr, "%s has no effect: %s\n", without_effect[i].name, without_effect[i].why);
}

// The name becomes that of a file and of BPF objects. A .ko or .spo behind it is that of the file.
static int set_module(struct cli_options *o, const char *arg)
{
	const char *dot = strrchr(arg, '.');
	size_t n = dot && (!strcmp(dot, ".ko") || !strcmp(dot, ".spo")) ? (size_t)(dot - arg) : strlen(arg);

	if (!n || strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") < n)
		return usage_error("-m takes a name of letters, digits, - and _, not '%s'", arg);
	free(o->module);
	o->module = sp_strndup(arg, n);
	return 0;
}

#define MOST_MEGABYTES 256 // what a bundle may ask for

static int set_ring_size(struct cli_options *o, const char *arg)
{
	long megabytes, size = 1;

	if (!parse_number(arg, 1, 4095, &megabytes))
		return usage_error("-s takes a number of megabytes from 1 to 4095, not '%s'", arg);
	if (megabytes > MOST_MEGABYTES) {
		fprintf(stderr, "WARNING: -s %s: the buffer has %d megabytes, the most there are\n", arg, MOST_MEGABYTES);
		megabytes = MOST_MEGABYTES;
	}
	while (size < megabytes)
		size *= 2;
	snprintf(o->ring_size, sizeof(o->ring_size), "SPILE_RING_SIZE=%ld", size << 20);
	sp_vec_push(&o->defines, o->ring_size);
	return 0;
}

// SIZE[,N]: megabytes of a file, and how many are kept.
static int set_rotation(struct cli_options *o, const char *arg)
{
	const char *comma = strchrnul(arg, ',');
	char *size = sp_strndup(arg, (size_t)(comma - arg));
	bool ok = parse_number(size, 1, 1 << 20, &o->rotate_megabytes) && (!*comma || parse_number(comma + 1, 1, INT32_MAX, &o->rotate_keep));

	free(size);
	return ok ? 0 : usage_error("-S takes a number of megabytes, and behind a comma one of files, not '%s'", arg);
}

// What is done instead of running a script. Help and the version are given whatever else is asked for.
static int set_action(struct cli_options *o, enum cli_action action, const char *what)
{
	bool is_told = o->action == CLI_HELP || o->action == CLI_VERSION;

	if (o->action != CLI_RUN && !is_told && action != CLI_HELP && action != CLI_VERSION)
		return usage_error("only one of -l, -L, -i, --pack and the like can be given%s", "");
	if (!is_told)
		o->action = action;
	o->pattern = what;
	return 0;
}

static int set_list(struct cli_options *o, const char *pattern, bool vars)
{
	if (!*pattern)
		return usage_error("%s takes a probe point, or a name", vars ? "-L" : "-l");
	o->list_vars = vars;
	o->compile.no_warnings = 1;
	return set_action(o, CLI_LIST, pattern);
}

static int set_library(struct cli_options *o, enum spile_library what)
{
	o->library = what;
	return set_action(o, CLI_LIBRARY, NULL);
}

static int set_show(struct cli_options *o, enum spile_show_what what, const char *target)
{
	o->show.what = what;
	o->show.target = target;
	return set_action(o, CLI_SHOW, NULL);
}

// Options with a letter.
static int set_last_phase(struct cli_options *o, const char *arg)
{
	long number;

	if (!parse_number(arg, 1, 5, &number))
		return usage_error("-p takes a pass from 1 to 5, not '%s'", arg);
	o->last_phase = (int)number;
	return 0;
}

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
		return set_last_phase(o, arg);
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
	case 'D': sp_vec_push(&o->defines, arg); return 0;
	case 'G':
		if (!strchr(arg, '='))
			return usage_error("-G takes NAME=VALUE, not '%s'", arg);
		sp_vec_push(&o->globals, arg);
		return 0;
	case 'I': sp_vec_push(&o->tapset_dirs, arg); return 0;
	case 'S': return set_rotation(o, arg);
	case 's':
		return set_ring_size(o, arg);
	case 'm':
		return set_module(o, arg);
	case 'E':
		sp_vec_push(&o->more_scripts, arg);
		return 0;
	case 'b': case 'B': case 'd': case 'q': case 'R': case 'P': case 'a':
		return apply_by_name(o, (char[]){ '-', (char)opt, '\0' }, arg);
	case 'c': o->compile.command = arg; return 0;
	case 'F': o->background = true; return 0;
	case 'o': o->output = arg; return 0;
	case 'r': o->compile.kernel = arg; return 0;
	case 't': o->timing = true; return 0;
	case 'v': o->verbose++; return 0;
	case 'k': o->keep = true; return 0;
	case 'g': o->compile.guru = 1; return 0;
	case 'u': o->compile.no_optimization = 1; return 0;
	case 'w': o->compile.no_warnings = 1; return 0;
	case 'W': o->compile.warnings_are_errors = 1; return 0;
	case 'i': return set_action(o, CLI_INTERACTIVE, NULL);
	case 'V': return set_action(o, CLI_VERSION, NULL);
	case 'h': return set_action(o, CLI_HELP, NULL);
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

// SystemTap's names of its runtimes: bpf is what spile does anyway, kernel becomes bpf, dyninst probes programs without privileges.
static int set_runtime(struct cli_options *o, const char *arg)
{
	if (!strcmp(arg, "bpf"))
		return 0;
	if (!strcmp(arg, "kernel"))
		return apply_by_name(o, "--runtime", arg);
	if (!strcmp(arg, "dyninst"))
		return set_engine(o, "user");
	return usage_error("--runtime is bpf, kernel or dyninst, not '%s'", arg);
}

static int set_sysroot(struct cli_options *o, const char *arg)
{
	free(o->sysroot);
	o->sysroot = realpath(arg, NULL);
	o->compile.sysroot = o->sysroot;
	if (o->sysroot && is_folder(o->sysroot))
		return 0;
	fprintf(stderr, "spile: --sysroot: cannot read %s: %s\n", arg, strerror(errno));
	return 2;
}

// no-color.org: the variable says so when it is not empty.
static bool can_color(void)
{
	const char *no_color = sp_env("NO_COLOR"), *term = sp_env("TERM");

	return isatty(STDERR_FILENO) && !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
}

static int set_color(struct cli_options *o, const char *when)
{
	bool is_always = !when || !strcmp(when, "always"), is_auto = when && !strcmp(when, "auto");

	o->compile.diag_color = is_always || (is_auto && can_color());
	return is_always || is_auto || !strcmp(when, "never") ? 0 : usage_error("--color is always, auto or never, not '%s'", when);
}

static int set_diag(struct cli_options *o, const char *arg)
{
	o->compile.diag_json = !strcmp(arg, "json");
	return o->compile.diag_json || !strcmp(arg, "text") ? 0 : usage_error("--diag is text or json, not '%s'", arg);
}

static int set_explains(struct cli_options *o)
{
	o->explains = true;
	o->compile.cost = 1;
	return 0;
}

static int set_monitor(struct cli_options *o, const char *arg)
{
	o->monitor = 1;
	return !arg || parse_seconds(arg, &o->monitor) ? 0 : usage_error("--monitor=%s: not a number of seconds", arg);
}

// "E401", as messages have them: --explain is about it, not about a script of that name.
static bool is_tag(const char *word)
{
	return strlen(word) == 4 && strchr("EWew", word[0]) && strspn(word + 1, "0123456789") == 3;
}

static int lift_time_limits(struct cli_options *o)
{
	o->suppress_time_limits = true;
	sp_vec_push(&o->defines, "MAXACTION=0");
	sp_vec_push(&o->defines, "MAXACTION_INTERRUPTIBLE=0");
	return 0;
}

// Handlers are compiled for it.
static int set_max_overhead(struct cli_options *o, const char *arg)
{
	if (!sp_parse_percent(arg, &o->max_overhead))
		return usage_error("--max-overhead takes a percentage up to 100, not '%s'", arg);
	sp_vec_push(&o->defines, "SPILE_CAN_PAUSE=1");
	return 0;
}

static int take_overload_defines(struct cli_options *o)
{
	const char *wrong = overload_take_defines(o->defines.v, &o->defines.n, &o->overload);

	if (o->suppress_time_limits)
		o->overload.share = 0;
	return wrong ? usage_error("-D %s: it takes a number above 0", wrong) : 0;
}

// `complaint` has a %s for the argument.
static int set_port(const char *complaint, const char *arg, int *ret)
{
	long port;

	if (!parse_number(arg, 0, UINT16_MAX, &port))
		return usage_error(complaint, arg);
	*ret = port ? (int)port : -1;
	return 0;
}

static int apply_remote(struct cli_options *o, enum long_option opt, const char *arg)
{
	long number;

	if (opt == OPT_REMOTE)
		sp_vec_push(&o->remote.hosts, arg);
	else if (opt == OPT_REMOTE_HOSTS)
		o->remote.hosts_file = arg;
	else if (opt == OPT_REMOTE_SHELL)
		o->remote.shell = arg;
	else if (opt == OPT_REMOTE_PREFIX)
		o->remote.prefix = true;
	else if (!parse_number(arg, 1, 10000, &number))
		return usage_error("--remote-parallel takes a number of hosts from 1 to 10000, not '%s'", arg);
	else
		o->remote.parallel = (unsigned)number;
	return 0;
}

bool options_are_remote(const struct cli_options *options)
{
	return options->remote.hosts.n || options->remote.hosts_file;
}

// What is done here, not on other machines.
static int check_remote(const struct cli_options *o)
{
	const struct { bool is_given; const char *name; } others[] = {
		{ o->action != CLI_RUN, "-i, listings, --pack and --check" },
		{ o->compile.target, "--target" },
		{ o->last_phase != 5 || o->dumps.n || o->compile.stop_after || o->compile.cost, "stopping after a pass" },
		{ o->keep || o->module, "-k and -m" },
		{ o->monitor > 0, "--monitor" },
		{ o->web, "--web" },
		{ o->rotate_megabytes, "-S" },
		{ o->background, "-F" },
		{ o->perf_data, "--perf-data" },
		{ o->flamegraph, "--flamegraph (--folded prints the stacks)" },
		{ o->plot, "--plot" },
	};

	if (!options_are_remote(o) || o->action == CLI_HELP || o->action == CLI_VERSION)
		return 0;
	for (size_t i = 0; i < SP_ARRAY_SIZE(others); i++)
		if (others[i].is_given)
			return usage_error("--remote runs a script on other machines, and excludes %s", others[i].name);
	return 0;
}

// What is there to be seen or waited for.
static int check_background(const struct cli_options *o)
{
	const struct { bool is_given; const char *name; } others[] = {
		{ o->action != CLI_RUN, "-i, listings, --pack and --check" },
		{ o->last_phase != 5 || o->dumps.n || o->compile.stop_after || o->compile.cost, "stopping after a pass" },
		{ o->compile.command, "-c" },
		{ o->monitor > 0, "--monitor" },
	};

	if (!o->background || o->action == CLI_HELP || o->action == CLI_VERSION)
		return 0;
	for (size_t i = 0; i < SP_ARRAY_SIZE(others); i++)
		if (others[i].is_given)
			return usage_error("-F runs a script in the background, and excludes %s", others[i].name);
	return o->output ? 0 : usage_error("-F needs -o: where does the output go%s", "?");
}

// What narrows or widens a listing of functions, lines, variables or types.
static int check_show(const struct cli_options *o)
{
	bool shows = o->action == CLI_SHOW || o->action == CLI_HELP || o->action == CLI_VERSION;

	if (o->show.in && !shows)
		return usage_error("--in is for --funcs, --lines, --vars and --types%s", "");
	if ((o->show.ranges || o->show.externs) && !(shows && o->show.what == SPILE_SHOW_VARS))
		return usage_error("%s is for --vars", o->show.ranges ? "--range" : "--externs");
	return 0;
}

// What there is to probe and to read.
static int apply_listing(struct cli_options *o, enum long_option opt, const char *arg)
{
	switch ((unsigned)opt) {
	case OPT_DUMP_TYPES: return set_library(o, SPILE_LIBRARY_POINTS);
	case OPT_DUMP_ALIASES: return set_library(o, SPILE_LIBRARY_ALIASES);
	case OPT_DUMP_FUNCTIONS: return set_library(o, SPILE_LIBRARY_FUNCTIONS);
	case OPT_FUNCS: return set_show(o, SPILE_SHOW_FUNCS, arg);
	case OPT_KPROBE_EVENTS: return set_action(o, CLI_EVENTS, arg);
	case OPT_LINES: return set_show(o, SPILE_SHOW_LINES, arg);
	case OPT_VARS: return set_show(o, SPILE_SHOW_VARS, arg);
	case OPT_TYPES: return set_show(o, SPILE_SHOW_TYPE, arg);
	case OPT_IN: o->show.in = arg; return 0;
	case OPT_RANGE: o->show.ranges = 1; return 0;
	default: o->show.externs = 1; return 0; // OPT_EXTERNS
	}
}

// Options without a letter, and with one as apply_short(); `name` is that of the long option.
static int apply_long(struct cli_options *o, int opt, const char *name, const char *arg)
{
	char dashed[40];

	switch ((enum long_option)opt) {
	case OPT_DUMP: sp_vec_push(&o->dumps, arg); return 0;
	case OPT_STOP_AFTER: o->compile.stop_after = arg; return 0;
	case OPT_EXAMPLE: return usage_error("--example takes the name of an example%s", "");
	case OPT_EXAMPLES: return set_action(o, CLI_EXAMPLES, NULL);
	case OPT_DOC: return *arg ? set_action(o, CLI_DOC, arg) : usage_error("--doc takes a name%s", "");
	case OPT_LIST_PASSES: return set_action(o, CLI_LIST_PASSES, NULL);
	case OPT_DIAG: return set_diag(o, arg);
	case OPT_COLOR: return set_color(o, arg);
	case OPT_MONITOR: return set_monitor(o, arg);
	case OPT_EXPLAIN: return arg ? set_action(o, CLI_EXPLAIN, arg) : set_explains(o);
	case OPT_FROM_BPFTRACE: return set_action(o, CLI_FROM_BPFTRACE, arg);
	case OPT_ENGINE: return set_engine(o, arg);
	case OPT_DYNINST: return set_engine(o, "user");
	case OPT_CLEAN_CACHE: return set_action(o, CLI_CLEAN_CACHE, NULL);
	case OPT_TARGET: o->compile.target = arg; return 0;
	case OPT_RUNTIME: return set_runtime(o, arg);
	case OPT_COMPATIBLE: o->compile.compatible = arg; return 0;
	case OPT_COST: o->compile.cost = 1; return 0;
	case OPT_DUMP_TYPES: case OPT_DUMP_ALIASES: case OPT_DUMP_FUNCTIONS: case OPT_FUNCS: case OPT_KPROBE_EVENTS: case OPT_LINES:
	case OPT_VARS: case OPT_TYPES: case OPT_IN: case OPT_RANGE: case OPT_EXTERNS:
		return apply_listing(o, (enum long_option)opt, arg);
	case OPT_SOURCE: o->compile.source_dir = arg; return 0;
	case OPT_FOLDED: o->folded = true; return 0;
	case OPT_FLAMEGRAPH: o->flamegraph = arg; return 0;
	case OPT_PLOT: o->plot = arg; return 0;
	case OPT_PERF_DATA: o->perf_data = arg; o->compile.json = 1; return 0;
	case OPT_JSON: o->show.json = o->compile.list_json = o->compile.json = 1; o->json = true; return 0;
	case OPT_VERIFY: o->compile.verify = 1; return 0;
	case OPT_SUPPRESS_HANDLER_ERRORS: o->suppress_handler_errors = true; return 0;
	case OPT_MAX_OVERHEAD: return set_max_overhead(o, arg);
	case OPT_OVERLOAD: return sp_parse_percent(arg, &o->overload.share) ? 0 : usage_error("--overload takes a percentage up to 100, not '%s'", arg);
	case OPT_SUPPRESS_TIME_LIMITS: return lift_time_limits(o);
	case OPT_SKIP_BADVARS: o->compile.skip_bad_vars = 1; return 0;
	case OPT_HIDE_UNREAD: o->compile.hide_unread = 1; return 0;
	case OPT_HEX_UNREAD: o->compile.hex_unread = 1; return 0;
	case OPT_NO_CACHE: o->no_cache = true; return 0;
	case OPT_POISON_CACHE: o->poison_cache = true; return 0;
	case OPT_PACK: return set_action(o, CLI_PACK, NULL);
	case OPT_ADD: o->adds = true; return 0;
	case OPT_CHECK: return set_action(o, CLI_CHECK, NULL);
	case OPT_FOR: sp_vec_push(&o->targets, arg); return 0;
	case OPT_SYSROOT: return set_sysroot(o, arg);
	case OPT_VP: return set_verbosity(o, arg);
	case OPT_PROMETHEUS: return set_port("--prometheus takes a port from 0 to 65535, not '%s'", arg, &o->prometheus);
	case OPT_WEB: return set_port("--web takes a port from 0 to 65535, not '%s'", arg ? arg : "0", &o->web);
	case OPT_REMOTE: case OPT_REMOTE_HOSTS: case OPT_REMOTE_PARALLEL: case OPT_REMOTE_PREFIX: case OPT_REMOTE_SHELL:
		return apply_remote(o, (enum long_option)opt, arg);
	case OPT_IGNORED: return 0;
	case OPT_BY_NAME:
		snprintf(dashed, sizeof(dashed), "--%s", name);
		return apply_by_name(o, dashed, arg);
	}
	return apply_short(o, opt, arg);
}

struct options_operand options_find_operand(int argc, char **argv)
{
	char letters[sizeof(short_options) + 1];
	struct options_operand none = { 0 };
	int opt, first = 1, at = 0, prints_errors = opterr;
	bool explains = false;

	snprintf(letters, sizeof(letters), "+%s", short_options); // with a +, getopt stops at the first operand
	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, letters, long_options, &at)) != -1) {
		bool has_letter = opt <= UCHAR_MAX;

		if (opt == OPT_EXAMPLE || opt == OPT_EXAMPLES || (has_letter && strchr("elLi?", opt)))
			break;
		explains |= opt == OPT_EXPLAIN;
		first = optind;
	}
	opterr = prints_errors;
	if (opt == OPT_EXAMPLE)
		return (struct options_operand){ optarg, true, first, optind };
	if (opt != -1 || optind >= argc || (explains && is_tag(argv[optind])))
		return none;
	return (struct options_operand){ argv[optind], false, optind, optind + 1 };
}

// Takes the words behind the options: the script file, unless -e or a listing takes its place, and the script's arguments.
static int take_operands(struct cli_options *o, int argc, char **argv)
{
	bool wants_script = (o->action == CLI_RUN || o->action == CLI_PACK || o->action == CLI_CHECK) && !o->script_text;

	if (wants_script) {
		if (optind == argc)
			return usage_error("a script is missing%s", "");
		o->script_path = argv[optind++];
		o->suppress_handler_errors |= sp_ends_with(o->script_path, ".bt"); // bpftrace goes on with 0
		if (o->explains && is_tag(o->script_path) && set_action(o, CLI_EXPLAIN, o->script_path))
			return 2;
	} else if (o->action == CLI_INTERACTIVE && optind < argc) {
		o->script_path = argv[optind++];
	} else if (o->action == CLI_EXAMPLES && optind < argc) {
		o->pattern = argv[optind++];
	}
	while (optind < argc)
		sp_vec_push(&o->args, argv[optind++]);
	return 0;
}

static int check_targets(const struct cli_options *o)
{
	bool is_for_many = o->action == CLI_PACK || o->action == CLI_CHECK;
	const char *what = o->action == CLI_PACK ? "--pack" : "spile check";

	if (o->adds && o->action != CLI_PACK)
		return usage_error("--add is for --pack%s", "");
	if (o->adds && !o->output && !o->module)
		return usage_error("--add needs -o: to which pack%s", "?");
	if (!is_for_many)
		return o->targets.n ? usage_error("--for is for --pack and 'spile check'%s", "") : 0;
	if (!o->targets.n)
		return usage_error("%s needs --for: what is the script compiled for?", what);
	if (o->compile.kernel || o->compile.target || o->compile.pid || o->compile.command)
		return usage_error("%s takes its targets from --for, not from -r, --target, -x or -c", what);
	return 0;
}

// SystemTap's variable is -r where nothing else tells for which kernel.
static void take_release(struct cli_options *o)
{
	const char *release = sp_env("SYSTEMTAP_RELEASE");

	if (release && *release && !o->compile.kernel && !o->compile.target && !o->targets.n && !options_are_remote(o))
		o->compile.kernel = release;
}

static void terminate_lists(struct cli_options *o)
{
	sp_vec_push(&o->args, NULL);
	sp_vec_push(&o->defines, NULL);
	sp_vec_push(&o->dumps, NULL);
	sp_vec_push(&o->globals, NULL);
	sp_vec_push(&o->more_scripts, NULL);
	o->compile.args = o->args.v;
	o->compile.more_scripts = o->more_scripts.v;
	o->compile.defines = o->defines.v;
	o->compile.dumps = o->dumps.v;
}

int options_parse(int argc, char **argv, struct cli_options *ret)
{
	struct cli_options *o = ret;
	char *self = argv[0];
	int opt, status = 0, at = 0;

	optind = 0; // options may be read again
	*o = (struct cli_options){ .last_phase = 5, .compile = SPILE_OPTS_INIT };
	o->compile.diag_color = can_color();
	o->compile.diag_colors = sp_env("SYSTEMTAP_COLORS");
	argv[0] = (char *)"spile"; // so that messages do not begin with a path
	while (!status && (opt = getopt_long(argc, argv, short_options, long_options, &at)) != -1) {
		if (opt == '?') { // getopt_long() has said what is wrong
			sp_option_hint(argv, short_options, long_options);
			fputs(HELP_HINT, stderr);
		}
		status = opt == '?' ? 2 : apply_long(o, opt, long_options[at].name, optarg);
	}
	argv[0] = self;
	status = status ? status : take_operands(o, argc, argv);
	if (!status && o->suppress_time_limits && !o->compile.guru)
		status = usage_error("--suppress-time-limits needs guru mode (-g)%s", "");
	if (!status && o->compile.command && o->compile.pid)
		status = usage_error("a command (-c) and a process (-x) exclude each other%s", "");
	status = status ? status : take_overload_defines(o);
	if (!status && o->rotate_megabytes && !o->output)
		status = usage_error("-S needs -o: what are the files called%s", "?");
	status = status ? status : check_targets(o);
	status = status ? status : check_remote(o);
	status = status ? status : check_background(o);
	status = status ? status : check_show(o);
	if (status) {
		options_deinit(o);
		return status;
	}
	if (o->verbose)
		tell_without_effect(o);
	if (!o->compile.no_warnings)
		warn_of_folders(o);
	take_release(o);
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
	sp_vec_deinit(&options->more_scripts);
	sp_vec_deinit(&options->targets);
	free(options->sysroot);
	free(options->module);
	sp_vec_deinit(&options->remote.hosts);
}
