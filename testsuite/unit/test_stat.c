// SPDX-License-Identifier: GPL-2.0-or-later
// Records of aggregates: whatever order values come in, and on whichever processors, the extractors give the same.
#include "runtime/vm/stat.h"

#include "expect.h"

#include <stdlib.h>

static const struct sp_stat_shape all = {
	.reads = (1u << SP_STAT_KIND_COUNT) - 1,
	.linear = { -100, 100, 10 },
};

static int64_t get(const struct sp_stat_shape *shape, const uint64_t *record, enum sp_stat what)
{
	int64_t value = -1;

	EXPECT_NUM(stat_read(shape, record, what, &value), 1);
	return value;
}

static uint64_t *new_record(const struct sp_stat_shape *shape)
{
	return sp_calloc(1, sp_stat_size(shape));
}

static void test_empty(void)
{
	uint64_t *empty = new_record(&all), *other = new_record(&all), *same = new_record(&all);
	int64_t value = -1;

	for (unsigned what = SP_STAT_COUNT; what < SP_STAT_LOG; what++) {
		if (what == SP_STAT_SUM)
			continue;
		EXPECT_NUM(stat_read(&all, empty, (enum sp_stat)what, &value), 0);
		EXPECT_NUM(value, 0);
	}
	EXPECT_NUM(get(&all, empty, SP_STAT_SUM), 0);
	// It changes nothing of what it is merged with.
	stat_add(&all, other, -5);
	memcpy(same, other, sp_stat_size(&all));
	stat_merge(&all, other, empty);
	EXPECT(memcmp(same, other, sp_stat_size(&all)) == 0);
	free(empty);
	free(other);
	free(same);
}

// The same values in one record, and spread over three.
static void test_merge(void)
{
	static const int64_t values[] = { 0, 1, -1, INT64_MAX, INT64_MIN, 7, -100, 100, 99, 1ll << 40, -(1ll << 61) };
	uint64_t *one = new_record(&all), *merged = new_record(&all), *cpus[3];

	for (unsigned i = 0; i < 3; i++)
		cpus[i] = new_record(&all);
	for (unsigned i = 0; i < SP_ARRAY_SIZE(values); i++) {
		stat_add(&all, one, values[i]);
		stat_add(&all, cpus[i % 3], values[i]);
	}
	for (unsigned i = 0; i < 3; i++) {
		stat_merge(&all, merged, cpus[i]);
		free(cpus[i]);
	}
	EXPECT(memcmp(one, merged, sp_stat_size(&all)) == 0);
	EXPECT_NUM(get(&all, merged, SP_STAT_COUNT), 11);
	EXPECT_NUM(get(&all, merged, SP_STAT_MIN), INT64_MIN);
	EXPECT_NUM(get(&all, merged, SP_STAT_MAX), INT64_MAX);
	free(one);
	free(merged);
}

static int64_t variance_of(const int64_t *values, unsigned n)
{
	const struct sp_stat_shape shape = { .reads = 1u << SP_STAT_VARIANCE };
	uint64_t *record = new_record(&shape);
	int64_t variance;

	for (unsigned i = 0; i < n; i++)
		stat_add(&shape, record, values[i]);
	variance = get(&shape, record, SP_STAT_VARIANCE);
	free(record);
	return variance;
}

static void test_variance(void)
{
	const int64_t small[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	const int64_t large[] = { INT64_MAX, INT64_MAX - 3, INT64_MAX - 6, INT64_MAX - 9 };
	const int64_t negative[] = { INT64_MIN, INT64_MIN + 3, INT64_MIN + 6, INT64_MIN + 9 };
	const int64_t both[] = { 3037000499, -3037000499 }, far[] = { INT64_MIN, INT64_MAX };

	EXPECT_NUM(variance_of(small, 8), 4); // 32 / 7
	EXPECT_NUM(variance_of(small, 1), 0);
	EXPECT_NUM(variance_of(large, 4), 15);
	EXPECT_NUM(variance_of(negative, 4), 15);
	EXPECT_NUM(variance_of(both, 2), INT64_MAX); // 2 * 3037000499^2 does not fit
	EXPECT_NUM(variance_of(far, 2), INT64_MAX);
}

// Only what is read is there.
static void test_size(void)
{
	EXPECT_NUM(sp_stat_size(&(struct sp_stat_shape){ 0 }), 8);
	EXPECT_NUM(sp_stat_size(&(struct sp_stat_shape){ .reads = 1u << SP_STAT_SUM }), 8);
	EXPECT_NUM(sp_stat_size(&(struct sp_stat_shape){ .reads = 1u << SP_STAT_AVG }), 16);
	EXPECT_NUM(sp_stat_size(&(struct sp_stat_shape){ .reads = 1u << SP_STAT_LOG }), 1024);
	EXPECT_NUM(sp_stat_size(&(struct sp_stat_shape){ .reads = 1u << SP_STAT_VARIANCE }), 48);
	EXPECT_NUM(sp_stat_size(&(struct sp_stat_shape){ .reads = 1u << SP_STAT_LINEAR, .linear = { 0, 10, 5 } }), 40);
}

static void test_buckets(void)
{
	uint64_t *record = new_record(&all);
	const uint64_t *buckets;
	uint32_t n;

	buckets = stat_buckets(&all, record, SP_STAT_LOG, &n);
	EXPECT_NUM(n, SP_HIST_LOG_BUCKETS);
	EXPECT(stat_buckets_empty(buckets, n));
	stat_add(&all, record, 1000);
	EXPECT(!stat_buckets_empty(buckets, n));
	EXPECT_NUM(buckets[SP_HIST_LOG_ZERO + 10], 1);
	buckets = stat_buckets(&all, record, SP_STAT_LINEAR, &n);
	EXPECT_NUM(n, 23);
	EXPECT_NUM(buckets[22], 1);
	free(record);
}

int main(void)
{
	test_empty();
	test_merge();
	test_variance();
	test_size();
	test_buckets();
	return expect_status();
}
