// SPDX-License-Identifier: GPL-2.0-or-later
/** Regular expressions: tables (regex_dfa.h) and the loop that walks them; what matched() reads (plan_regex.h). */
#ifndef SP_GEN_GEN_REGEX_H
#define SP_GEN_GEN_REGEX_H

#include "compiler/gen/core/gen_core.h"

/** IR_MATCH: 1 or 0. */
LLVMValueRef gen_regex_match(struct gen *g, const struct ir_expr *e);
/** matched(n), padded. */
void gen_regex_part(struct gen *g, const struct ir_expr *e, struct gen_str dst);
/** ngroups() */
LLVMValueRef gen_regex_groups(struct gen *g, const struct ir_expr *e);

#endif
