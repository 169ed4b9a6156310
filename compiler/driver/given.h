// SPDX-License-Identifier: GPL-2.0-or-later
/** -G NAME=VALUE: the first value of a global, from outside of the script. It goes into the object, so that a script that is
 *  compiled with -p4 keeps it; spile-run's -G replaces it. */
#ifndef SPILE_GIVEN_H
#define SPILE_GIVEN_H

#include "compiler/sema/program.h"

/** `settings`: NULL-terminated, or NULL. The program has types and capacities; strings have room for `max_string` bytes. */
struct sp_err *given_apply(struct program *program, const char *const *settings, uint32_t max_string);

#endif
