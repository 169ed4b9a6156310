// SPDX-License-Identifier: GPL-2.0-or-later
/** Listing every function of a kernel: threads with handles of their own take one part of the units after the other. What
 *  one part needed is freed before the next begins, so that memory stays bounded. */
#ifndef SP_DRIVER_LIST_PARTS_H
#define SP_DRIVER_LIST_PARTS_H

#include "compiler/driver/list_alias.h"

/** Is the point one that all units have to be read for? */
bool list_parts_fit(const struct ast_point *point);
/** Calls `found` for each site, in no order: its point and, with `vars`, its variables. Reports nothing, also when nothing
 *  matches. The session has been described (session_describe). */
void list_parts(struct spile *spile, const struct ast_point *point, bool vars, list_fn *found, void *ctx);

#endif
