// SPDX-License-Identifier: GPL-2.0-or-later
/** Which numbers say who runs the handler, all the time: `tid()`, `cpu()`, and local variables that are set to one of them once, in front of
 *  everything that reads them. What is `-1 - cpu()` for the idle threads, whose tid() is 0, says which of them it is. */
#ifndef SP_PLAN_WHO_H
#define SP_PLAN_WHO_H

#include "compiler/plan/plan.h"

enum plan_who { PLAN_WHO_NONE, PLAN_WHO_THREAD = 1, PLAN_WHO_CPU = 2 };

/** What is called with each expression and statement of a handler, and of the functions that it calls, each of these once. */
struct plan_who_visitor {
	void *ctx;
	/** `locals`: of the body that it is in. */
	void (*expr)(void *ctx, const enum plan_who *locals, const struct ir_expr *e);
	void (*stmt)(void *ctx, const enum plan_who *locals, const struct ir_stmt *s);
};

void plan_who_walk(const struct plan *plan, const struct ir_prog *prog, const struct plan_who_visitor *visitor);
enum plan_who plan_who(const enum plan_who *locals, const struct ir_expr *e);

#endif
