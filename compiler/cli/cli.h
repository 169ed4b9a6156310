// SPDX-License-Identifier: GPL-2.0-or-later
/** The command line tool: from options to an exit status.
 *
 *  The problem. The libraries, libspile (compiler) and libspilert (runtime), neither read options nor write to a terminal nor end
 *  the process, and neither knows the other.
 *
 *  The idea. options.h makes two option structs of the words of the command line, one for each library. main.c does what was asked
 *  for: mostly cli_run(), which compiles the script, and hands the bytes of the bundle to the runtime. Callbacks bring what the
 *  libraries have to say to standard output and standard error. repl.h does the same again and again, with a script that grows.
 *
 *  The invariant. Of the libraries this folder sees their public headers only (spile.h, spilert.h): what the tool can do, another
 *  program can do. (runtime/base is linked for its helpers.)
 *
 *  The limits. Everything here may use global state of the process (getopt, signals, readline); the libraries may not. */
#ifndef SP_CLI_CLI_H
#define SP_CLI_CLI_H

#include "compiler/cli/options.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"

#include <sys/types.h>

#ifndef SPILE_DATADIR
#define SPILE_DATADIR "/usr/share/spile"
#endif

struct cli {
	struct cli_options options;
	struct spile *spile; // of the script that runs; NULL: it was in the cache, and no address was asked for
	char *description; // of this machine, for spile_opts.describe
	const char *default_dump[2]; // of -p1 to -p3
	int output_error; // errno of the first time that standard output could not be written; 0: none
	bool pages; // the output is a listing, which goes to a pager
	pid_t pager; // 0: not started
	int variables_fd; // where the values of the script's variables go when it has run; 0: nowhere
	struct sp_buf *captured; // where the compiler's output goes instead of standard output; else NULL
	struct sp_buf diags; // diagnostics of a listing, until it is known whether anything was listed
	struct messages *messages; // where its messages go, for one target of several (pack.c); else NULL
	char tapset_dir[4096], made_tapset_dir[4096], module_dir[4096];
};

/** Completes what the options say: the library's folder, the callbacks. */
void cli_init(struct cli *cli);
void cli_deinit(struct cli *cli);

/** The path of `name` in the folder of this program, if it exists there, as it does in a build tree; else NULL. An installed program
 *  has nothing beside it. */
const char *cli_beside_program(const char *name, char *path, size_t size);
/** Writes a line to standard error, behind what is on standard output. */
void cli_print_line(const char *prefix, const char *text);
/** Callbacks: shows how far something is, on a terminal; the marks of the passes, by which scripts see this program at work. */
void cli_show_progress(void *ctx, const char *text);
void cli_mark_phase(void *ctx, int phase, int is_end);
/** Appends a text of strangers so that it cannot steer a terminal or make lines of its own: control characters are \ooo. */
void cli_add_shown(struct sp_buf *out, const char *text);
/** Says what the error is, if there is one, and frees it. Returns the exit status. */
int cli_report(struct sp_err *err);

#endif
