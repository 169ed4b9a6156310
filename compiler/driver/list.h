// SPDX-License-Identifier: GPL-2.0-or-later
/** -l and -L. */
#ifndef SP_DRIVER_LIST_H
#define SP_DRIVER_LIST_H

#include "compiler/driver/session.h"

/** Is it a name or a pattern of names alone, as people type them: `vfs_read`, `*open*`? Points of all kinds are meant, and listed
 *  kind by kind. */
bool list_is_name(const char *pattern);
/** Appends the points that match, one a line, sorted, each once. Returns the exit status: 1 when there is none. */
int list_print(struct spile *spile, const char *pattern, bool vars, struct sp_buf *out);
/** The same, to the output of the session. */
int list_points(struct spile *spile, const char *pattern, bool vars);

#endif
