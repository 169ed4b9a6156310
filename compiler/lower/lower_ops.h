// SPDX-License-Identifier: GPL-2.0-or-later
/** Location programs (compiler/model/loc.h) to expressions. */
#ifndef SP_LOWER_OPS_H
#define SP_LOWER_OPS_H

#include "compiler/lower/lower_access.h"

/** The value that the operations of a piece leave: its address, or itself. */
struct ir_expr *lower_ops(struct access *a, const struct loc_piece *piece);
/** Bytes 8 to 15 of one that is a register. */
struct ir_expr *lower_upper_half(struct access *a, const struct loc_piece *piece);

#endif
