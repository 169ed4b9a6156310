// SPDX-License-Identifier: GPL-2.0-or-later
// The picture of --plot: panels with a pair of axes each, one below the other.
#include "runtime/print/hist.h"
#include "runtime/print/plot.h"
#include "runtime/print/xml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define WIDTH 1200
#define LEFT 92 // of the axes
#define RIGHT 220 // beside them, for the names
#define ACROSS (WIDTH - LEFT - RIGHT)
#define HEADING 64 // the picture's title
#define ABOVE 34 // the panel's title
#define HEIGHT 250
#define BELOW 58 // the numbers of the axis and its name
#define PANEL (ABOVE + HEIGHT + BELOW)
#define NAME_ROOM 26 // letters
#define LINES 12 // that are drawn, of a panel
#define PANELS 40
#define DOTS 400 // of a line with more points none is marked

static const char style[] =
	"text { font: 12px 'DejaVu Sans', Verdana, sans-serif; fill: #333; } "
	"#back { fill: #fbfaf7; } #title { font-size: 17px; font-weight: 600; } "
	".t { font-weight: 600; } .n { fill: #666; } .r { text-anchor: end; } .m { text-anchor: middle; } "
	".g { stroke: #e3e0d8; } .a { stroke: #8a877f; } "
	".l { fill: none; stroke-width: 1.6; stroke-linejoin: round; } .b { opacity: 0.16; } "
	".d:hover, .c:hover { stroke: #222; stroke-width: 1.5; }";

static const char *const colours[LINES] = { "#3367a8", "#d4642a", "#3d9251", "#bf3a4c", "#7a58ad", "#86694f",
					    "#cf74ad", "#6b727c", "#a39a2a", "#2b9caf", "#1f3d5c", "#e0a33a" };

struct drawing {
	struct sp_buf *out;
	const struct plot_panel *panel;
	unsigned top; // of the axes
	int64_t x_low; // at the left
	double x_range; // from there to the right
	int64_t unit; // ns that 1 stands for on a horizontal axis that is the clock; 0: it is not
	double step; // where there could be a point after each of those of a line; 0: anywhere
	double y_low, y_high;
};

// ---- numbers ---------------------------------------------------------------------------------------------------------

// 1, 2 or 5 times a power of ten, so that a range has some five of them. All numbers are whole ones.
static double nice_step(double range)
{
	double power = pow(10, floor(log10(range / 5))), times = range / 5 / power;

	return SP_MAX(power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10), 1.0);
}

static void put_number(struct sp_buf *out, double number)
{
	static const struct { double least, unit; const char *suffix; } scales[] = {
		{ 1e18, 1e18, "E" }, { 1e15, 1e15, "P" }, { 1e12, 1e12, "T" }, { 1e9, 1e9, "G" }, { 1e6, 1e6, "M" }, { 1e4, 1e3, "k" },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(scales); i++)
		if (fabs(number) >= scales[i].least) {
			sp_buf_printf(out, "%.6g%s", number / scales[i].unit, scales[i].suffix);
			return;
		}
	sp_buf_printf(out, "%.6g", number);
}

// 2^n as people write it.
static void put_power(struct sp_buf *out, int64_t number)
{
	static const char suffixes[] = "KMGTPE";
	int scale = -1;

	while (number && number % 1024 == 0 && scale < 5) {
		number /= 1024;
		scale++;
	}
	sp_buf_printf(out, "%" PRId64, number);
	if (scale >= 0)
		sp_buf_putc(out, suffixes[scale]);
}

// ---- the horizontal axis ---------------------------------------------------------------------------------------------

static double across(const struct drawing *d, double distance)
{
	return LEFT + distance / d->x_range * ACROSS;
}

static double distance(const struct drawing *d, int64_t x)
{
	return (double)((uint64_t)x - (uint64_t)d->x_low);
}

static void put_clock(struct sp_buf *out, const struct drawing *d, int64_t x, int64_t step_ns)
{
	int64_t ns = x * d->unit;
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[32];

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	sp_buf_puts(out, text);
	if (step_ns >= 1000000000)
		return;
	snprintf(text, sizeof(text), "%09" PRId64, ns % 1000000000);
	sp_buf_printf(out, ".%.*s", step_ns >= 1000000 ? 3 : step_ns >= 1000 ? 6 : 9, text);
}

static int64_t clock_step(double range_ns)
{
	static const int64_t steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };

	if (range_ns / 5e9 <= 1)
		return (int64_t)nice_step(range_ns);
	for (size_t i = 0; i < SP_ARRAY_SIZE(steps); i++)
		if (range_ns / 1e9 / 8 <= (double)steps[i])
			return steps[i] * 1000000000;
	return (int64_t)ceil(range_ns / 86400e9 / 8) * 86400 * 1000000000;
}

// A tick of the axis, with the text that is in `label`.
static void put_x_tick(const struct drawing *d, double at, struct sp_buf *label)
{
	double x = across(d, at);

	sp_buf_printf(d->out, "<line class=\"g\" x1=\"%.1f\" y1=\"%u\" x2=\"%.1f\" y2=\"%u\"/><text class=\"m\" x=\"%.1f\" y=\"%u\">%s</text>\n", x, d->top, x,
		      d->top + HEIGHT, x, d->top + HEIGHT + 18, sp_buf_str(label));
	sp_buf_clear(label);
}

static void put_clock_axis(const struct drawing *d, struct sp_buf *label)
{
	int64_t step = clock_step(d->x_range * (double)d->unit), low = d->x_low * d->unit, at;
	time_t seconds = (time_t)(low / 1000000000);
	struct tm tm;

	localtime_r(&seconds, &tm);
	at = low + tm.tm_gmtoff * 1000000000;
	at = (at + step - 1) / step * step - tm.tm_gmtoff * 1000000000;
	for (; (double)(at - low) <= d->x_range * (double)d->unit * 1.0001; at += step) {
		put_clock(label, d, at / d->unit, step);
		put_x_tick(d, (double)(at - low) / (double)d->unit, label);
	}
}

static void put_number_axis(const struct drawing *d, struct sp_buf *label)
{
	int64_t step = (int64_t)nice_step(d->x_range), over = (d->x_low % step + step) % step;

	for (double at = over ? (double)(step - over) : 0; at <= d->x_range * 1.0001; at += (double)step) {
		int64_t x = (int64_t)((uint64_t)d->x_low + (uint64_t)at);

		if (fabs((double)x) > 1e5 * (double)step) // of which a few digits would not tell one from the next
			sp_buf_printf(label, "%" PRId64, x);
		else
			put_number(label, (double)x);
		put_x_tick(d, at, label);
	}
}

static void put_x_axis(const struct drawing *d)
{
	struct sp_buf label = { 0 };
	char date[32];

	(d->unit ? put_clock_axis : put_number_axis)(d, &label);
	sp_buf_deinit(&label);
	sp_buf_printf(d->out, "<line class=\"a\" x1=\"%d\" y1=\"%u\" x2=\"%d\" y2=\"%u\"/>\n<text class=\"n r\" x=\"%d\" y=\"%u\">", LEFT, d->top + HEIGHT,
		      LEFT + ACROSS, d->top + HEIGHT, LEFT + ACROSS, d->top + HEIGHT + 38);
	xml_put_text(d->out, d->panel->x_name, strlen(d->panel->x_name));
	if (d->unit) {
		time_t seconds = (time_t)(d->x_low * d->unit / 1000000000);
		struct tm tm;

		localtime_r(&seconds, &tm);
		strftime(date, sizeof(date), "%Y-%m-%d", &tm);
		sp_buf_printf(d->out, "%s%s", *d->panel->x_name ? ", " : "", date);
	}
	sp_buf_puts(d->out, "</text>\n");
}

static void put_x(const struct drawing *d, int64_t x)
{
	if (d->unit)
		put_clock(d->out, d, x, d->unit);
	else
		sp_buf_printf(d->out, "%" PRId64, x);
}

// ---- lines -----------------------------------------------------------------------------------------------------------

static double down(const struct drawing *d, double y)
{
	return d->top + HEIGHT - (y - d->y_low) / (d->y_high - d->y_low) * HEIGHT;
}

static double point_x(const struct drawing *d, const struct plot_point *point)
{
	return across(d, distance(d, point->x));
}

static size_t drawn_lines(const struct plot_panel *panel)
{
	return SP_MIN(panel->lines.n, (size_t)LINES);
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

// Numbers of a grid, such as seconds: the least distance is that of most of them.
static double find_step(const struct drawing *d)
{
	SP_VEC(int64_t) xs = { 0 };
	double least = INFINITY;
	size_t n = 1;

	for (size_t i = 0; i < drawn_lines(d->panel); i++)
		sp_vec_each(point, &d->panel->lines.v[i].points)
			sp_vec_push(&xs, point->x);
	qsort(xs.v, xs.n, sizeof(*xs.v), compare_numbers);
	for (size_t i = 1; i < xs.n; i++) {
		if (xs.v[i] == xs.v[i - 1])
			continue;
		least = SP_MIN(least, distance(d, xs.v[i]) - distance(d, xs.v[i - 1]));
		n++;
	}
	sp_vec_deinit(&xs);
	return n > 2 && (double)n * 2 >= d->x_range / least ? least : 0;
}

static void find_range_of_lines(struct drawing *d)
{
	int64_t x_high = INT64_MIN;
	double step;

	d->x_low = INT64_MAX;
	for (size_t i = 0; i < drawn_lines(d->panel); i++) {
		const struct plot_line *line = &d->panel->lines.v[i];

		d->x_low = SP_MIN(d->x_low, line->points.v[0].x);
		x_high = SP_MAX(x_high, sp_vec_last(&line->points).x);
		sp_vec_each(point, &line->points) {
			d->y_low = SP_MIN(d->y_low, (double)point->low);
			d->y_high = SP_MAX(d->y_high, (double)point->high);
		}
	}
	d->unit = plot_clock_unit(d->x_low, x_high);
	d->x_range = SP_MAX(distance(d, x_high), 1.0);
	d->step = find_step(d);
	if (d->y_low == d->y_high)
		d->y_high = d->y_low + 1;
	step = nice_step(d->y_high - d->y_low);
	d->y_low = floor(d->y_low / step) * step;
	d->y_high = ceil(d->y_high / step) * step;
}

static void put_y_axis_of_lines(const struct drawing *d)
{
	double step = nice_step(d->y_high - d->y_low);

	for (double y = d->y_low; y <= d->y_high + step / 2; y += step) {
		double at = down(d, y);

		sp_buf_printf(d->out, "<line class=\"g\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/><text class=\"r\" x=\"%d\" y=\"%.1f\">", LEFT, at,
			      LEFT + ACROSS, at, LEFT - 8, at + 4);
		put_number(d->out, fabs(y) < step / 2 ? 0 : y);
		sp_buf_puts(d->out, "</text>\n");
	}
}

// A line is interrupted where the script has nothing: where a run of points that begins at `i` ends.
static size_t end_of_run(const struct drawing *d, const struct plot_line *line, size_t i)
{
	const struct plot_point *points = line->points.v;

	while (++i < line->points.n && (!d->step || distance(d, points[i].x) - distance(d, points[i - 1].x) < d->step * 1.5))
		;
	return i;
}

// The points from `i` on that are drawn in one column of dots: where the next ones begin.
static size_t end_of_column(const struct drawing *d, const struct plot_point *points, size_t i, size_t end)
{
	double column = floor(point_x(d, &points[i]));

	while (i < end && floor(point_x(d, &points[i])) == column)
		i++;
	return i;
}

// A column of dots is drawn by its first, least, greatest and last point.
static void put_path(const struct drawing *d, const struct plot_point *points, size_t n, const char *colour)
{
	sp_buf_puts(d->out, "<polyline class=\"l\" points=\"");
	for (size_t i = 0, end; i < n; i = end) {
		size_t least = i, greatest = i;

		end = end_of_column(d, points, i, n);
		for (size_t at = i; at < end; at++) {
			least = points[at].y < points[least].y ? at : least;
			greatest = points[at].y > points[greatest].y ? at : greatest;
		}
		for (size_t at = i; at < end; at++)
			if (at == i || at == least || at == greatest || at == end - 1)
				sp_buf_printf(d->out, "%.1f,%.1f ", point_x(d, &points[at]), down(d, (double)points[at].y));
	}
	sp_buf_printf(d->out, "\" stroke=\"%s\"/>\n", colour);
}

static void put_band(const struct drawing *d, const struct plot_point *points, size_t n, const char *colour)
{
	sp_buf_printf(d->out, "<polygon class=\"b\" fill=\"%s\" points=\"", colour);
	for (size_t i = 0; i < n; i++)
		sp_buf_printf(d->out, "%.1f,%.1f ", point_x(d, &points[i]), down(d, (double)points[i].high));
	for (size_t i = n; i-- > 0;)
		sp_buf_printf(d->out, " %.1f,%.1f", point_x(d, &points[i]), down(d, (double)points[i].low));
	sp_buf_puts(d->out, "\"/>\n");
}

static void put_dots(const struct drawing *d, const char *name, const struct plot_point *points, size_t n, const char *colour)
{
	for (const struct plot_point *point = points; point < points + n; point++) {
		sp_buf_printf(d->out, "<circle class=\"d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"><title>", point_x(d, point), down(d, (double)point->y), colour);
		xml_put_text(d->out, name, strlen(name));
		sp_buf_puts(d->out, *name ? ", " : "");
		put_x(d, point->x);
		sp_buf_printf(d->out, ": %" PRId64, point->y);
		if (point->low < point->high)
			sp_buf_printf(d->out, " (%" PRId64 " to %" PRId64 ")", point->low, point->high);
		sp_buf_puts(d->out, "</title></circle>\n");
	}
}

static void put_names(const struct drawing *d)
{
	const struct plot_panel *panel = d->panel;
	unsigned y = d->top + 12;

	for (size_t i = 0; i < drawn_lines(panel); i++, y += 18) {
		const char *name = panel->lines.v[i].name;

		if (!*name)
			continue;
		sp_buf_printf(d->out, "<rect x=\"%d\" y=\"%u\" width=\"12\" height=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"%u\"><title>", LEFT + ACROSS + 16, y - 6,
			      colours[i], LEFT + ACROSS + 34, y);
		xml_put_text(d->out, name, strlen(name));
		sp_buf_puts(d->out, "</title>");
		xml_put_short(d->out, name, NAME_ROOM);
		sp_buf_puts(d->out, "</text>\n");
	}
	if (panel->lines.n > LINES)
		sp_buf_printf(d->out, "<text class=\"n\" x=\"%d\" y=\"%u\">and %zu more, not drawn</text>\n", LEFT + ACROSS + 34, y, panel->lines.n - LINES);
}

static void put_line(const struct drawing *d, const struct plot_line *line, const char *colour)
{
	for (size_t i = 0, end; i < line->points.n; i = end) {
		const struct plot_point *points = &line->points.v[i];

		end = end_of_run(d, line, i);
		if (d->panel->has_band)
			put_band(d, points, end - i, colour);
		put_path(d, points, end - i, colour);
		if (line->points.n <= DOTS || end - i == 1) // a single point has no line
			put_dots(d, line->name, points, end - i, colour);
	}
}

static void put_lines(struct drawing *d)
{
	find_range_of_lines(d);
	put_y_axis_of_lines(d);
	put_x_axis(d);
	for (size_t i = 0; i < drawn_lines(d->panel); i++)
		put_line(d, &d->panel->lines.v[i], colours[i]);
	put_names(d);
}

// ---- heat maps -------------------------------------------------------------------------------------------------------

struct heat {
	unsigned first, rows; // buckets
	size_t columns;
	double column; // how much of the axis it is
	uint64_t *counts; // by column, then row
	uint64_t most;
};

// A column is as wide as the least distance of two numbers, and at least three dots.
static void find_columns(struct drawing *d, struct heat *heat)
{
	const struct plot_cell *cells = d->panel->cells.v;
	size_t n = d->panel->cells.n;
	double range = distance(d, cells[n - 1].x);

	heat->column = SP_MAX(range, 1.0);
	for (size_t i = 1; i < n; i++)
		if (cells[i].x != cells[i - 1].x)
			heat->column = SP_MIN(heat->column, distance(d, cells[i].x) - distance(d, cells[i - 1].x));
	heat->column = SP_MAX(heat->column, ceil(range * 3 / ACROSS));
	heat->columns = (size_t)(range / heat->column) + 1;
	d->x_range = heat->column * (double)heat->columns;
}

static void count_cells(struct drawing *d, struct heat *heat)
{
	unsigned last = 0;

	heat->first = UINT32_MAX;
	sp_vec_each(cell, &d->panel->cells) {
		heat->first = SP_MIN(heat->first, cell->bucket);
		last = SP_MAX(last, cell->bucket);
	}
	heat->rows = last - heat->first + 1;
	heat->counts = sp_calloc(heat->columns * heat->rows, sizeof(*heat->counts));
	sp_vec_each(cell, &d->panel->cells) {
		size_t column = (size_t)(distance(d, cell->x) / heat->column);
		uint64_t *count = &heat->counts[column * heat->rows + cell->bucket - heat->first];

		*count += cell->count;
		heat->most = SP_MAX(heat->most, *count);
	}
}

static void bucket_range(const struct plot_panel *panel, unsigned bucket, int64_t *low_ret, int64_t *high_ret)
{
	if (panel->hist == SP_STAT_LOG)
		hist_log_range(bucket, low_ret, high_ret);
	else
		hist_linear_range(&panel->linear, bucket, low_ret, high_ret);
}

// From a light yellow over red to a dark violet, by the logarithm of the count.
static void put_heat(struct sp_buf *out, double share)
{
	static const unsigned char stops[][3] = { { 253, 240, 200 }, { 253, 187, 99 }, { 232, 90, 62 }, { 150, 32, 105 }, { 52, 14, 98 } };
	double at = share * (SP_ARRAY_SIZE(stops) - 1);
	size_t i = SP_MIN((size_t)at, SP_ARRAY_SIZE(stops) - 2);
	double part = at - (double)i;

	sp_buf_puts(out, "#");
	for (unsigned c = 0; c < 3; c++)
		sp_buf_printf(out, "%02x", (unsigned)lround(stops[i][c] + part * (stops[i + 1][c] - stops[i][c])));
}

static double heat_share(const struct heat *heat, uint64_t count)
{
	return log((double)count) / SP_MAX(log((double)heat->most), 1e-9);
}

static void put_cells(const struct drawing *d, const struct heat *heat)
{
	double wide = ACROSS / (double)heat->columns, high = HEIGHT / (double)heat->rows;

	for (size_t i = 0; i < heat->columns * heat->rows; i++) {
		unsigned row = (unsigned)(i % heat->rows);
		size_t column = i / heat->rows;
		int64_t low, top;

		if (!heat->counts[i])
			continue;
		bucket_range(d->panel, heat->first + row, &low, &top);
		sp_buf_printf(d->out, "<rect class=\"c\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"", LEFT + (double)column * wide,
			      d->top + HEIGHT - (row + 1) * high, wide, high);
		put_heat(d->out, heat_share(heat, heat->counts[i]));
		sp_buf_puts(d->out, "\"><title>");
		put_x(d, (int64_t)((uint64_t)d->x_low + (uint64_t)((double)column * heat->column)));
		sp_buf_printf(d->out, ", %" PRId64 " to %" PRId64 ": %" PRIu64 "</title></rect>\n", low, top, heat->counts[i]);
	}
}

// A number at the lower edge of its row.
static void put_y_axis_of_heat(const struct drawing *d, const struct heat *heat)
{
	double high = HEIGHT / (double)heat->rows;
	unsigned every = (heat->rows + 9) / 10;

	for (unsigned row = 0; row < heat->rows; row += every) {
		int64_t low, top;

		bucket_range(d->panel, heat->first + row, &low, &top);
		sp_buf_printf(d->out, "<text class=\"r\" x=\"%d\" y=\"%.1f\">", LEFT - 8, d->top + HEIGHT - row * high);
		if (low == INT64_MIN) // all that is less than the histogram
			sp_buf_puts(d->out, "less");
		else if (d->panel->hist == SP_STAT_LOG)
			put_power(d->out, low);
		else
			sp_buf_printf(d->out, "%" PRId64, low);
		sp_buf_puts(d->out, "</text>\n");
	}
	sp_buf_printf(d->out, "<line class=\"a\" x1=\"%d\" y1=\"%u\" x2=\"%d\" y2=\"%u\"/>\n", LEFT, d->top, LEFT, d->top + HEIGHT);
}

static void put_scale(const struct drawing *d, const struct heat *heat)
{
	for (unsigned i = 0; i < 40; i++) {
		sp_buf_printf(d->out, "<rect x=\"%d\" y=\"%u\" width=\"12\" height=\"3\" fill=\"", LEFT + ACROSS + 16, d->top + 120 - 3 * i);
		put_heat(d->out, i / 39.0);
		sp_buf_puts(d->out, "\"/>");
	}
	sp_buf_printf(d->out, "\n<text x=\"%d\" y=\"%u\">1</text><text x=\"%d\" y=\"%u\">%" PRIu64 "</text>\n", LEFT + ACROSS + 34, d->top + 123, LEFT + ACROSS + 34,
		      d->top + 12, heat->most);
}

static void put_heat_map(struct drawing *d)
{
	struct heat heat = { 0 };

	d->x_low = d->panel->cells.v[0].x;
	d->unit = plot_clock_unit(d->x_low, sp_vec_last(&d->panel->cells).x);
	find_columns(d, &heat);
	count_cells(d, &heat);
	put_x_axis(d);
	put_cells(d, &heat);
	put_y_axis_of_heat(d, &heat);
	put_scale(d, &heat);
	free(heat.counts);
}

// ---- the picture -----------------------------------------------------------------------------------------------------

static bool is_empty(const struct plot_panel *panel)
{
	return panel->is_heat ? !panel->cells.n : !panel->lines.n;
}

void plot_put(struct sp_buf *out, const struct plot *plot, const char *title)
{
	size_t shown = SP_MIN(plot->panels.n, (size_t)PANELS);
	unsigned height = HEADING + PANEL * (unsigned)SP_MAX(shown, (size_t)1);

	sp_buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">\n", WIDTH,
		      height, WIDTH, height);
	sp_buf_printf(out, "<style>%s</style>\n<rect id=\"back\" width=\"%d\" height=\"%u\"/>\n<text id=\"title\" x=\"24\" y=\"34\">", style, WIDTH, height);
	xml_put_text(out, title, strlen(title));
	sp_buf_puts(out, "</text>\n");
	if (shown < plot->panels.n)
		sp_buf_printf(out, "<text class=\"n r\" x=\"%d\" y=\"34\">the first %zu of %zu</text>\n", WIDTH - 24, shown, plot->panels.n);
	for (size_t i = 0; i < shown; i++) {
		struct drawing d = { .out = out, .panel = plot->panels.v[i], .top = HEADING + PANEL * (unsigned)i + ABOVE };

		sp_buf_printf(out, "<text class=\"t\" x=\"%d\" y=\"%u\">", LEFT, d.top - 14);
		xml_put_text(out, d.panel->title, strlen(d.panel->title));
		sp_buf_puts(out, "</text>\n");
		if (!is_empty(d.panel))
			(d.panel->is_heat ? put_heat_map : put_lines)(&d);
	}
	sp_buf_puts(out, "</svg>\n");
}
