// SPDX-License-Identifier: GPL-2.0-or-later
/** The scripts of examples/ as commands: `spile opensnoop -p 12`, `spile --examples block`.
 *
 *  A script says in the comment at its top what it does, how it is called, and which options it has: a line
 *  "//   -p PID  calls of that process alone [only_pid]" makes `-p 12` set its global variable only_pid to 12; without a
 *  word in capitals the option sets it to 1. The same comment is what `spile opensnoop -h` prints. */
#ifndef SP_CLI_EXAMPLE_H
#define SP_CLI_EXAMPLE_H

#include "runtime/base/vec.h"

#include <stdbool.h>

/** A command line in which the script's path and -G options stand for an example and its options. */
struct example_argv {
	SP_VEC(char *) v; // NULL-terminated
	SP_VEC(char *) words; // made here
};

/** Copies a command line, with the example that it names replaced. Returns 0, or -1 when the example's help was printed and
 *  nothing is left to do, or an exit status after saying on standard error what is wrong. */
int example_expand(int argc, char **argv, struct example_argv *ret);
void example_argv_deinit(struct example_argv *argv);

/** Prints the examples whose name, area or description has `word` in it, by area; NULL: all. Returns the exit status. */
int example_list(const char *word);

#endif
