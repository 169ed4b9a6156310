// SPDX-License-Identifier: GPL-2.0-or-later
/** Tries and runs the scripts that `spile -i` makes of its lines. */
#ifndef SP_CLI_REPL_RUN_H
#define SP_CLI_REPL_RUN_H

#include "compiler/cli/cli.h"

#include <stdbool.h>

/** Is the text a correct script? It is compiled up to the checks; `aloud`: with the messages of that. */
bool repl_is_right(struct cli *cli, const char *text, bool aloud);
/** Runs a script in a process of its own, so that its end, whatever it is, leaves this one alone. Ctrl-C ends that process only.
 *  `is_part`: a line, about whose unused variables nothing is said. `variables` gets what spilert_variables() gives at the end. */
void repl_run(struct cli *cli, const char *text, bool is_part, struct sp_buf *variables);

#endif
