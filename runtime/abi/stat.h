// SPDX-License-Identifier: GPL-2.0-or-later
/** What an aggregate (`s <<< x`) keeps: a record of 64-bit words, of which only those are there that the script's
 *  extractors read. Each CPU has its own record; a reader merges them. A record of zeros is empty, and neutral when it is
 *  merged: so the least and the greatest value are kept as numbers that only grow. */
#ifndef SP_ABI_STAT_H
#define SP_ABI_STAT_H

#include <stdint.h>

enum sp_stat {
	SP_STAT_COUNT,
	SP_STAT_SUM,
	SP_STAT_MIN,
	SP_STAT_MAX,
	SP_STAT_AVG,
	SP_STAT_VARIANCE,
	SP_STAT_LOG, // @hist_log
	SP_STAT_LINEAR, // @hist_linear
	SP_STAT_KIND_COUNT
};

/** What is printed at the end of an aggregate that no handler reads: bits 1 << enum sp_stat. */
#define SP_STAT_UNREAD                                                                                                 \
	(1u << SP_STAT_COUNT | 1u << SP_STAT_SUM | 1u << SP_STAT_MIN | 1u << SP_STAT_MAX | 1u << SP_STAT_AVG)

/** Buckets of @hist_log: bucket SP_HIST_LOG_ZERO + n counts 2^(n-1) .. 2^n - 1, SP_HIST_LOG_ZERO counts 0, below are the
 *  negative ones alike: SP_HIST_LOG_ZERO - n counts -(2^n - 1) .. -2^(n-1). So bucket 0 counts the least number alone. */
#define SP_HIST_LOG_BUCKETS 128
#define SP_HIST_LOG_ZERO 64

/** Buckets of @hist_linear: 0 counts what is below `low`, 1 + n what is in low + n * width .. low + (n + 1) * width - 1,
 *  and the last one what is beyond the interval that `high` is in. */
struct sp_hist_linear {
	int64_t low, high, width;
};
#define SP_HIST_LINEAR_MAX 1024 // buckets; SystemTap has 128

/** The number of buckets with the two outer ones; 0: there can be no such histogram. */
static inline uint32_t sp_hist_linear_buckets(const struct sp_hist_linear *h)
{
	uint64_t steps;

	if (h->width <= 0 || h->low > h->high)
		return 0;
	steps = ((uint64_t)h->high - (uint64_t)h->low) / (uint64_t)h->width;
	return steps > SP_HIST_LINEAR_MAX - 3 ? 0 : (uint32_t)steps + 3;
}

/** What is kept of an aggregate. */
struct sp_stat_shape {
	uint32_t reads; // bits 1 << enum sp_stat
	int32_t elision; // HIST_ELISION, see print/hist.h
	struct sp_hist_linear linear; // of SP_STAT_LINEAR
};
_Static_assert(sizeof(struct sp_stat_shape) == 32, "abi");

/** The parts of a record, in their order. */
enum sp_stat_part {
	SP_PART_COUNT,
	SP_PART_SUM, // its low 64 bits, which is what @sum gives
	SP_PART_MIN, // INT64_MAX - the least value, unsigned
	SP_PART_MAX, // the greatest value - INT64_MIN, unsigned
	SP_PART_SUM_HIGH, // the upper 64 bits of the 128-bit sum
	SP_PART_SQUARES, // the sum of all squares, 192 bits, the lowest word first
	SP_PART_LOG,
	SP_PART_LINEAR,
	SP_PART_END
};

/** 64-bit words of a part; 0: it is not kept. */
static inline uint32_t sp_stat_words(const struct sp_stat_shape *s, enum sp_stat_part part)
{
	const uint32_t sums = 1u << SP_STAT_SUM | 1u << SP_STAT_AVG | 1u << SP_STAT_VARIANCE;
	const uint32_t hists = 1u << SP_STAT_LOG | 1u << SP_STAT_LINEAR;

	switch (part) {
	case SP_PART_COUNT: // also what an aggregate keeps that is only asked whether it is there
		return (s->reads & ~(1u << SP_STAT_SUM | hists)) || !s->reads;
	case SP_PART_SUM:
		return (s->reads & sums) != 0;
	case SP_PART_MIN:
		return s->reads >> SP_STAT_MIN & 1;
	case SP_PART_MAX:
		return s->reads >> SP_STAT_MAX & 1;
	case SP_PART_SUM_HIGH:
		return s->reads >> SP_STAT_VARIANCE & 1;
	case SP_PART_SQUARES:
		return s->reads >> SP_STAT_VARIANCE & 1 ? 3 : 0;
	case SP_PART_LOG:
		return s->reads >> SP_STAT_LOG & 1 ? SP_HIST_LOG_BUCKETS : 0;
	case SP_PART_LINEAR:
		return s->reads >> SP_STAT_LINEAR & 1 ? sp_hist_linear_buckets(&s->linear) : 0;
	case SP_PART_END:
		break;
	}
	return 0;
}

/** Where a part begins, in words; of SP_PART_END: the length of the record. */
static inline uint32_t sp_stat_word(const struct sp_stat_shape *s, enum sp_stat_part part)
{
	uint32_t word = 0;

	for (unsigned i = 0; i < (unsigned)part; i++)
		word += sp_stat_words(s, (enum sp_stat_part)i);
	return word;
}

/** Bytes of a record. */
static inline uint32_t sp_stat_size(const struct sp_stat_shape *s)
{
	return sp_stat_word(s, SP_PART_END) * 8;
}

#endif
