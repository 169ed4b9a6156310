// SPDX-License-Identifier: GPL-2.0-or-later
/** Which numbers say who runs the handler, all the time: `tid()`, `cpu()`, and local variables that are set to one of them once, in front of
 *  everything that reads them. */
#ifndef SP_PLAN_WHO_H
#define SP_PLAN_WHO_H

#include "compiler/plan/plan.h"

enum plan_who { PLAN_WHO_NONE, PLAN_WHO_THREAD = 1, PLAN_WHO_CPU = 2 };

/** Of each local variable of a body, the first of which are parameters. To be freed. */
enum plan_who *plan_who_locals(const struct plan *plan, const struct ir_stmt *body, size_t n_locals);
/** `locals`: of the body that the expression is in. */
enum plan_who plan_who(const enum plan_who *locals, const struct ir_expr *e);

#endif
