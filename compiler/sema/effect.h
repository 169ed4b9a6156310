// SPDX-License-Identifier: GPL-2.0-or-later
/** What has an effect beyond its value: reading memory has none, although it can fail. */
#ifndef SP_SEMA_EFFECT_H
#define SP_SEMA_EFFECT_H

#include "compiler/sema/program.h"

/** Sets `has_effect` of every function: of those that do something, or call one that does. */
void effect_mark(struct program *program);
/** Does anything but the value come of the expression? Functions are taken as effect_mark() left them. */
bool effect_of_expr(struct ast_expr *e);

#endif
