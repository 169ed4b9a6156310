// SPDX-License-Identifier: GPL-2.0-or-later
/** A cache of files, which can be made again when they are lost: the folder "spile" in XDG_CACHE_HOME or ~/.cache. It is used only
 *  when it belongs to our user and nobody else can write it. */
#ifndef SP_DEBUG_DW_CACHE_H
#define SP_DEBUG_DW_CACHE_H

#include "runtime/base/err.h"

/** A file mapped read-only. */
struct dw_cached {
	const uint8_t *bytes; // NULL: none
	size_t size;
};

/** Maps the file of that name. When there is none, that is no error: `bytes` is NULL. */
struct sp_err *dw_cache_map(const char *name, struct dw_cached *ret);
void dw_cache_unmap(struct dw_cached *cached);
/** Saves a file; others see all of it or nothing. When the files with the same ending (".names") become too many or too large
 *  together, those that have not been used for the longest time are removed. */
struct sp_err *dw_cache_save(const char *name, const uint8_t *bytes, size_t size);

/** Opens the file of that name for reading; -1: there is none. */
int dw_cache_open(const char *name);
/** Makes a file that is too large for memory: `fill` writes it, and returns false when that fails. Of files with the same ending at
 *  most `max_bytes` are kept, beside this one. Returns the open file; -1: there is no cache, or no room. */
typedef bool dw_cache_fill_fn(void *ctx, int fd);
int dw_cache_make(const char *name, uint64_t max_bytes, dw_cache_fill_fn *fill, void *ctx);

#endif
