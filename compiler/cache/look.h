// SPDX-License-Identifier: GPL-2.0-or-later
/** Where it is noted what a compilation looks at.
 *
 *  The problem. Files are opened in dozens of places of the compiler, and more come. One that forgets to note its file would make a
 *  result be used again that is no longer right.
 *
 *  The idea. No place notes anything. The linker sends the compiler's calls of open, stat, readlink, getenv and the like to
 *  look_wrap.c (--wrap in Makefile.am), which notes the name and then calls the function. A lint refuses calls of other functions
 *  that look at files, and a test compares what was noted with what strace sees.
 *
 *  The invariant. Notes go to the recorder of the thread, which is that of the thread that has started it. There is none unless a
 *  compilation has set it. */
#ifndef SP_CACHE_LOOK_H
#define SP_CACHE_LOOK_H

#include "compiler/cache/input.h"

/** Sets the recorder of this thread, NULL: none, and returns the one before. */
struct inputs *look_record(struct inputs *inputs);
/** Notes an input with this thread's recorder, if it has one. */
void look_note(enum input_kind kind, const char *name);
/** Notes a file that another library has opened, or found missing. */
void look_note_opened(const char *path);
/** Says why what is looked at forbids to keep the result. */
void look_obstacle(const char *why);

static inline void look_resume(struct inputs **inputs)
{
	look_record(*inputs);
}

/** To the end of the block, nothing is noted: what is looked at has no part in the result. */
#define LOOK_PAUSE() __attribute__((cleanup(look_resume), unused)) struct inputs *look_paused_ = look_record(NULL)

#endif
