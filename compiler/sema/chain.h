// SPDX-License-Identifier: GPL-2.0-or-later
/** Probes that hide the callers which others look for. `.callees(N)` recognises a call by the return addresses on the stack,
 *  and a .return probe of a function on the way has replaced that function's. */
#ifndef SP_SEMA_CHAIN_H
#define SP_SEMA_CHAIN_H

#include "compiler/sema/sema.h"

/** Warns once for each such site of the program, unless all runs in the user engine, which leaves the stack as it is. */
void chain_check(const struct sema_opts *opts, const struct program *program);

#endif
