// SPDX-License-Identifier: GPL-2.0-or-later
/** Walks of arrays. */
#ifndef SP_GEN_GEN_WALK_H
#define SP_GEN_GEN_WALK_H

#include "compiler/gen/core/gen_core.h"

void gen_walk_foreach(struct gen *g, const struct ir_stmt *s);
/** delete of a whole array */
void gen_walk_clear(struct gen *g, const struct ir_stmt *s);

#endif
