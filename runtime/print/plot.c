// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/plot.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/print/stack_key.h"
#include "runtime/vm/stat.h"

#include <inttypes.h>
#include <unistd.h>

struct reading {
	struct plot *plot;
	const struct bundle *bundle;
	unsigned index;
	const struct sp_map *map;
	unsigned x; // the key that is the horizontal axis
	struct plot_panel *lines; // of arrays that are drawn as lines
	struct sp_hash by_name; // the other keys: the number of the line, or the panel of a heat map
	enum sp_stat what; // SP_MAP_STAT: what is drawn of it
};

static const struct sp_field *key_field(const struct reading *r, unsigned key)
{
	return &r->bundle->fields[r->map->first_key + key];
}

// ---- times of day ------------------------------------------------------------------------------------------------------

int64_t plot_clock_unit(int64_t low, int64_t high)
{
	for (int64_t unit = 1, second = 1000000000; unit <= 1000000000; unit *= 1000, second /= 1000) {
		int64_t per_second = 1000000000 / second;

		if (low / per_second >= 1000000000 && high / per_second < 4102444800)
			return second;
	}
	return 0;
}

static bool is_over_clock(const struct plot_panel *panel)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	sp_vec_each(line, &panel->lines) {
		low = SP_MIN(low, line->points.v[0].x);
		high = SP_MAX(high, sp_vec_last(&line->points).x);
	}
	if (panel->cells.n) {
		low = panel->cells.v[0].x;
		high = sp_vec_last(&panel->cells).x;
	}
	return plot_clock_unit(low, high);
}

static void free_panel(struct plot_panel *panel)
{
	sp_vec_each(line, &panel->lines)
		sp_vec_deinit(&line->points);
	sp_vec_deinit(&panel->lines);
	sp_vec_deinit(&panel->cells);
}

// A script that counts by the clock has other arrays for its own purposes, such as when a thread began to wait.
static void prefer_clock(struct plot *plot, bool *drawn)
{
	size_t n = 0;
	bool any = false;

	sp_vec_each(panel, &plot->panels)
		any |= is_over_clock(*panel);
	sp_vec_each(panel, &plot->panels) {
		if (!any || is_over_clock(*panel)) {
			plot->panels.v[n++] = *panel;
			continue;
		}
		drawn[(*panel)->map] = false;
		free_panel(*panel);
	}
	plot->panels.n = n;
}

// ---- which arrays, and what of them ----------------------------------------------------------------------------------

// The first key that is a number; false: there is none.
static bool find_x(struct reading *r)
{
	for (r->x = 0; r->x < r->map->n_keys; r->x++)
		if (key_field(r, r->x)->type != SP_STRING)
			return true;
	return false;
}

// What is drawn of the values; false: they are texts, or nothing is kept of them.
static bool find_value(struct reading *r)
{
	static const enum sp_stat by_preference[] = { SP_STAT_LOG, SP_STAT_LINEAR, SP_STAT_AVG, SP_STAT_COUNT, SP_STAT_SUM, SP_STAT_MAX, SP_STAT_MIN };

	if (r->map->kind != SP_MAP_STAT)
		return r->map->value_type != SP_STRING;
	for (size_t i = 0; i < SP_ARRAY_SIZE(by_preference); i++) {
		r->what = by_preference[i];
		if (r->map->stat.reads >> r->what & 1)
			return true;
	}
	return false;
}

static bool is_heat(const struct reading *r)
{
	return r->map->kind == SP_MAP_STAT && (r->what == SP_STAT_LOG || r->what == SP_STAT_LINEAR);
}

// ---- elements --------------------------------------------------------------------------------------------------------

// The keys but the axis, as people read them; false: one of them is a stack, which has a picture of its own (flame.h).
static bool put_other_keys(struct sp_buf *out, const struct reading *r, const uint8_t *key)
{
	for (unsigned i = 0; i < r->map->n_keys; i++) {
		const struct sp_field *field = key_field(r, i);
		const char *text = (const char *)key + field->offset;

		if (i == r->x)
			continue;
		if (out->len)
			sp_buf_puts(out, ", ");
		if (field->type != SP_STRING)
			sp_buf_printf(out, "%" PRId64, stack_key_number(field, key));
		else if (stack_key_is_addresses(text))
			return false;
		else
			sp_buf_add(out, text, strnlen(text, field->size));
	}
	return true;
}

static const char *label(const struct reading *r)
{
	return bundle_text(r->bundle, r->map->label);
}

// What the script calls the axis; "" where it has no name for it.
static const char *x_name(const struct reading *r)
{
	size_t len;
	const char *name = bundle_key_name(r->bundle, r->map, r->x, &len);

	return sp_arena_strndup(&r->plot->arena, name, len);
}

static struct plot_panel *add_panel(struct reading *r, const char *title)
{
	struct plot_panel *panel = sp_arena_new(&r->plot->arena, struct plot_panel);

	panel->map = r->index;
	panel->title = title;
	panel->x_name = x_name(r);
	panel->is_heat = is_heat(r);
	panel->hist = r->what;
	panel->linear = r->map->stat.linear;
	sp_vec_push(&r->plot->panels, panel);
	return panel;
}

static void add_cells(struct reading *r, const char *name, int64_t x, const uint64_t *record)
{
	void **place = sp_hash_insert(&r->by_name, name, strlen(name));
	struct plot_panel *panel;
	const uint64_t *buckets;
	uint32_t n;

	if (!*place)
		*place = add_panel(r, *name ? sp_arena_printf(&r->plot->arena, "%s[%s]", label(r), name) : label(r));
	panel = *place;
	buckets = stat_buckets(&r->map->stat, record, r->what, &n);
	for (uint32_t i = 0; i < n; i++)
		if (buckets[i])
			sp_vec_push(&panel->cells, (struct plot_cell){ x, i, buckets[i] });
}

static int64_t read_stat(const struct reading *r, const uint64_t *record, enum sp_stat what, int64_t otherwise)
{
	int64_t number;

	return r->map->stat.reads >> what & 1 && stat_read(&r->map->stat, record, what, &number) ? number : otherwise;
}

static void add_point(struct reading *r, const char *name, int64_t x, const uint64_t *value)
{
	struct plot_point point = { .x = x, .y = (int64_t)*value };
	void **place;
	struct plot_line *line;

	if (!r->lines) {
		static const char *const parts[] = { [SP_STAT_AVG] = "mean", [SP_STAT_COUNT] = "count", [SP_STAT_SUM] = "sum",
						     [SP_STAT_MAX] = "greatest", [SP_STAT_MIN] = "least" };

		r->lines = add_panel(r, r->map->kind == SP_MAP_STAT ? sp_arena_printf(&r->plot->arena, "%s (%s)", label(r), parts[r->what]) : label(r));
	}
	place = sp_hash_insert(&r->by_name, name, strlen(name));
	if (!*place) {
		sp_vec_push(&r->lines->lines, (struct plot_line){ .name = sp_arena_strdup(&r->plot->arena, name) });
		*place = (void *)(uintptr_t)r->lines->lines.n;
	}
	line = &r->lines->lines.v[(uintptr_t)*place - 1];
	if (r->map->kind == SP_MAP_STAT)
		point.y = read_stat(r, value, r->what, 0);
	point.low = point.high = point.y;
	if (r->map->kind == SP_MAP_STAT && r->what == SP_STAT_AVG) {
		point.low = read_stat(r, value, SP_STAT_MIN, point.y);
		point.high = read_stat(r, value, SP_STAT_MAX, point.y);
		r->lines->has_band |= point.low < point.high;
	}
	line->sum += (double)point.y;
	sp_vec_push(&line->points, point);
}

// False: the array has nothing that can be drawn.
static bool read_array(struct reading *r, struct store *store)
{
	sp_cleanup_free uint8_t *key = sp_malloc(r->map->key_size);
	sp_cleanup_free uint64_t *value = sp_malloc(r->map->value_size);
	struct store_iter *iter = store_iter_open(store, r->index, r->x + 1, 1, -1);
	struct sp_buf name = { 0 };
	bool is_drawn = false;

	while (iter && store_iter_next(iter, key, value) == 1) {
		int64_t x = stack_key_number(key_field(r, r->x), key);

		sp_buf_clear(&name);
		if (!put_other_keys(&name, r, key))
			continue;
		(is_heat(r) ? add_cells : add_point)(r, sp_buf_str(&name), x, value);
		is_drawn = true;
	}
	store_iter_close(iter);
	sp_buf_deinit(&name);
	return is_drawn;
}

static int compare_lines(const void *a, const void *b)
{
	const struct plot_line *left = a, *right = b;

	return left->sum != right->sum ? (left->sum < right->sum) - (left->sum > right->sum) : strcmp(left->name, right->name);
}

size_t plot_read(struct plot *plot, const struct bundle *bundle, struct store *store, bool *drawn)
{
	for (unsigned i = 0; i < bundle->n_maps; i++) {
		struct reading r = { .plot = plot, .bundle = bundle, .index = i, .map = &bundle->maps[i] };

		if (r.map->flags & SP_MAP_PRIVATE || !find_x(&r) || !find_value(&r))
			continue;
		drawn[i] |= read_array(&r, store);
		if (r.lines)
			qsort(r.lines->lines.v, r.lines->lines.n, sizeof(*r.lines->lines.v), compare_lines);
		sp_hash_deinit(&r.by_name);
	}
	prefer_clock(plot, drawn);
	return plot->panels.n;
}

// ---- for a session ---------------------------------------------------------------------------------------------------

static struct sp_err *plot_open(const char *path, struct plot **ret)
{
	struct sp_err *err;
	struct plot *plot;
	int fd;

	if (!sp_ends_with(path, ".svg"))
		return sp_err_new(SP_ERR_USAGE, "--plot writes FILE.svg, not \"%s\"", path);
	err = sp_file_open_output(path, &fd);
	if (err)
		return err;
	plot = sp_calloc(1, sizeof(*plot));
	plot->fd = fd;
	plot->path = sp_arena_strdup(&plot->arena, path);
	*ret = plot;
	return NULL;
}

static struct sp_err *plot_close(struct plot *plot, const char *title)
{
	struct sp_buf out = { 0 };
	struct sp_err *err;

	plot_put(&out, plot, title);
	err = sp_file_write(plot->fd, plot->path, out.data, out.len);
	sp_buf_deinit(&out);
	close(plot->fd);
	sp_vec_each(panel, &plot->panels)
		free_panel(*panel);
	sp_vec_deinit(&plot->panels);
	sp_arena_deinit(&plot->arena);
	free(plot);
	return err;
}

SP_EXPORT const struct spilert_plotter spilert_plotter = { .open = plot_open, .read = plot_read, .close = plot_close };
