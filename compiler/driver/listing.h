// SPDX-License-Identifier: GPL-2.0-or-later
/** The points of a listing. Each stands in it once, with the variables that all its sites have: a point at an inlined function has
 *  a site for each instance. A zeroed listing is empty. */
#ifndef SP_DRIVER_LISTING_H
#define SP_DRIVER_LISTING_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/hash.h"

struct listed {
	const char *point;
	char *vars; // " $file:struct file* $count:size_t", as the first site has them
	uint64_t pc, seq; // of the first site
};

struct listing {
	struct sp_arena arena;
	struct sp_hash by_point; // struct listed
};

void listing_deinit(struct listing *listing);

/** The variables that all sites added for a point have; NULL: no site has been added. After "" further sites need not be asked for
 *  variables. */
const char *listing_vars(const struct listing *listing, const char *point);
/** Adds a site. The one with the lowest address comes first; of two with the same the one with the lower `seq`. */
void listing_add(struct listing *listing, const char *point, const char *vars, uint64_t pc, uint64_t seq);
void listing_add_all(struct listing *listing, const struct listing *other);
/** Prints a sorted line for each point, or with `json` an object; `vars`: with variables. */
void listing_print(const struct listing *listing, bool vars, bool json, struct sp_buf *out);

#endif
