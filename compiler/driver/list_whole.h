// SPDX-License-Identifier: GPL-2.0-or-later
/** Listings that read all units of a kernel or of a large program, such as -L 'kernel.function("*")'. Each thread has a struct dbg of its own and lists
 *  one share of the units after the other; the sites of a share are freed before the next one, so that memory stays bounded. */
#ifndef SP_DRIVER_LIST_WHOLE_H
#define SP_DRIVER_LIST_WHOLE_H

#include "compiler/driver/list_alias.h"

/** Must all units be read for the point? */
bool list_whole_fits(struct point_env *env, const struct ast_point *point);
/** Adds a site and, with `vars`, its variables. */
void list_site(struct point_env *env, struct site *site, bool vars, uint64_t seq, struct listing *listing);
/** Adds all sites of a point. Reports nothing, not even that nothing matches. session_describe() must have been called. False: adds
 *  none, as the system had no memory or descriptors for a file. */
bool list_whole(struct spile *spile, const struct ast_point *point, bool vars, struct listing *listing);
/** Of a point for all functions of a kernel or a large program, adds those that its first units settle: they are found before all
 *  units have been read, and, in a program, decompressed. */
void list_whole_first(struct spile *spile, const struct ast_point *point, bool vars, struct listing *listing);

#endif
