// SPDX-License-Identifier: GPL-2.0-or-later
/** The cache: files which can be made again when they are lost, in the folder "spile" of XDG_CACHE_HOME or ~/.cache.
 *
 *  The problem. What is in the folder is believed, and programs are run with it. Other users must not write to it; processes use it
 *  at the same time, and are killed in the middle; it must not grow without end.
 *
 *  The idea. This file alone opens the folder. It is used only when it, and each file, belongs to our user and nobody else can write
 *  it. Files appear whole or not at all. The ending of a name tells what sort of file it is; each sort has its own limit, and what
 *  has not been used for the longest time goes out first.
 *
 *  The invariant. A file that is missing, or is taken away while it is used, is no error: whoever has mapped it keeps it. */
#ifndef SP_CACHE_CACHE_H
#define SP_CACHE_CACHE_H

#include "runtime/base/err.h"
#include "runtime/base/vec.h"

#include <limits.h>

/** A file mapped read-only. */
struct cache_mapped {
	const uint8_t *bytes; // NULL: none
	size_t size;
};

/** Why the folder cannot be used; NULL: it can, or there is none. */
struct sp_err *cache_check(void);
/** Maps the file of that name. When there is none, that is no error: `bytes` is NULL. */
struct sp_err *cache_map(const char *name, struct cache_mapped *ret);
void cache_unmap(struct cache_mapped *mapped);
/** Saves a file; others see all of it or nothing. Older files of its sort may be removed. */
struct sp_err *cache_save(const char *name, const uint8_t *bytes, size_t size);

/** Waits until nobody else holds the lock: for who reads a file, and saves it with something added. Returns what is to be closed; -1:
 *  there is no folder, which whoever saves will be told. */
int cache_lock(void);

/** The path of the file of that name, whether it is there or not, to be freed; NULL: there is no folder for it. */
char *cache_path(const char *name);
/** Opens the file of that name for reading; -1: there is none. */
int cache_open(const char *name);
/** Makes a file that is too large for memory: `fill` writes it, and returns false when that fails. Returns the open file; -1: there
 *  is no cache, or no room. */
typedef bool cache_fill_fn(void *ctx, int fd);
int cache_make(const char *name, cache_fill_fn *fill, void *ctx);
/** Notes that the file has been used: it goes out later. */
void cache_touch(const char *name);

struct cache_entry {
	char name[NAME_MAX + 1];
	const char *what; // "compiled script"
	uint64_t used; // when last, in nanoseconds since 1970
	uint64_t size;
};

struct cache_list {
	struct cache_entry *v;
	size_t n, cap;
};

/** The files whose names end so (NULL: all), the one that was not used for the longest time first; an empty list when there is no
 *  cache. */
struct sp_err *cache_each(const char *ending, struct cache_list *ret);
struct sp_err *cache_remove(const char *name);
/** Removes what is beyond the limits, and what killed processes have left. */
struct sp_err *cache_prune(unsigned *n_ret);

#endif
