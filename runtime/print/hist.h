// SPDX-License-Identifier: GPL-2.0-or-later
/** Histograms: which bucket a value belongs to, and buckets as text:
 *
 *    value |-------------------------------------------------- count
 *        0 |                                                   0
 *        1 |@@@                                                3
 *        2 |                                                   0
 *        4 |                                                   0
 *          ~
 *     1024 |                                                   0
 *     2048 |                                                   0
 *     4096 |@                                                  1
 */
#ifndef SP_RUNTIME_HIST_H
#define SP_RUNTIME_HIST_H

#include "runtime/abi/stat.h"
#include "runtime/base/buf.h"

unsigned hist_log_bucket(int64_t value);
/** The bucket's value next to 0: what is printed for it. */
int64_t hist_log_value(unsigned bucket);

/** The least and the greatest value that a bucket counts. */
void hist_log_range(unsigned bucket, int64_t *low_ret, int64_t *high_ret);
void hist_linear_range(const struct sp_hist_linear *h, unsigned bucket, int64_t *low_ret, int64_t *high_ret);

/** `h` must have buckets (sp_hist_linear_buckets). */
unsigned hist_linear_bucket(const struct sp_hist_linear *h, int64_t value);

/** Appends the text for the counts of all buckets (SP_HIST_LOG_BUCKETS, sp_hist_linear_buckets(h)), with a blank line at
 *  the end. `elision`: of a row of empty buckets so many are shown next to one with a count, a "~" stands for the others
 *  that are in between; < 0: all are shown. Nothing but the heading appears
 *  when all counts are 0. */
void hist_log_print(struct sp_buf *out, const uint64_t *counts, int elision);
void hist_linear_print(struct sp_buf *out, const struct sp_hist_linear *h, const uint64_t *counts, int elision);

#endif
