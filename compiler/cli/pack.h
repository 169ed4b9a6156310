// SPDX-License-Identifier: GPL-2.0-or-later
/** A script that is compiled for several machines: `spile --pack` puts the results into one file, `spile check` says whether there
 *  are any. */
#ifndef SP_CLI_PACK_H
#define SP_CLI_PACK_H

#include "compiler/cli/cli.h"

/** Does what the options ask for. Returns the exit status. */
int pack_compile(struct cli *cli);

#endif
