// SPDX-License-Identifier: GPL-2.0-or-later
/** The scripts of examples/ as commands: `spile opensnoop -p 12`, `spile --examples block`.
 *
 *  The comment at the top of a script says what it does, how it is called, and which options it has: for a line
 *  "//   -p PID  calls of that process alone [only_pid]" the words `-p 12` set its global variable only_pid to 12. An option without
 *  a word in capitals sets its variable to 1. `spile opensnoop -h` prints that comment. */
#ifndef SP_CLI_EXAMPLE_H
#define SP_CLI_EXAMPLE_H

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <stdbool.h>

/** A command line in which the script's path and -G options stand for an example and its options. */
struct example_argv {
	SP_VEC(char *) v; // NULL-terminated
	SP_VEC(char *) words; // those of `v` that were made here, to be freed
};

/** Copies a command line. When it names an example, that is replaced by the path of the script, and the example's own options by -G
 *  options. Returns 0, or -1 when the help of the example was printed and nothing is left to do, or an exit status after a message
 *  on standard error. */
int example_expand(int argc, char **argv, struct example_argv *ret);
void example_argv_deinit(struct example_argv *argv);

/** Prints the examples whose name, area or description has `word` in it, by area; NULL: all. Returns the exit status. */
int example_list(const char *word);
/** Appends the examples that are called so, as a kind of what -l lists: those whose names begin with the word, or match the pattern. */
void example_list_named(const char *name, struct sp_buf *out);

#endif
