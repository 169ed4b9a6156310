// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/hist.h"

#include <inttypes.h>
#include <stdio.h>

#define BAR_WIDTH 50
#define MARGIN 2 // empty buckets that are shown outside of those with counts

// What printing needs of a histogram, for both kinds.
struct view {
	const uint64_t *counts;
	unsigned n;
	int elision;
	const struct sp_hist_linear *linear; // NULL: logarithmic
};

unsigned hist_log_bucket(int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned bits = size ? 64 - (unsigned)__builtin_clzll(size) : 0;

	return value < 0 ? SP_HIST_LOG_ZERO - SP_MIN(bits, (unsigned)SP_HIST_LOG_ZERO)
			 : SP_HIST_LOG_ZERO + bits;
}

int64_t hist_log_value(unsigned bucket)
{
	if (bucket == SP_HIST_LOG_ZERO)
		return 0;
	if (bucket > SP_HIST_LOG_ZERO)
		return (int64_t)((uint64_t)1 << (bucket - SP_HIST_LOG_ZERO - 1));
	return (int64_t) - ((uint64_t)1 << (SP_HIST_LOG_ZERO - bucket - 1));
}

void hist_log_range(unsigned bucket, int64_t *low_ret, int64_t *high_ret)
{
	int64_t near = hist_log_value(bucket); // to 0
	uint64_t more = bucket == SP_HIST_LOG_ZERO || bucket == 0 ? 0 : (near < 0 ? -(uint64_t)near : (uint64_t)near) - 1;

	*low_ret = near < 0 ? (int64_t)((uint64_t)near - more) : near;
	*high_ret = near < 0 ? near : (int64_t)((uint64_t)near + more);
}

void hist_linear_range(const struct sp_hist_linear *h, unsigned bucket, int64_t *low_ret, int64_t *high_ret)
{
	unsigned last = sp_hist_linear_buckets(h) - 1;
	uint64_t low = (uint64_t)h->low + (bucket - 1) * (uint64_t)h->width;

	*low_ret = bucket == 0 ? INT64_MIN : (int64_t)low;
	*high_ret = bucket == 0 ? h->low - 1 : bucket == last ? INT64_MAX : (int64_t)(low + (uint64_t)h->width - 1);
}

unsigned hist_linear_bucket(const struct sp_hist_linear *h, int64_t value)
{
	unsigned last = sp_hist_linear_buckets(h) - 1;
	uint64_t n;

	if (value < h->low)
		return 0;
	n = ((uint64_t)value - (uint64_t)h->low) / (uint64_t)h->width + 1;
	return n < last ? (unsigned)n : last;
}

static bool is_outer(const struct view *v, unsigned i)
{
	return v->linear && (i == 0 || i == v->n - 1);
}

// The number in the row of a bucket: for an outer one the limit that its values are beyond.
static int64_t row_value(const struct view *v, unsigned i)
{
	uint64_t step;

	if (!v->linear)
		return hist_log_value(i);
	step = i == 0 ? 0 : is_outer(v, i) ? i - 2 : i - 1;
	return (int64_t)((uint64_t)v->linear->low + step * (uint64_t)v->linear->width);
}

static int number_width(int64_t n)
{
	return snprintf(NULL, 0, "%" PRId64, n);
}

// SystemTap takes the limits of a linear histogram, not the numbers that are shown, for the width of the column.
static int value_width(const struct view *v, unsigned low, unsigned high)
{
	const struct sp_hist_linear *h = v->linear;
	int least = (int)strlen("value"), first, last;
	uint64_t end;

	if (h) {
		end = (uint64_t)h->low + high * (uint64_t)h->width;
		first = number_width(h->low) + is_outer(v, low);
		last = number_width((int64_t)end) + is_outer(v, high);
	} else {
		first = number_width(row_value(v, low));
		last = number_width(row_value(v, high));
	}
	return SP_MAX(least, SP_MAX(first, last));
}

// The rows to be shown; false when nothing was counted.
static bool find_range(const struct view *v, unsigned *low_ret, unsigned *high_ret, uint64_t *max_ret)
{
	unsigned low = v->n, high = 0;
	uint64_t max = 0;

	for (unsigned i = 0; i < v->n; i++) {
		if (!v->counts[i])
			continue;
		low = SP_MIN(low, i);
		high = i;
		max = SP_MAX(max, v->counts[i]);
	}
	if (!max)
		return false;
	for (unsigned k = 0; k < MARGIN; k++) {
		// Where nothing is negative, no negative rows.
		if (low > 0 && (v->linear || low != SP_HIST_LOG_ZERO))
			low--;
		if (high < v->n - 1)
			high++;
	}
	if (is_outer(v, low) && !v->counts[low])
		low++;
	if (is_outer(v, high) && !v->counts[high])
		high--;
	*low_ret = low;
	*high_ret = high;
	*max_ret = max;
	return true;
}

// Is the row so far from any count that it is left out? A "~" then stands before the next row that is shown.
static bool is_elided(const struct view *v, unsigned i)
{
	if (v->elision < 0)
		return false;
	for (int64_t k = (int64_t)i - v->elision; k <= (int64_t)i + v->elision; k++)
		if (k >= 0 && k < v->n && v->counts[k])
			return false;
	return true;
}

static void print_row(struct sp_buf *out, const struct view *v, unsigned i, int width,
		      int count_width, uint64_t scale)
{
	int64_t value = row_value(v, i);
	int bar = (int)(v->counts[i] / scale);

	if (is_outer(v, i))
		sp_buf_printf(out, "%*s%" PRId64 " |", width - number_width(value),
			      i ? ">" : "<", value);
	else
		sp_buf_printf(out, "%*" PRId64 " |", width, value);
	sp_buf_fill(out, '@', (size_t)bar);
	sp_buf_printf(out, "%*" PRIu64 "\n", BAR_WIDTH - bar + 1 + count_width, v->counts[i]);
}

static void print_rows(struct sp_buf *out, const struct view *v, unsigned low, unsigned high,
		       uint64_t max, int width)
{
	// Rounded up, so that no bar is longer than the heading's.
	uint64_t scale = max / BAR_WIDTH + (max % BAR_WIDTH != 0);
	int count_width = number_width((int64_t)max);
	bool eliding = false;

	for (unsigned i = low; i <= high; i++) {
		bool skip = is_elided(v, i);

		if (!skip && eliding)
			sp_buf_printf(out, "%*s ~\n", width, "");
		if (!skip)
			print_row(out, v, i, width, count_width, scale);
		eliding = skip;
	}
}

static void print(struct sp_buf *out, const struct view *v)
{
	unsigned low = 0, high = 0;
	uint64_t max = 0;
	bool any = find_range(v, &low, &high, &max);
	int width = any ? value_width(v, low, high) : (int)strlen("value");

	sp_buf_printf(out, "%*s |", width, "value");
	sp_buf_fill(out, '-', BAR_WIDTH);
	sp_buf_puts(out, " count\n");
	if (any)
		print_rows(out, v, low, high, max, width);
	sp_buf_putc(out, '\n');
}

void hist_log_print(struct sp_buf *out, const uint64_t *counts, int elision)
{
	print(out, &(struct view){ counts, SP_HIST_LOG_BUCKETS, elision, NULL });
}

void hist_linear_print(struct sp_buf *out, const struct sp_hist_linear *h, const uint64_t *counts,
		       int elision)
{
	print(out, &(struct view){ counts, sp_hist_linear_buckets(h), elision, h });
}
