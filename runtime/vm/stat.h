// SPDX-License-Identifier: GPL-2.0-or-later
/** Records of aggregates (abi/stat.h): values go in, records of several CPUs are merged, extractors read them. */
#ifndef SP_RUNTIME_STAT_H
#define SP_RUNTIME_STAT_H

#include "runtime/abi/stat.h"
#include "runtime/base/buf.h"

/** Records are sp_stat_size(shape) bytes, aligned to 8. */
void stat_add(const struct sp_stat_shape *shape, uint64_t *record, int64_t value);
void stat_merge(const struct sp_stat_shape *shape, uint64_t *into, const uint64_t *from);

/** What an extractor but the histograms gives. 1; or 0 when there are no values, and then `*ret` is 0. The variance is the
 *  unbiased one, of n - 1, rounded down and at most INT64_MAX; of a single value it is 0. `shape` must read it. */
int stat_read(const struct sp_stat_shape *shape, const uint64_t *record, enum sp_stat what, int64_t *ret);

/** A histogram's counts in the record, and how many they are; NULL when the shape has none of that kind. */
const uint64_t *stat_buckets(const struct sp_stat_shape *shape, const uint64_t *record, enum sp_stat what,
			     uint32_t *n_ret);
bool stat_buckets_empty(const uint64_t *buckets, uint32_t n);
/** Appends the histogram as text. */
void stat_print(struct sp_buf *out, const struct sp_stat_shape *shape, enum sp_stat what, const uint64_t *buckets);

#endif
