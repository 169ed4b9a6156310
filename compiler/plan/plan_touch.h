// SPDX-License-Identifier: GPL-2.0-or-later
/** What code does with the script's globals in one run, counted: whether it comes to a global once or several times decides whether
 *  an atomic operation serves it. Scalars have their numbers, arrays and aggregates are behind them. */
#ifndef SP_PLAN_TOUCH_H
#define SP_PLAN_TOUCH_H

#include "compiler/plan/plan_calls.h"

#define TOUCH_MANY 2 // counts end here; what is in a loop counts as often

struct touch {
	uint8_t reads; // of a number, an element, `in`; a walk, and an extractor that goes through several numbers, are many
	uint8_t adds; // ++ -- += -= <<<; the largest of a global that handlers do nothing else to, and such: what commutes
	uint8_t fetches; // those of them whose value is used
	uint8_t sets; // stores and deletes
};

struct touches {
	const struct plan *plan;
	uint32_t n; // globals
	struct touch_changes { // of each scalar, by handlers that run with others
		unsigned sets; // and additions
		unsigned to_larger, to_smaller; // those of plan_extreme
	} *changes;
	struct touch **funcs; // of each function, with those that it calls
};

void touches_init(struct touches *t, const struct plan *plan, const struct plan_calls *calls);
void touches_deinit(struct touches *t);
/** Is it `if (x > most) most = x`, with any order, which one operation on the global `most` does? x is a local variable, a number or
 *  a place in the context. */
bool plan_extreme(const struct ir_stmt *s);
/** Adds what a list of statements does, or what one of them does by itself. Of the branches of an IF one counts. */
void touches_add(const struct touches *t, const struct ir_stmt *list, struct touch *into);
void touches_add_one(const struct touches *t, const struct ir_stmt *s, struct touch *into);
/** What an expression does. */
void touches_add_expr(const struct touches *t, const struct ir_expr *e, struct touch *into);

/** The name of a global that the script can be warned of; NULL: the compiler's own. */
const char *plan_global_name(const struct ir_unit *unit, uint32_t global);

static inline bool touch_is_any(const struct touch *touch)
{
	return touch->reads || touch->adds || touch->sets;
}

static inline uint32_t touches_map(const struct plan *plan, uint32_t map)
{
	return (uint32_t)plan->unit->globals.n + map;
}

#endif
