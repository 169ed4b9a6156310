// SPDX-License-Identifier: GPL-2.0-or-later
/** Floating point values: in scripts they are the 64 bits of a double, in a long. */
#ifndef SP_LOWER_FLOAT_H
#define SP_LOWER_FLOAT_H

#include "compiler/lower/lower_ctx.h"

/** The bits of the double that has the value of the float with these 32 bits. */
struct ir_expr *lower_float_widen(struct lower *l, struct ir_expr *bits);

#endif
