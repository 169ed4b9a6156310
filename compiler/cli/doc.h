// SPDX-License-Identifier: GPL-2.0-or-later
/** `spile --doc NAME`, and `help NAME` of -i: what a name means, whatever sort it is of. The answers are in one file that make has
 *  made of the manual pages, the library's doc blocks, the tables of diagnostics, and the examples (docs/reference.sh). */
#ifndef SP_CLI_DOC_H
#define SP_CLI_DOC_H

#include "compiler/cli/cli.h"

/** Prints the entries of a name; of a pattern, or of a word that is no name, one line for each entry that it finds. Returns the exit
 *  status: 1 when there is nothing. */
int doc_print(struct cli *cli, const char *name);

#endif
