// SPDX-License-Identifier: GPL-2.0-or-later
/** -l and -L. */
#ifndef SP_DRIVER_LIST_H
#define SP_DRIVER_LIST_H

#include "compiler/driver/session.h"

/** Puts out the points that match, sorted, each once. Returns the exit status: 1 when there is none. */
int list_points(struct spile *spile, const char *pattern, bool vars);

#endif
