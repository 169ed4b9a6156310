// SPDX-License-Identifier: GPL-2.0-or-later
/** Listing every function of a kernel: threads with handles of their own take one part of the units after the other. What
 *  one part needed is freed before the next begins, so that memory stays bounded. */
#ifndef SP_DRIVER_LIST_PARTS_H
#define SP_DRIVER_LIST_PARTS_H

#include "compiler/driver/list_alias.h"

/** Is the point one that all units have to be read for? */
bool list_parts_fit(const struct ast_point *point);
/** Adds a site and, with `vars`, its variables. */
void list_site(struct point_env *env, struct site *site, bool vars, uint64_t seq, struct listing *listing);
/** The same for each site of a point. Reports nothing, also when nothing matches. The session has been described
 *  (session_describe). */
void list_parts(struct spile *spile, const struct ast_point *point, bool vars, struct listing *listing);

#endif
