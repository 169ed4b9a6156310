// SPDX-License-Identifier: GPL-2.0-or-later
/** The variables of bodies that are lowered. */
#ifndef SP_LOWER_LOWER_LOCAL_H
#define SP_LOWER_LOWER_LOCAL_H

#include "compiler/ir/ir.h"

/** Adds how often each variable is set and read in `list`; `sets` or `reads` may be NULL. */
void lower_local_count(const struct ir_unit *unit, const struct ir_stmt *list, uint32_t *sets, uint32_t *reads);

/** Puts literals in place of text variables that never have another value: aliases say `name = "recv"` behind the condition that
 *  it is one. A literal needs no memory, and is no copy. */
void lower_local_literals(struct ir_unit *unit);

#endif
