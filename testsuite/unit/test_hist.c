// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/hist.h"

#include "expect.h"

static const char *log_text(struct sp_buf *out, const int64_t *values, size_t n)
{
	uint64_t counts[SP_HIST_LOG_BUCKETS] = { 0 };

	for (size_t i = 0; i < n; i++)
		counts[hist_log_bucket(values[i])]++;
	sp_buf_clear(out);
	hist_log_print(out, counts, 2);
	return sp_buf_str(out);
}

static void test_log_buckets(void)
{
	static const struct {
		int64_t value;
		unsigned bucket;
		int64_t shown;
	} rows[] = {
		{ 0, 64, 0 }, { 1, 65, 1 }, { 2, 66, 2 }, { 3, 66, 2 }, { 4, 67, 4 }, { 7, 67, 4 }, { 8, 68, 8 },
		{ -1, 63, -1 }, { -2, 62, -2 }, { -3, 62, -2 }, { -4, 61, -4 }, { INT64_MAX, 127, (int64_t)1 << 62 },
		{ -INT64_MAX, 1, -((int64_t)1 << 62) }, { INT64_MIN, 0, INT64_MIN },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(rows); i++) {
		EXPECT_NUM(hist_log_bucket(rows[i].value), rows[i].bucket);
		EXPECT_NUM(hist_log_value(rows[i].bucket), rows[i].shown);
	}
}

static void test_log(void)
{
	static const int64_t lengths[] = { 40, 50, 100, 1024, 1500, 1600, 2047 };
	static const int64_t far[] = { 0, 100000 };
	static const int64_t negative[] = { -5, -5, 5 };
	struct sp_buf out = { 0 };

	EXPECT_STR(log_text(&out, lengths, SP_ARRAY_SIZE(lengths)),
		   "value |-------------------------------------------------- count\n"
		   "    8 |                                                   0\n"
		   "   16 |                                                   0\n"
		   "   32 |@@                                                 2\n"
		   "   64 |@                                                  1\n"
		   "  128 |                                                   0\n"
		   "  256 |                                                   0\n"
		   "  512 |                                                   0\n"
		   " 1024 |@@@@                                               4\n"
		   " 2048 |                                                   0\n"
		   " 4096 |                                                   0\n"
		   "\n");
	// From 0 down there is nothing to show; what is wider than the heading moves it.
	EXPECT_STR(log_text(&out, far, SP_ARRAY_SIZE(far)),
		   " value |-------------------------------------------------- count\n"
		   "     0 |@                                                  1\n"
		   "     1 |                                                   0\n"
		   "     2 |                                                   0\n"
		   "       ~\n"
		   " 16384 |                                                   0\n"
		   " 32768 |                                                   0\n"
		   " 65536 |@                                                  1\n"
		   "131072 |                                                   0\n"
		   "262144 |                                                   0\n"
		   "\n");
	EXPECT_HAS(log_text(&out, negative, SP_ARRAY_SIZE(negative)),
		   "  -16 |                                                   0\n"
		   "   -8 |                                                   0\n"
		   "   -4 |@@                                                 2\n"
		   "   -2 |                                                   0\n"
		   "   -1 |                                                   0\n"
		   "      ~\n"
		   "    1 |                                                   0\n"
		   "    2 |                                                   0\n"
		   "    4 |@                                                  1\n");
	EXPECT_STR(log_text(&out, NULL, 0), "value |-------------------------------------------------- count\n\n");
	sp_buf_deinit(&out);
}

// One bar is 50 at most, and the others are cut, not rounded.
static void test_scale(void)
{
	uint64_t counts[SP_HIST_LOG_BUCKETS] = { 0 };
	struct sp_buf out = { 0 };

	counts[hist_log_bucket(2)] = 10;
	counts[hist_log_bucket(4)] = 259;
	counts[hist_log_bucket(8)] = 44;
	counts[hist_log_bucket(16)] = 5;
	hist_log_print(&out, counts, 2);
	EXPECT_STR(sp_buf_str(&out),
		   "value |-------------------------------------------------- count\n"
		   "    0 |                                                     0\n"
		   "    1 |                                                     0\n"
		   "    2 |@                                                   10\n"
		   "    4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@        259\n"
		   "    8 |@@@@@@@                                             44\n"
		   "   16 |                                                     5\n"
		   "   32 |                                                     0\n"
		   "   64 |                                                     0\n"
		   "\n");
	sp_buf_deinit(&out);
}

static void test_linear(void)
{
	const struct sp_hist_linear reads = { 0, 10240, 200 }, small = { 1, 3, 1 };
	uint64_t counts[SP_HIST_LINEAR_MAX] = { 0 };
	struct sp_buf out = { 0 };

	counts[hist_linear_bucket(&reads, 0)] = 1650;
	counts[hist_linear_bucket(&reads, 399)] = 8;
	counts[hist_linear_bucket(&reads, 1400)] = 1;
	hist_linear_print(&out, &reads, counts, 2);
	EXPECT_STR(sp_buf_str(&out),
		   "value |-------------------------------------------------- count\n"
		   "    0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1650\n"
		   "  200 |                                                      8\n"
		   "  400 |                                                      0\n"
		   "  600 |                                                      0\n"
		   "      ~\n"
		   " 1000 |                                                      0\n"
		   " 1200 |                                                      0\n"
		   " 1400 |                                                      1\n"
		   " 1600 |                                                      0\n"
		   " 1800 |                                                      0\n"
		   "\n");
	sp_buf_clear(&out);
	hist_linear_print(&out, &reads, counts, 0);
	EXPECT_HAS(sp_buf_str(&out), "  200 |                                                      8\n"
				     "      ~\n"
				     " 1400 |                                                      1\n\n");
	sp_buf_clear(&out);
	hist_linear_print(&out, &reads, counts, -1);
	EXPECT_HAS(sp_buf_str(&out), "  800 |                                                      0\n");

	memset(counts, 0, sizeof(counts));
	EXPECT_NUM(sp_hist_linear_buckets(&small), 5);
	for (int64_t value = -100; value <= 100; value++)
		if (value == -100 || value == 100 || (value >= 1 && value <= 3))
			counts[hist_linear_bucket(&small, value)]++;
	sp_buf_clear(&out);
	hist_linear_print(&out, &small, counts, 2);
	EXPECT_STR(sp_buf_str(&out), "value |-------------------------------------------------- count\n"
				     "   <1 |@                                                  1\n"
				     "    1 |@                                                  1\n"
				     "    2 |@                                                  1\n"
				     "    3 |@                                                  1\n"
				     "   >3 |@                                                  1\n"
				     "\n");
	sp_buf_deinit(&out);
}

// SystemTap makes the column as wide as the limits that it does not show.
static void test_width(void)
{
	const struct sp_hist_linear wide = { 0, 99000, 1000 };
	uint64_t counts[SP_HIST_LINEAR_MAX] = { 0 };
	struct sp_buf out = { 0 };

	counts[hist_linear_bucket(&wide, 97000)] = 1;
	hist_linear_print(&out, &wide, counts, 2);
	EXPECT_STR(sp_buf_str(&out), " value |-------------------------------------------------- count\n"
				     " 95000 |                                                   0\n"
				     " 96000 |                                                   0\n"
				     " 97000 |@                                                  1\n"
				     " 98000 |                                                   0\n"
				     " 99000 |                                                   0\n"
				     "\n");
	sp_buf_deinit(&out);
}

static void test_linear_buckets(void)
{
	EXPECT_NUM(sp_hist_linear_buckets(&(struct sp_hist_linear){ 0, 10, 1 }), 13);
	EXPECT_NUM(sp_hist_linear_buckets(&(struct sp_hist_linear){ 0, 10, 3 }), 6);
	EXPECT_NUM(hist_linear_bucket(&(struct sp_hist_linear){ 0, 10, 3 }, 11), 4);
	EXPECT_NUM(hist_linear_bucket(&(struct sp_hist_linear){ 0, 10, 3 }, 12), 5);
	EXPECT_NUM(sp_hist_linear_buckets(&(struct sp_hist_linear){ 10, 10, 1 }), 3);
	EXPECT_NUM(hist_linear_bucket(&(struct sp_hist_linear){ INT64_MIN, INT64_MAX, INT64_MAX / 2 }, INT64_MAX), 5);
	EXPECT_NUM(sp_hist_linear_buckets(&(struct sp_hist_linear){ 0, 10, 0 }), 0);
	EXPECT_NUM(sp_hist_linear_buckets(&(struct sp_hist_linear){ 10, 9, 1 }), 0);
	EXPECT_NUM(sp_hist_linear_buckets(&(struct sp_hist_linear){ 0, 1021, 1 }), SP_HIST_LINEAR_MAX);
	EXPECT_NUM(sp_hist_linear_buckets(&(struct sp_hist_linear){ 0, 1022, 1 }), 0);
}

int main(void)
{
	test_log_buckets();
	test_log();
	test_scale();
	test_linear();
	test_width();
	test_linear_buckets();
	return expect_status();
}
