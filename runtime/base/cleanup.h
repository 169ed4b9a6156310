// SPDX-License-Identifier: GPL-2.0-or-later
/** Scope cleanup for what one function owns: `sp_cleanup_free char *s = ...;`. */
#ifndef SP_BASE_CLEANUP_H
#define SP_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void sp_cleanup_freep(void *p)
{
	free(*(void **)p);
}

// Not inline: there are hundreds of places.
void sp_cleanup_closep(int *fd);
void sp_cleanup_fclosep(FILE **f);

#define sp_cleanup(fn) __attribute__((cleanup(fn)))
#define sp_cleanup_free sp_cleanup(sp_cleanup_freep)
#define sp_cleanup_close sp_cleanup(sp_cleanup_closep)
#define sp_cleanup_fclose sp_cleanup(sp_cleanup_fclosep)
/** Gives a cleaned-up pointer away: `return sp_take(s);`. */
#define sp_take(p)                                                                                 \
	({                                                                                         \
		__typeof__(p) taken_ = (p);                                                        \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

#endif
