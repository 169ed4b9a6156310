// SPDX-License-Identifier: GPL-2.0-or-later
/** -l and -L. */
#ifndef SP_DRIVER_LIST_H
#define SP_DRIVER_LIST_H

#include "compiler/driver/session.h"

/** The points that match, sorted, each once, a line each. Returns the exit status: 1 when there is none. */
int list_print(struct spile *spile, const char *pattern, bool vars, struct sp_buf *out);
/** Puts them out. */
int list_points(struct spile *spile, const char *pattern, bool vars);

#endif
