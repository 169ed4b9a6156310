// SPDX-License-Identifier: GPL-2.0-or-later
/** One probe point, looked for in one file after the other: what its resolvers are given, and what they have found that
 *  cannot be probed. */
#ifndef SP_PROBE_SEARCH_H
#define SP_PROBE_SEARCH_H

#include "compiler/probe/point.h"

struct search {
	struct point_env *env;
	const struct point_family *family;
	const struct ast_point *point;
	struct sites *sites;
	const char **why_ret; // as that of point_family.resolve
	size_t n_before; // sites that are of other points
	struct dbg_module *module; // where it looks now
	const char *prefix; // how points there begin: process("/bin/ls")
	uint64_t address; // link-time, of process(PID).statement(ADDRESS).absolute; 0: as the point has it
	SP_VEC(const struct dbg_func *) forbidden; // that would have matched
	const struct dbg_module *writable; // of which it was told that code is
};

void search_init(struct search *search, struct point_env *env, const struct point_family *family,
		 const struct ast_point *point, struct sites *sites_ret, const char **why_ret);
/** Has nothing been found yet? */
bool search_is_empty(const struct search *search);
/** May a function not be probed? It is remembered then. */
bool search_forbids(struct search *search, const struct dbg_func *func);
/** Remembers a function of which something that would have matched cannot be probed, and why. Returns the copy that says so. */
struct dbg_func *search_forbid(struct search *search, const struct dbg_func *func, const char *why);
/** Tells what cannot be probed: a warning beside other sites; else the error, and false. Frees what was remembered. `ok`:
 *  nothing else was wrong, which alone is told then. */
bool search_end(struct search *search, bool ok);

#endif
