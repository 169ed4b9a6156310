// SPDX-License-Identifier: GPL-2.0-or-later
/** --explain SCRIPT: what its lines have become. */
#ifndef SP_CLI_EXPLAIN_H
#define SP_CLI_EXPLAIN_H

#include "compiler/cli/compile.h"

/** Behind what --cost prints: what this kernel makes of the programs, if it takes them, and each line with its instructions.
 *  Returns the exit status. */
int cli_explain(const struct cli *cli, const struct cli_script *script, const struct cli_object *object);

#endif
