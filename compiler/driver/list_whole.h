// SPDX-License-Identifier: GPL-2.0-or-later
/** Listing every function of a kernel. Each thread has a handle of its own (struct dbg) and takes one part of the kernel's units
 *  after the other. The memory of a part is freed before the next one begins, and so stays bounded. */
#ifndef SP_DRIVER_LIST_WHOLE_H
#define SP_DRIVER_LIST_WHOLE_H

#include "compiler/driver/list_alias.h"

/** Do all units have to be read for the point? */
bool list_whole_fits(const struct ast_point *point);
/** Adds a site and, with `vars`, its variables. */
void list_site(struct point_env *env, struct site *site, bool vars, uint64_t seq, struct listing *listing);
/** Adds all sites of a point. Reports nothing, not even that nothing matches. Needs session_describe() before. */
void list_whole(struct spile *spile, const struct ast_point *point, bool vars, struct listing *listing);

#endif
