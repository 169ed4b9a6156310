// SPDX-License-Identifier: GPL-2.0-or-later
/** The command line of spile: the options of SystemTap's `stap`, and more. option.def lists the long ones. */
#ifndef SP_CLI_OPTIONS_H
#define SP_CLI_OPTIONS_H

#include "compiler/cli/overload.h"
#include "compiler/include/spile.h"
#include "runtime/base/vec.h"
#include "runtime/include/spilert.h"

typedef const char *cli_text;

enum cli_action { CLI_RUN, CLI_PACK, CLI_CHECK, CLI_INTERACTIVE, CLI_LIST, CLI_EVENTS, CLI_LIBRARY, CLI_SHOW, CLI_EXPLAIN, CLI_FROM_BPFTRACE, CLI_LIST_PASSES, CLI_EXAMPLES, CLI_DOC, CLI_CLEAN_CACHE, CLI_VERSION, CLI_HELP };

/** Where else the script runs. */
struct remote_options {
	SP_VEC(cli_text) hosts; // --remote
	const char *hosts_file; // NULL
	const char *shell; // --remote-shell; NULL
	unsigned parallel; // hosts at a time; 0: all
	bool prefix; // names of hosts before the lines, also of a single host
};

struct cli_options {
	enum cli_action action;
	const char *script_text; // -e; NULL
	const char *script_path; // NULL
	const char *pattern; // -l, -L, --kprobe-events; the tag of --explain; the word of --examples, NULL: all; the name of --doc
	bool list_vars;
	struct spile_show show; // --funcs and the like
	enum spile_library library; // --dump-functions and the like
	int last_phase; // -p: SystemTap's number of the last pass
	unsigned verbose;
	const char *output; // -o
	long rotate_megabytes, rotate_keep; // -S; 0: none, all
	bool background; // -F
	char *module; // -m; NULL
	bool keep; // -k
	bool no_cache; // --no-cache
	bool poison_cache; // --poison-cache: nothing is taken from the cache, but the result is kept there
	double seconds; // -T
	enum spilert_engine engine;
	bool suppress_handler_errors, suppress_time_limits;
	bool timing; // -t
	bool explains; // --explain SCRIPT
	double monitor; // seconds between its looks; 0: there is none
	double max_overhead; // a share of the CPUs; 0: any
	struct overload overload;
	bool folded;
	const char *flamegraph; // NULL
	const char *plot; // NULL
	const char *perf_data; // NULL
	bool json; // the run's output
	int prometheus, web; // ports; 0: none, -1: a free one
	struct remote_options remote;
	unsigned without_effect; // bits: the rows WITHOUT_EFFECT of option.def that were given
	char ring_size[40]; // -s, as a text for -D
	struct spile_opts compile; // what the compiler gets to know; the lists below are its arrays
	SP_VEC(cli_text) args, defines, tapset_dirs, dumps, globals, more_scripts;
	SP_VEC(cli_text) targets; // --for
	bool adds; // --add: to the pack that is there
	char *sysroot; // --sysroot, without links
};

/** What a command line runs: the file of a script, or an example. */
struct options_operand {
	const char *name; // NULL: neither (-e, -l, -i, ...)
	bool is_example; // --example has named it
	int first, rest; // indexes of words: of the operand (or of --example), and of the first word behind it
};
/** Finds it, before options_parse(). Prints nothing: what is wrong, options_parse() will find again. */
struct options_operand options_find_operand(int argc, char **argv);

/** Returns 0, or an exit status after a message on standard error. The lists of *ret end with NULL. */
int options_parse(int argc, char **argv, struct cli_options *ret);
void options_deinit(struct cli_options *options);
/** Prints what --help says; returns an errno when that cannot be written. */
int options_print_help(void);
/** Does the script run on the hosts of --remote and --remote-hosts? */
bool options_are_remote(const struct cli_options *options);
/** Prints the names of the options that do something, one a line; one that needs a value ends with `=`. */
void options_print_words(void);

#endif
