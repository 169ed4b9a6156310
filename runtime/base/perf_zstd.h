// SPDX-License-Identifier: GPL-2.0-or-later
/** Compressed records of perf.data: together they are one stream of zstd, for which libzstd is loaded when there are some. */
#ifndef SP_BASE_PERF_ZSTD_H
#define SP_BASE_PERF_ZSTD_H

#include "runtime/base/buf.h"

struct sp_perf_zstd;

/** Each returns why it has failed, or NULL. */
const char *sp_perf_zstd_open(struct sp_perf_zstd **ret);
/** Appends what is in the next bytes of the stream. */
const char *sp_perf_zstd_unpack(struct sp_perf_zstd *zstd, const void *bytes, size_t size, struct sp_buf *ret);
void sp_perf_zstd_close(struct sp_perf_zstd *zstd);

#endif
