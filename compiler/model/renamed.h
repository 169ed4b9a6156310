// SPDX-License-Identifier: GPL-2.0-or-later
/** Names that the kernel had when scripts were written, and has no more (renamed.def). */
#ifndef SP_MODEL_RENAMED_H
#define SP_MODEL_RENAMED_H

#include "runtime/base/arena.h"

/** What functions do now what one of the kernel's did, a list for sp_list_next(), the likeliest first: a kernel has some of them, and may
 *  have the old one still. NULL: nothing is known of it. */
const char *renamed_function(const char *name);
/** "since Linux 5.14 it is __state": what became of a member of a structure, which is named without "struct"; in `arena`. NULL: nothing
 *  is known of it. */
const char *renamed_member(const char *type, const char *member, struct sp_arena *arena);

#endif
