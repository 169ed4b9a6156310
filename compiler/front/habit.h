// SPDX-License-Identifier: GPL-2.0-or-later
/** What is written otherwise in bpftrace or C, for hints: habit.def. */
#ifndef SP_FRONT_HABIT_H
#define SP_FRONT_HABIT_H

#include "runtime/base/arena.h"

/** The probe point that `kprobe:vfs_read` is here, in `arena`; NULL: it is none of bpftrace's. */
const char *habit_point(struct sp_arena *arena, const char *text);
/** What to write instead of a variable, of a function, of @name, or of the first or another part of a probe point, of this name; NULL: it is no
 *  habit. */
const char *habit_name(const char *name);
const char *habit_function(const char *name);
const char *habit_head(const char *name);
const char *habit_operator(const char *name);
const char *habit_part(const char *name);
/** The hint for a word of a syntax that there is not, as `switch`; NULL: it is none. */
const char *habit_word(const char *word);

#endif
