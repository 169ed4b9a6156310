// SPDX-License-Identifier: GPL-2.0-or-later
/** Arrays over a number, as line plots and heat maps: --plot. `reads[gettimeofday_s()]++`, `bytes[tv, execname()] += n`,
 *  `lat[gettimeofday_s()] <<< us`.
 *
 *  The first key that is a number is the horizontal axis; each combination of the other keys is a line. Of an aggregate the line is the
 *  mean, with a band from the least to the greatest value where it keeps them, or else what it does keep; where the script reads its
 *  histogram it is a heat map: a column a number, a row a bucket, the darker the more values. Numbers that are all times of day since 1970,
 *  in seconds down to nanoseconds, are shown as the clock; where a script has such arrays, the others are not drawn. */
#ifndef SP_RUNTIME_PLOT_H
#define SP_RUNTIME_PLOT_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/base/vec.h"
#include "runtime/load/bundle.h"
#include "runtime/vm/store.h"

struct plot_point {
	int64_t x, y;
	int64_t low, high; // the band
};

struct plot_line {
	const char *name; // the other keys; "" without any
	double sum; // of all y
	SP_VEC(struct plot_point) points; // by x
};

struct plot_cell {
	int64_t x;
	unsigned bucket;
	uint64_t count;
};

/** One pair of axes: lines, or the cells of a heat map. */
struct plot_panel {
	unsigned map; // of the bundle
	const char *title, *x_name;
	bool is_heat, has_band;
	enum sp_stat hist; // is_heat: SP_STAT_LOG or SP_STAT_LINEAR
	struct sp_hist_linear linear;
	SP_VEC(struct plot_line) lines; // those with the greatest sums first
	SP_VEC(struct plot_cell) cells; // by x
};

struct plot {
	struct sp_arena arena;
	int fd; // the file
	const char *path;
	SP_VEC(struct plot_panel *) panels;
};

/** The ns that 1 stands for when both numbers are times of the years 2001 to 2099, in seconds, ms, us or ns; 0: they are not. */
int64_t plot_clock_unit(int64_t low, int64_t high);
/** Reads the arrays that can be drawn, and marks them in `drawn`, by map. Returns how many panels there are. */
size_t plot_read(struct plot *plot, const struct bundle *bundle, struct store *store, bool *drawn);
/** Appends the picture, as SVG. */
void plot_put(struct sp_buf *out, const struct plot *plot, const char *title);

/** All of it, for a session; see spilert.h. */
struct spilert_plotter {
	/** `path` is emptied. */
	struct sp_err *(*open)(const char *path, struct plot **ret);
	size_t (*read)(struct plot *plot, const struct bundle *bundle, struct store *store, bool *drawn);
	/** Draws what was read, and ends. */
	struct sp_err *(*close)(struct plot *plot, const char *title);
};
extern const struct spilert_plotter spilert_plotter; // spilert.h, too

#endif
