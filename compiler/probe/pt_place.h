// SPDX-License-Identifier: GPL-2.0-or-later
/** Places inside of functions as probe points: `.statement("f@file:LINES")`, `.statement(ADDRESS)`, `.function("f").label("l")`. */
#ifndef SP_PROBE_PT_PLACE_H
#define SP_PROBE_PT_PLACE_H

#include "compiler/probe/search.h"

/** Is it such a point? */
bool place_matches(const struct ast_point *point);
/** As func_resolve. */
bool place_resolve(struct search *search);

#endif
