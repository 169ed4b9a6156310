// SPDX-License-Identifier: GPL-2.0-or-later
/** Which callers a probe at callees (`.callee`) can see, when other probes of the program are in the way. */
#ifndef SP_SEMA_CALLERS_H
#define SP_SEMA_CALLERS_H

#include "compiler/sema/sema.h"

/** Warns of what the sites of a program hide from each other. */
void callers_check(const struct sema_opts *opts, const struct program *program);

#endif
