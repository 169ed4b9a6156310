// SPDX-License-Identifier: GPL-2.0-or-later
/** Calls from one function: `.function("f").callee("g")`, `.callees`, `.callees(DEPTH)`. A handler is attached to the function
 *  that is called, and is for the calls alone that come from there. */
#ifndef SP_PROBE_PT_CALLEE_H
#define SP_PROBE_PT_CALLEE_H

#include "compiler/probe/search.h"

/** Is it such a point? */
bool callee_matches(const struct ast_point *point);
/** As func_resolve. */
bool callee_resolve(struct search *search);

#endif
