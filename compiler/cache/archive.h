// SPDX-License-Identifier: GPL-2.0-or-later
/** Files of the probe cache in one archive, for other machines: a tar file (POSIX ustar), so that tar(1) can make and read it, too.
 *
 *  The problem. An archive comes from elsewhere, and what is in the cache is believed.
 *
 *  The idea. An archive is read for files of the probe cache and nothing else: a regular file whose name is that of its content,
 *  which is checked as it is when it is used. With anything else in it, the whole archive is refused: nothing has been saved then. No
 *  name of the archive ever becomes a path, and owners and modes in it mean nothing. */
#ifndef SP_CACHE_ARCHIVE_H
#define SP_CACHE_ARCHIVE_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

/** Appends an archive of the files whose names begin with one of the texts; n_ids 0: of all. *n_ret: how many. */
struct sp_err *archive_write(const char *const *ids, size_t n_ids, struct sp_buf *ret, unsigned *n_ret);
/** Called for each file of an archive. */
typedef struct sp_err *archive_file_fn(void *ctx, const char *name, const uint8_t *bytes, size_t size);
/** Checks the whole archive, and then calls `fn` for its files. */
struct sp_err *archive_read(const uint8_t *bytes, size_t size, archive_file_fn *fn, void *ctx);

#endif
