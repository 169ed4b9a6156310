// SPDX-License-Identifier: GPL-2.0-or-later
/** -i: builds a script declaration by declaration. A line is a declaration, which becomes part of the script when it is correct, an
 *  expression or statement, which runs at once, or a command. */
#ifndef SP_CLI_REPL_H
#define SP_CLI_REPL_H

#include "compiler/cli/cli.h"

/** Reads lines until `quit` or the end of the input; `argv` is the command line, to which the command `set` adds. Returns the exit
 *  status: 1 when the script file of the command line cannot be read. */
int repl(struct cli *cli, char *const *argv);

#endif
