// SPDX-License-Identifier: GPL-2.0-or-later
/** Capacities of strings: bytes with the NUL, multiples of 8. */
#ifndef SP_SEMA_SIZE_H
#define SP_SEMA_SIZE_H

#include "compiler/sema/program.h"

/** Capacity that the text of a string expression needs, once sema_size has run. */
uint32_t size_of_expr(const struct program *program, const struct ast_expr *e, uint32_t max_string);

#endif
