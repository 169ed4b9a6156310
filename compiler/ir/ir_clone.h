// SPDX-License-Identifier: GPL-2.0-or-later
/** Copies of code, for whoever makes the unit and changes a part of it in one of two places. */
#ifndef SP_IR_IR_CLONE_H
#define SP_IR_IR_CLONE_H

#include "compiler/ir/ir.h"

/** A list of statements with all below it, in the unit's arena. */
struct ir_stmt *ir_clone(struct ir_unit *unit, const struct ir_stmt *list);
struct ir_expr *ir_clone_expr(struct ir_unit *unit, const struct ir_expr *e);

#endif
