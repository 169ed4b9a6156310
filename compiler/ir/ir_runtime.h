// SPDX-License-Identifier: GPL-2.0-or-later
/** What only the runtime can do, beside STAT_TEXT: no handler in the kernel does it, whatever the target. Handlers that need it are deferred
 *  (lower/lower_rest.h); where even that cannot be, the plan tells why. */
#ifndef SP_IR_IR_RUNTIME_H
#define SP_IR_IR_RUNTIME_H

#include "compiler/ir/ir.h"

/** Names of addresses that are kept as a string; SYMBOLS. */
bool ir_names_address(const struct ir_expr *e);
/** Text of floating point numbers that is kept as a string; SPRINTF. */
bool ir_keeps_float(const struct ir_unit *unit, const struct ir_expr *e);

/** Whether a FOREACH sorts by @variance: it takes long divisions, for which a walk in the kernel has no room. */
bool ir_sorts_variance(const struct ir_stmt *s);
/** Bytes that a sorted walk keeps of an element: of an aggregate the number that it is sorted by. */
static inline uint32_t ir_walk_stride(const struct ir_map *map)
{
	return map->key_size + (map->kind == SP_MAP_STAT ? 8 : map->value_size);
}

/** The most elements that a sorted walk in the kernel picks out. */
uint32_t ir_walk_most(const struct ir_map *map);
/** How many elements a sorted FOREACH has to keep apart; 0: too many for the kernel, or an order that only the runtime has. */
uint32_t ir_walk_rows(const struct ir_unit *unit, const struct ir_stmt *s);

#endif
