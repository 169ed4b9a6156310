// SPDX-License-Identifier: GPL-2.0-or-later
/** Histograms: which bucket a value belongs to, and buckets as text:
 *
 *    value |-------------------------------------------------- count
 *        0 |                                                   0
 *        1 |@@@                                                3
 *        2 |                                                   0
 *          ~
 */
#ifndef SP_RUNTIME_HIST_H
#define SP_RUNTIME_HIST_H

#include "runtime/base/buf.h"

/** Logarithmic: bucket HIST_LOG_ZERO + n counts 2^(n-1) .. 2^n - 1, HIST_LOG_ZERO counts 0, below are the negative ones
 *  alike: HIST_LOG_ZERO - n counts -(2^n - 1) .. -2^(n-1). So bucket 0 counts the least number alone. */
#define HIST_LOG_BUCKETS 128
#define HIST_LOG_ZERO 64

/** Linear: bucket 0 counts what is below `start`, the last one what is above `stop`, bucket 1 + n
 *  start + n * interval .. start + (n + 1) * interval - 1. */
struct hist_linear {
	int64_t start, stop, interval; // start < stop, interval > 0
};
#define HIST_LINEAR_MAX 128 // intervals between start and stop

unsigned hist_log_bucket(int64_t value);
/** The bucket's value next to 0: what is printed for it. */
int64_t hist_log_value(unsigned bucket);

/** NULL, or why there can be no such histogram. */
const char *hist_linear_check(const struct hist_linear *h);
/** The number of buckets with the two outer ones; h must have passed hist_linear_check. */
unsigned hist_linear_buckets(const struct hist_linear *h);
unsigned hist_linear_bucket(const struct hist_linear *h, int64_t value);

/** Appends the text for the counts of all buckets (HIST_LOG_BUCKETS, hist_linear_buckets(h)), with a blank line at the end.
 *  `elision`: of a row of empty buckets so many are shown at each end, a "~" stands for the rest; < 0: all are shown.
 *  HIST_ELISION is what scripts get by default. Nothing but the heading appears when all counts are 0. */
#define HIST_ELISION 2
void hist_log_print(struct sp_buf *out, const uint64_t *counts, int elision);
void hist_linear_print(struct sp_buf *out, const struct hist_linear *h, const uint64_t *counts, int elision);

#endif
