// SPDX-License-Identifier: GPL-2.0-or-later
/** -i: a script is built, tried and run a declaration at a time. What is typed is a declaration of the script language, an
 *  expression or statement that is tried at once, or a command. */
#ifndef SP_CLI_REPL_H
#define SP_CLI_REPL_H

#include "compiler/cli/run.h"

/** Until the end of the input; `argv` is the command line, to which `set` adds. Returns the exit status: 1 when the script
 *  file cannot be read. */
int repl(struct cli *cli, char *const *argv);

#endif
