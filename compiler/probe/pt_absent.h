// SPDX-License-Identifier: GPL-2.0-or-later
/** Variables that have no value at a site: why, and where in the function they can be read. */
#ifndef SP_PROBE_PT_ABSENT_H
#define SP_PROBE_PT_ABSENT_H

#include "compiler/probe/point.h"

/** A handler at the site cannot read the variable, which debug information found there. */
bool absent_is(const struct point_env *env, const struct site *site, const struct dbg_var *var);
/** Names a register of the location that a handler at the site cannot read, and says why; NULL: it can, or the object is in
 *  several pieces, of which some may be read. */
const char *absent_reg(const struct point_env *env, const struct site *site, const struct loc *loc);
/** When the variable's location needs what registers held at the function's entry: the frame at `pc` by which that is found
 *  again, else *frame_ret is NULL. False: it cannot be kept; var->why_not says why. */
bool absent_keep(struct dbg_func *func, uint64_t pc, struct dbg_var *var, const struct loc **frame_ret);
/** Reports that the variable cannot be read at the site. */
void absent_report(struct point_env *env, const struct site *site, struct span span, const struct dbg_var *var);
/** Adds to `d` at which lines of the site's function `name` (without the '$') can be read, and a probe point at the
 *  nearest of them. False: there are none. */
bool absent_tell_lines(struct point_env *env, const struct site *site, struct diag *d, const char *name);

#endif
