// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/stat.h"

#include "runtime/print/hist.h"

__extension__ typedef unsigned __int128 u128;

#define WIDE_WORDS 4 // 256 bits: n times a sum of n squares

static uint64_t *part(const struct sp_stat_shape *shape, uint64_t *record, enum sp_stat_part part)
{
	return sp_stat_words(shape, part) ? record + sp_stat_word(shape, part) : NULL;
}

static const uint64_t *part_of(const struct sp_stat_shape *shape, const uint64_t *record, enum sp_stat_part which)
{
	return sp_stat_words(shape, which) ? record + sp_stat_word(shape, which) : NULL;
}

// ---- wide numbers: unsigned, the lowest word first ------------------------------------------------------------------

// Adds b << 64 * at; what does not fit is lost.
static void wide_add(uint64_t *a, unsigned n, uint64_t b, unsigned at)
{
	for (; b && at < n; at++) {
		a[at] += b;
		b = a[at] < b;
	}
}

static void wide_add_product(uint64_t *a, unsigned n, uint64_t x, uint64_t y, unsigned at)
{
	u128 product = (u128)x * y;

	wide_add(a, n, (uint64_t)product, at);
	wide_add(a, n, (uint64_t)(product >> 64), at + 1);
}

// a -= b, which is not larger.
static void wide_sub(uint64_t *a, const uint64_t *b)
{
	uint64_t borrow = 0;

	for (unsigned i = 0; i < WIDE_WORDS; i++) {
		u128 d = (u128)a[i] - b[i] - borrow;

		a[i] = (uint64_t)d;
		borrow = (uint64_t)(d >> 64) != 0;
	}
}

// a / d, at most INT64_MAX. d < 2^127.
static int64_t wide_div(const uint64_t *a, u128 d)
{
	uint64_t quotient = 0;
	u128 rest = 0;

	for (unsigned bit = WIDE_WORDS * 64; bit-- > 0;) {
		rest = rest << 1 | (a[bit / 64] >> bit % 64 & 1);
		if (quotient >> 62)
			return INT64_MAX;
		quotient <<= 1;
		if (rest >= d) {
			rest -= d;
			quotient |= 1;
		}
	}
	return (int64_t)quotient;
}

// (n * sum of squares - sum^2) / (n * (n - 1)): no rounding before the division, and nothing overflows.
static int64_t variance(uint64_t n, const uint64_t *squares, uint64_t low, uint64_t high)
{
	uint64_t top[WIDE_WORDS] = { 0 }, square[WIDE_WORDS] = { 0 };
	u128 sum = (u128)high << 64 | low;

	if (n < 2)
		return 0;
	if (high >> 63)
		sum = -sum;
	low = (uint64_t)sum;
	high = (uint64_t)(sum >> 64);
	for (unsigned i = 0; i < 3; i++)
		wide_add_product(top, WIDE_WORDS, n, squares[i], i);
	wide_add_product(square, WIDE_WORDS, low, low, 0);
	wide_add_product(square, WIDE_WORDS, low, high, 1);
	wide_add_product(square, WIDE_WORDS, low, high, 1);
	wide_add_product(square, WIDE_WORDS, high, high, 2);
	wide_sub(top, square);
	return wide_div(top, (u128)n * (n - 1));
}

// ---- records --------------------------------------------------------------------------------------------------------

// The two numbers that only grow.
static uint64_t as_least(int64_t value)
{
	return (uint64_t)INT64_MAX - (uint64_t)value;
}

static uint64_t as_greatest(int64_t value)
{
	return (uint64_t)value - (uint64_t)INT64_MIN;
}

static void keep_larger(uint64_t *at, uint64_t value)
{
	if (at && *at < value)
		*at = value;
}

static void add_squares(const struct sp_stat_shape *shape, uint64_t *record, int64_t value)
{
	uint64_t *low = part(shape, record, SP_PART_SUM), *high = part(shape, record, SP_PART_SUM_HIGH);
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

	if (!high)
		return;
	// `low` has the value in it already.
	*high += (value < 0 ? UINT64_MAX : 0) + (*low < (uint64_t)value);
	wide_add_product(part(shape, record, SP_PART_SQUARES), 3, size, size, 0);
}

void stat_add(const struct sp_stat_shape *shape, uint64_t *record, int64_t value)
{
	uint64_t *at;

	if ((at = part(shape, record, SP_PART_COUNT)))
		++*at;
	if ((at = part(shape, record, SP_PART_SUM)))
		*at += (uint64_t)value;
	keep_larger(part(shape, record, SP_PART_MIN), as_least(value));
	keep_larger(part(shape, record, SP_PART_MAX), as_greatest(value));
	add_squares(shape, record, value);
	if ((at = part(shape, record, SP_PART_LOG)))
		at[hist_log_bucket(value)]++;
	if ((at = part(shape, record, SP_PART_LINEAR)))
		at[hist_linear_bucket(&shape->linear, value)]++;
}

static void merge_words(const struct sp_stat_shape *shape, uint64_t *into, const uint64_t *from,
			enum sp_stat_part which)
{
	uint32_t word = sp_stat_word(shape, which), n = sp_stat_words(shape, which);

	for (uint32_t i = word; i < word + n; i++)
		into[i] += from[i];
}

void stat_merge(const struct sp_stat_shape *shape, uint64_t *into, const uint64_t *from)
{
	uint64_t *high = part(shape, into, SP_PART_SUM_HIGH), *squares = part(shape, into, SP_PART_SQUARES);

	merge_words(shape, into, from, SP_PART_COUNT);
	merge_words(shape, into, from, SP_PART_SUM);
	merge_words(shape, into, from, SP_PART_SUM_HIGH);
	if (high)
		*high += *part(shape, into, SP_PART_SUM) < *part_of(shape, from, SP_PART_SUM);
	for (unsigned i = 0; squares && i < 3; i++)
		wide_add(squares, 3, part_of(shape, from, SP_PART_SQUARES)[i], i);
	if (part(shape, into, SP_PART_MIN))
		keep_larger(part(shape, into, SP_PART_MIN), *part_of(shape, from, SP_PART_MIN));
	if (part(shape, into, SP_PART_MAX))
		keep_larger(part(shape, into, SP_PART_MAX), *part_of(shape, from, SP_PART_MAX));
	merge_words(shape, into, from, SP_PART_LOG);
	merge_words(shape, into, from, SP_PART_LINEAR);
}

int stat_read(const struct sp_stat_shape *shape, const uint64_t *record, enum sp_stat what, int64_t *ret)
{
	const uint64_t *count = part_of(shape, record, SP_PART_COUNT), *sum = part_of(shape, record, SP_PART_SUM);

	*ret = 0;
	if (what == SP_STAT_SUM) {
		*ret = (int64_t)*sum;
		return 1;
	}
	if (!*count)
		return 0;
	switch (what) {
	case SP_STAT_COUNT:
		*ret = (int64_t)*count;
		break;
	case SP_STAT_MIN:
		*ret = (int64_t)((uint64_t)INT64_MAX - *part_of(shape, record, SP_PART_MIN));
		break;
	case SP_STAT_MAX:
		*ret = (int64_t)((uint64_t)INT64_MIN + *part_of(shape, record, SP_PART_MAX));
		break;
	case SP_STAT_AVG:
		// A sum of INT64_MIN cannot be divided by -1: counts are positive.
		*ret = (int64_t)*sum / (int64_t)*count;
		break;
	case SP_STAT_VARIANCE:
		*ret = variance(*count, part_of(shape, record, SP_PART_SQUARES), *sum,
				*part_of(shape, record, SP_PART_SUM_HIGH));
		break;
	case SP_STAT_SUM:
	case SP_STAT_LOG:
	case SP_STAT_LINEAR:
	case SP_STAT_KIND_COUNT:
		break;
	}
	return 1;
}

// ---- histograms -----------------------------------------------------------------------------------------------------

const uint64_t *stat_buckets(const struct sp_stat_shape *shape, const uint64_t *record, enum sp_stat what,
			     uint32_t *n_ret)
{
	enum sp_stat_part which = what == SP_STAT_LOG ? SP_PART_LOG : SP_PART_LINEAR;

	*n_ret = sp_stat_words(shape, which);
	return part_of(shape, record, which);
}

bool stat_buckets_empty(const uint64_t *buckets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (buckets[i])
			return false;
	return true;
}

void stat_print(struct sp_buf *out, const struct sp_stat_shape *shape, enum sp_stat what, const uint64_t *buckets)
{
	if (what == SP_STAT_LOG)
		hist_log_print(out, buckets, shape->elision);
	else
		hist_linear_print(out, &shape->linear, buckets, shape->elision);
}
