// SPDX-License-Identifier: GPL-2.0-or-later
/** Where the kernel's stack is empty, though a handler asks for it. */
#ifndef SP_SEMA_EMPTY_STACK_H
#define SP_SEMA_EMPTY_STACK_H

#include "compiler/sema/sema.h"

/** Warns when `e` asks for the kernel's stack at a trace event that has none. `site` may be NULL. */
void empty_stack_warn(const struct sema_opts *opts, const struct site *site, const struct ast_expr *e);

#endif
