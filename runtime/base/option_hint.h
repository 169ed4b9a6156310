// SPDX-License-Identifier: GPL-2.0-or-later
/** "Did you mean", for the command line. */
#ifndef SP_BASE_OPTION_HINT_H
#define SP_BASE_OPTION_HINT_H

#include <getopt.h>

/** Behind what getopt_long(3) has said of a word that it does not know: says on stderr which option is spelt like it, if one is. `letters`
 *  and `options` are what getopt_long() was given. */
void sp_option_hint(char *const *argv, const char *letters, const struct option *options);

#endif
