// SPDX-License-Identifier: GPL-2.0-or-later
/** Decides the conditions of %( CONDITION %? ... %). */
#ifndef SP_FRONT_MACRO_COND_H
#define SP_FRONT_MACRO_COND_H

#include "compiler/front/lex.h"
#include "compiler/front/parse.h"

/** 1: the condition is true, 0: false, -1: malformed, and reported. `end` is the place of the %? behind it. */
int macro_cond(const struct parse_env *env, const struct token_list *tokens, struct span end, struct diag_ctx *dc);

/** Warns, once for each file, that `name` of the kernel's configuration cannot be asked for. */
void macro_warn_no_config(struct diag_ctx *dc, struct span span, const char *name);

#endif
