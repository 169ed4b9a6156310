// SPDX-License-Identifier: GPL-2.0-or-later
/** What only the runtime can do: no handler in the kernel does it, whatever the target. Handlers that need it are deferred
 *  (lower/lower_rest.h); where even that cannot be, the plan tells why. */
#ifndef SP_IR_IR_RUNTIME_H
#define SP_IR_IR_RUNTIME_H

#include "compiler/ir/ir.h"

#define IR_KERNEL_NESTING 60 // calls of a recursive function that the kernel has room for

/** What the operation does that only the runtime can: "an array is walked in order". NULL: nothing. */
const char *ir_runtime_expr(const struct ir_unit *unit, const struct ir_expr *e);
const char *ir_runtime_stmt(const struct ir_unit *unit, const struct ir_stmt *s);
/** Do the statements call a function that calls itself, or one that calls such? */
bool ir_calls_recursion(const struct ir_unit *unit, const struct ir_stmt *list);
/** The same of a function's body, where the kernel cannot do it: it drives a foreach itself, and cannot leave it to go on with a
 *  call. */
bool ir_recurses_in_walk(const struct ir_unit *unit, const struct ir_stmt *s);

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
