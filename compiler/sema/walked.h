// SPDX-License-Identifier: GPL-2.0-or-later
/** A rule of its own: no array changes while foreach walks it, but by `delete` of the whole. */
#ifndef SP_SEMA_WALKED_H
#define SP_SEMA_WALKED_H

#include "compiler/sema/sema.h"

/** Reports changes in the bodies of loops, and in the functions that these call; sets `may_clear` of the loops. */
void walked_check(const struct sema_opts *opts, struct program *program);

#endif
