// SPDX-License-Identifier: GPL-2.0-or-later
/** Files that can be made again, in a folder of ours below XDG_CACHE_HOME or ~/.cache: ours alone (0700, our user's), or
 *  it is not used. */
#ifndef SP_DEBUG_DW_CACHE_H
#define SP_DEBUG_DW_CACHE_H

#include "runtime/base/err.h"

/** A file mapped read-only. */
struct dw_cached {
	const uint8_t *bytes; // NULL: none
	size_t size;
};

/** The file of that name; none is no error. */
struct sp_err *dw_cache_map(const char *name, struct dw_cached *ret);
void dw_cache_unmap(struct dw_cached *cached);
/** Puts the whole file there at once: nobody sees a part of it. Of the files whose names end as this one
 *  does (".names") those that were not used for the longest time go when there are many, or large ones. */
struct sp_err *dw_cache_save(const char *name, const uint8_t *bytes, size_t size);

#endif
