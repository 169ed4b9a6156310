// SPDX-License-Identifier: GPL-2.0-or-later
/** Which variables the code that is left reads and writes, after @defined has cut branches and prune has dropped code. */
#ifndef SP_SEMA_USES_H
#define SP_SEMA_USES_H

#include "compiler/sema/program.h"

/** Sets is_read and is_written of all variables, and what is read of aggregates. */
void uses_count(struct program *program);

#endif
