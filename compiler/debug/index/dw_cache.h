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

#endif
