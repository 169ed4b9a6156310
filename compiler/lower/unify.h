// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers' own copies of a function that came out equal are one function.
 *
 *  A function that uses something of its handler's site is copied for each handler (sema). Most often that is a register, which all
 *  of them have in the same place: of what hundreds of handlers call, one copy is left, and is planned and made once. */
#ifndef SP_LOWER_UNIFY_H
#define SP_LOWER_UNIFY_H

#include "compiler/lower/lower_ctx.h"

/** The unit's programs are complete. Functions get other numbers. */
void lower_unify(struct lower *l);

#endif
