// SPDX-License-Identifier: GPL-2.0-or-later
/** Runs the script of the options: compiles it, and hands the result to the runtime. */
#ifndef SP_CLI_RUN_H
#define SP_CLI_RUN_H

#include "compiler/cli/cli.h"

/** Returns the exit status. */
int cli_run(struct cli *cli);
/** Opens the file of -o, whose name is a format for strftime(), as in SystemTap. Returns 0, or the exit status after a message. */
int cli_open_output(const char *format, int *fd_ret);

#endif
