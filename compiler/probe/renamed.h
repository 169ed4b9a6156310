// SPDX-License-Identifier: GPL-2.0-or-later
/** Names that the kernel had when scripts were written, and has no more (renamed.def). */
#ifndef SP_PROBE_RENAMED_H
#define SP_PROBE_RENAMED_H

#include "compiler/debug/dbg.h"

/** "did you mean 'kernel_clone'?": what became of a function of the kernel, as far as this kernel has it; in `arena`. NULL: nothing is
 *  known of it. */
const char *renamed_function(struct dbg_module *kernel, const char *name, struct sp_arena *arena);
/** "since Linux 5.14 it is __state": the same of a member of a structure, which is named without "struct". */
const char *renamed_member(const char *type, const char *member, struct sp_arena *arena);

#endif
