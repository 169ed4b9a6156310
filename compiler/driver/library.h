// SPDX-License-Identifier: GPL-2.0-or-later
/** What a script can use: --dump-probe-types, --dump-probe-aliases, --dump-functions. Each puts out its lines, sorted, and
 *  returns the exit status. */
#ifndef SP_DRIVER_LIBRARY_H
#define SP_DRIVER_LIBRARY_H

#include "compiler/driver/session.h"

struct tapset;

/** Opens the library that the options name; *ret is NULL without one. `env` gets the library's macros. */
struct sp_err *library_open(struct spile *spile, struct parse_env *env, struct tapset **ret);

int library_list_points(struct spile *spile);
int library_list_aliases(struct spile *spile);
int library_list_functions(struct spile *spile);

#endif
