// SPDX-License-Identifier: GPL-2.0-or-later
/** Decides the conditions of %( CONDITION %? ... %). */
#ifndef SP_FRONT_MACRO_COND_H
#define SP_FRONT_MACRO_COND_H

#include "compiler/front/lex.h"
#include "compiler/front/parse.h"

/** 1: true, 0: false, -1: malformed, reported. `end` is the place of the %? behind the condition. */
int macro_cond(const struct parse_env *env, const struct token_list *tokens, struct span end, struct diag_ctx *dc);

#endif
