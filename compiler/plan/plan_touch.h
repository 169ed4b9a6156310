// SPDX-License-Identifier: GPL-2.0-or-later
/** What code does with the script's globals in one run, counted: whether it comes to a global once or several times decides whether
 *  an atomic operation serves it. Scalars have their numbers, arrays and aggregates are behind them. */
#ifndef SP_PLAN_TOUCH_H
#define SP_PLAN_TOUCH_H

#include "compiler/plan/plan_calls.h"

#define TOUCH_MANY 2 // counts end here; what is in a loop counts as often

#define TOUCH_EXTREMES 4 // the largest or the smallest; an element that is not there is 0, or less than any

struct touch {
	uint8_t reads; // of a number, an element, `in`; a walk, and an extractor that goes through several numbers, are many
	uint8_t adds; // ++ -- += -= <<<; the largest of a global that handlers do nothing else to, and such: what commutes
	uint8_t fetches; // those of them whose value is used
	uint8_t sets; // stores and deletes
};

struct touches {
	const struct plan *plan;
	uint32_t n; // globals
	struct touch_changes { // of each, by handlers that run with others
		unsigned sets; // additions and deletes, too
		unsigned extremes[TOUCH_EXTREMES]; // those of plan_extreme, by what they look for
	} *changes;
	struct touch **funcs; // of each function, with those that it calls
};

void touches_init(struct touches *t, const struct plan *plan, const struct plan_calls *calls);
void touches_deinit(struct touches *t);
/** Is it `if (x > most) most = x`, which one operation on the global or the element `most` does? x, and the element's key, are computed
 *  once: they are made of what does not change meanwhile. To be asked behind plan_known. */
bool plan_extreme(const struct plan *plan, const struct ir_stmt *s, struct plan_extreme *ret);
/** The global that it is about. */
uint32_t plan_extreme_global(const struct plan *plan, const struct plan_extreme *x);
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
