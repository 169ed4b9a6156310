// SPDX-License-Identifier: GPL-2.0-or-later
/** __flags_str() and __enum_str(): names of a number (name_table.h), found by one loop over constant rows. */
#ifndef SP_GEN_GEN_NAMES_H
#define SP_GEN_GEN_NAMES_H

#include "compiler/gen/core/gen_core.h"

void gen_names_flags(struct gen *g, const struct ir_expr *e, struct gen_str dst);
void gen_names_enum(struct gen *g, const struct ir_expr *e, struct gen_str dst);

#endif
