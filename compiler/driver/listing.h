// SPDX-License-Identifier: GPL-2.0-or-later
/** The points that -l and -L list. A point can have many sites, as one at an inlined function has one for each instance: it is
 *  listed once, with the variables that all its sites have. A zeroed listing is empty. */
#ifndef SP_DRIVER_LISTING_H
#define SP_DRIVER_LISTING_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/hash.h"

struct listed {
	char *vars; // " $file:struct file* $count:size_t", as the first site has them
	const char *note; // what else its sites are: "prog: -4@%edi"; NULL: nothing
	uint64_t pc, seq; // of the first site
};

struct listing {
	struct sp_arena arena;
	struct sp_hash by_point; // struct listed; millions of bytes of names, which the table alone has
};

void listing_deinit(struct listing *listing);

/** The variables that all sites so far have; NULL: the point has no site yet. "" cannot change any more: the variables of further
 *  sites need not be found out. */
const char *listing_vars(const struct listing *listing, const char *point);
/** Adds a site of a point. The variables keep the order of the first site: that with the lowest address and, of several there, the
 *  lowest `seq`. */
void listing_add(struct listing *listing, const char *point, const char *vars, uint64_t pc, uint64_t seq);
/** Adds to what is said of a point behind its variables. */
void listing_note(struct listing *listing, const char *point, const char *note);
/** Adds those of another listing, which is empty afterwards. */
void listing_take(struct listing *listing, struct listing *other);
/** Removes the points that another listing has. */
void listing_leave_out(struct listing *listing, const struct listing *other);
/** Prints a line for each point, or with `json` an object, sorted; `vars`: with the variables. `kind`: what kind of points they are,
 *  in a line "# aliases: 12" before them, or in each object; NULL: that is not said. */
void listing_print(const struct listing *listing, const char *kind, bool vars, bool json, struct sp_buf *out);

#endif
