// SPDX-License-Identifier: GPL-2.0-or-later
/** The script library of a session, and the listings of what a script can use: --dump-probe-types, --dump-probe-aliases,
 *  --dump-functions. Each listing prints its lines and returns the exit status. */
#ifndef SP_DRIVER_LIBRARY_H
#define SP_DRIVER_LIBRARY_H

#include "compiler/driver/session.h"

struct tapset;

/** Opens the library that the options name, and adds its macros to `env`. *ret is NULL when the options name none. */
struct sp_err *library_open(struct spile *spile, struct parse_env *env, struct tapset **ret);

int library_list_points(struct spile *spile);
int library_list_aliases(struct spile *spile);
int library_list_functions(struct spile *spile);

#endif
