// SPDX-License-Identifier: GPL-2.0-or-later
/** A script from the options to its end: libspile compiles it, libspilert runs it, the terminal gets their words. */
#ifndef SP_CLI_RUN_H
#define SP_CLI_RUN_H

#include "compiler/cli/options.h"
#include "runtime/base/buf.h"

#include <sys/types.h>

#ifndef SPILE_DATADIR
#define SPILE_DATADIR "/usr/share/spile"
#endif

struct cli {
	struct cli_options options;
	char *description; // of this machine, for spile_opts.describe
	const char *default_dump[2]; // of -p1 to -p3
	bool pages; // what is put out goes to a pager
	pid_t pager; // 0: not started
	struct sp_buf *captured; // NULL: what is put out goes to standard output
	char tapset_dir[4096], module_dir[4096];
};

/** Completes what the options say: the library's folder, the callbacks. */
void cli_init(struct cli *cli);
void cli_deinit(struct cli *cli);

/** The path of what is called `name` in the folder of the program, when there is such a thing: in a source tree's build. NULL:
 *  there is not. */
const char *cli_beside_program(const char *name, char *path, size_t size);
/** Compiles and runs the script of the options. Returns the exit status. */
int cli_run(struct cli *cli, struct spile *spile);

#endif
