// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/metrics.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/vec.h"
#include "runtime/print/hist.h"
#include "runtime/vm/stat.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

struct writing {
	struct sp_buf *out;
	const struct bundle *bundle;
	SP_VEC(char *) names; // that are taken: no two families, nor lines of them, may have the same
	size_t n_left; // elements that there is room for
	struct sp_buf left_out; // lines of arrays that have more
};

// A family of metrics while its lines are gathered: those of one family are together.
struct family {
	const char *type;
	char *name;
	struct sp_buf lines;
};

// ---- names and labels -------------------------------------------------------------------------------------------------

void metrics_put_head(struct sp_buf *out, const char *name, const char *type, const char *help)
{
	if (help)
		sp_buf_printf(out, "# HELP %s %s\n", name, help);
	sp_buf_printf(out, "# TYPE %s %s\n", name, type);
}

// Bytes that are not UTF-8 become "\xNN": so texts that differ are different labels.
void metrics_put_label(struct sp_buf *out, const char *name, const char *value, size_t len)
{
	sp_buf_printf(out, "%s=\"", name);
	for (size_t i = 0; i < len;) {
		size_t n = sp_utf8_len(value + i);

		if (value[i] == '\\' || value[i] == '"')
			sp_buf_printf(out, "\\%c", value[i++]);
		else if (value[i] == '\n')
			sp_buf_puts(out, "\\n"), i++;
		else if (!n || n > len - i)
			sp_buf_printf(out, "\\\\x%02x", (unsigned char)value[i++]);
		else
			sp_buf_add(out, value + i, n), i += n;
	}
	sp_buf_putc(out, '"');
}

static bool is_taken(const struct writing *w, const char *name, const char *end)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf whole = { 0 };

	sp_buf_printf(&whole, "%s%s", name, end);
	sp_vec_each(taken, &w->names)
		if (sp_streq(*taken, sp_buf_str(&whole)))
			return true;
	return false;
}

// The lines that families of these types have.
static const char *const *line_ends(const char *type)
{
	static const char *const plain[] = { "", NULL }, *const summary[] = { "", "_sum", "_count", NULL },
				 *const histogram[] = { "", "_bucket", "_sum", "_count", NULL };

	return sp_streq(type, "summary") ? summary : sp_streq(type, "histogram") ? histogram : plain;
}

// A valid name, which nothing has yet. spile_ begins the names of what spile itself has to tell.
static char *take_name(struct writing *w, const char *name, const char *end, const char *type)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const char *const *ends = line_ends(type);
	bool again = true;

	if (sp_starts_with(name, "spile_") || isdigit((unsigned char)*name))
		sp_buf_puts(&text, "script_");
	for (; *name; name++)
		sp_buf_putc(&text, isalnum((unsigned char)*name) ? *name : '_');
	sp_buf_puts(&text, end);
	while (again) {
		again = false;
		for (size_t i = 0; ends[i]; i++)
			again |= is_taken(w, sp_buf_str(&text), ends[i]);
		if (again)
			sp_buf_putc(&text, '_');
	}
	for (size_t i = 0; ends[i]; i++) {
		struct sp_buf whole = { 0 };

		sp_buf_printf(&whole, "%s%s", sp_buf_str(&text), ends[i]);
		sp_vec_push(&w->names, sp_buf_take(&whole));
	}
	return sp_buf_take(&text);
}

static void end_family(struct writing *w, struct family *family)
{
	if (family->lines.len) {
		metrics_put_head(w->out, family->name, family->type, NULL);
		sp_buf_add(w->out, family->lines.data, family->lines.len);
	}
	free(family->name);
	sp_buf_deinit(&family->lines);
}

// "{...}", or nothing when there are no labels; `more` is one more label, or NULL.
static void put_labels(struct sp_buf *out, const struct sp_buf *labels, const char *more)
{
	if (!labels->len && !more)
		return;
	sp_buf_printf(out, "{%s%s%s}", sp_buf_str(labels), labels->len && more ? "," : "", more ? more : "");
}

static void put_line(struct family *family, const char *end, const struct sp_buf *labels, int64_t value)
{
	sp_buf_printf(&family->lines, "%s%s", family->name, end);
	put_labels(&family->lines, labels, NULL);
	sp_buf_printf(&family->lines, " %" PRId64 "\n", value);
}

static bool is_label(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return len && !isdigit((unsigned char)*name) && !(len > 1 && name[0] == '_' && name[1] == '_');
}

// Names of the labels for the parts of the key: as the script has them, or else key, or key1, key2, ... Those that the format uses, or
// that a part before has, get an underscore.
static void name_labels(const struct bundle *bundle, const struct sp_map *map, char **ret)
{
	for (unsigned i = 0; i < map->n_keys; i++) {
		size_t len;
		const char *name = bundle_key_name(bundle, map, i, &len);
		struct sp_buf label = { 0 };
		bool is_taken = true;

		if (is_label(name, len))
			sp_buf_add(&label, name, len);
		else if (map->n_keys == 1)
			sp_buf_puts(&label, "key");
		else
			sp_buf_printf(&label, "key%u", i + 1);
		while (is_taken) {
			is_taken = sp_streq(label.data, "value") || sp_streq(label.data, "le") || sp_streq(label.data, "quantile");
			for (unsigned k = 0; k < i; k++)
				is_taken |= sp_streq(label.data, ret[k]);
			if (is_taken)
				sp_buf_putc(&label, '_');
		}
		ret[i] = sp_buf_take(&label);
	}
}

static void put_keys(struct writing *w, struct sp_buf *labels, const struct sp_map *map, const uint8_t *key, char *const *names)
{
	for (unsigned i = 0; i < map->n_keys; i++) {
		const struct sp_field *field = &w->bundle->fields[map->first_key + i];
		const char *bytes = (const char *)key + field->offset;
		char number[24];
		int64_t value;

		if (i)
			sp_buf_putc(labels, ',');
		if (field->type == SP_STRING) {
			metrics_put_label(labels, names[i], bytes, strnlen(bytes, field->size));
			continue;
		}
		memcpy(&value, bytes, sizeof(value));
		snprintf(number, sizeof(number), "%" PRId64, value);
		metrics_put_label(labels, names[i], number, strlen(number));
	}
}

// ---- values ------------------------------------------------------------------------------------------------------------

static void put_text(struct family *family, const struct sp_buf *labels, const char *text, size_t size)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf value = { 0 };

	metrics_put_label(&value, "value", text, strnlen(text, size));
	sp_buf_puts(&family->lines, family->name);
	put_labels(&family->lines, labels, sp_buf_str(&value));
	sp_buf_puts(&family->lines, " 1\n");
}

static void put_value(struct family *family, const struct sp_buf *labels, const void *bytes, unsigned type, uint32_t size)
{
	int64_t value;

	if (type == SP_STRING) {
		put_text(family, labels, bytes, size);
		return;
	}
	memcpy(&value, bytes, sizeof(value));
	put_line(family, "", labels, value);
}

static struct family start_value(struct writing *w, const char *name, unsigned type)
{
	return (struct family){ .type = "gauge", .name = take_name(w, name, type == SP_STRING ? "_info" : "", "gauge") };
}

// The greatest value that a bucket counts. False: it is the last one, and has none.
static bool bucket_end(const struct sp_stat_shape *shape, enum sp_stat what, unsigned bucket, unsigned n, int64_t *ret)
{
	if (bucket + 1 == n)
		return false;
	if (what == SP_STAT_LINEAR)
		*ret = (int64_t)((uint64_t)shape->linear.low + (uint64_t)shape->linear.width * bucket - 1);
	else
		*ret = bucket < SP_HIST_LOG_ZERO ? hist_log_value(bucket) :
		       bucket == SP_HIST_LOG_ZERO ? 0 : (int64_t)(((uint64_t)1 << (bucket - SP_HIST_LOG_ZERO)) - 1);
	return true;
}

// Buckets count what is in those before, too. The logarithmic ones without a value at both ends are left out.
static void put_histogram(struct family *family, const struct sp_buf *labels, const struct sp_map *map, const uint64_t *record,
			  enum sp_stat what)
{
	uint32_t n, first = 0, last;
	const uint64_t *counts = stat_buckets(&map->stat, record, what, &n);
	uint64_t total = 0;
	char le[40];
	int64_t end, sum;

	if (!counts || !n)
		return;
	last = n - 1;
	if (what == SP_STAT_LOG) {
		while (first < SP_HIST_LOG_ZERO && !counts[first])
			first++;
		while (last > SP_HIST_LOG_ZERO && !counts[last])
			last--;
	}
	for (unsigned i = first; i <= last; i++) {
		total += counts[i];
		if (!bucket_end(&map->stat, what, i, n, &end))
			break;
		snprintf(le, sizeof(le), "le=\"%" PRId64 "\"", end);
		sp_buf_printf(&family->lines, "%s_bucket", family->name);
		put_labels(&family->lines, labels, le);
		sp_buf_printf(&family->lines, " %" PRIu64 "\n", total);
	}
	sp_buf_printf(&family->lines, "%s_bucket", family->name);
	put_labels(&family->lines, labels, "le=\"+Inf\"");
	sp_buf_printf(&family->lines, " %" PRIu64 "\n", total);
	if (sp_stat_words(&map->stat, SP_PART_SUM)) {
		stat_read(&map->stat, record, SP_STAT_SUM, &sum);
		put_line(family, "_sum", labels, sum);
	}
	put_line(family, "_count", labels, (int64_t)total);
}

// ---- aggregates --------------------------------------------------------------------------------------------------------

enum part { PART_SUMMARY, PART_COUNT, PART_SUM, PART_LOG, PART_LINEAR, PART_MIN, PART_MAX, PART_VARIANCE, N_PARTS };

static const struct {
	const char *type, *end;
} part_kinds[N_PARTS] = {
	[PART_SUMMARY] = { "summary", "" }, [PART_COUNT] = { "counter", "_count" }, [PART_SUM] = { "gauge", "_sum" },
	[PART_LOG] = { "histogram", "" }, [PART_LINEAR] = { "histogram", "" }, [PART_MIN] = { "gauge", "_min" },
	[PART_MAX] = { "gauge", "_max" }, [PART_VARIANCE] = { "gauge", "_variance" },
};

static bool has_part(const struct sp_stat_shape *shape, enum part part)
{
	bool count = sp_stat_words(shape, SP_PART_COUNT), sum = sp_stat_words(shape, SP_PART_SUM);
	bool hist = sp_stat_words(shape, SP_PART_LOG) || sp_stat_words(shape, SP_PART_LINEAR);

	switch (part) {
	case PART_SUMMARY: return !hist && count && sum;
	case PART_COUNT: return !hist && count && !sum;
	case PART_SUM: return !hist && sum && !count;
	case PART_LOG: return sp_stat_words(shape, SP_PART_LOG);
	case PART_LINEAR: return sp_stat_words(shape, SP_PART_LINEAR);
	case PART_MIN: return sp_stat_words(shape, SP_PART_MIN);
	case PART_MAX: return sp_stat_words(shape, SP_PART_MAX);
	case PART_VARIANCE: return shape->reads >> SP_STAT_VARIANCE & 1;
	case N_PARTS: break;
	}
	return false;
}

// Of an aggregate without values there are no least and greatest ones.
static void put_number(struct family *family, const struct sp_buf *labels, const struct sp_map *map, const uint64_t *record,
		       enum sp_stat what)
{
	int64_t value;

	if (stat_read(&map->stat, record, what, &value))
		put_line(family, "", labels, value);
}

static void put_part(struct family *family, enum part part, const struct sp_buf *labels, const struct sp_map *map, const uint64_t *record)
{
	int64_t count = 0, sum = 0;

	switch (part) {
	case PART_SUMMARY:
	case PART_COUNT:
	case PART_SUM:
		if (part != PART_COUNT) {
			stat_read(&map->stat, record, SP_STAT_SUM, &sum);
			put_line(family, part == PART_SUM ? "" : "_sum", labels, sum);
		}
		if (part != PART_SUM) {
			stat_read(&map->stat, record, SP_STAT_COUNT, &count);
			put_line(family, part == PART_COUNT ? "" : "_count", labels, count);
		}
		return;
	case PART_LOG: put_histogram(family, labels, map, record, SP_STAT_LOG); return;
	case PART_LINEAR: put_histogram(family, labels, map, record, SP_STAT_LINEAR); return;
	case PART_MIN: put_number(family, labels, map, record, SP_STAT_MIN); return;
	case PART_MAX: put_number(family, labels, map, record, SP_STAT_MAX); return;
	case PART_VARIANCE: put_number(family, labels, map, record, SP_STAT_VARIANCE); return;
	case N_PARTS: return;
	}
}

// ---- all -----------------------------------------------------------------------------------------------------------------

// The families of one array: a plain one has one, an aggregate one for each part.
struct families {
	struct family v[N_PARTS];
};

static void start_families(struct writing *w, const struct sp_map *map, struct families *ret)
{
	const char *label = bundle_text(w->bundle, map->label);

	*ret = (struct families){ 0 };
	if (map->kind != SP_MAP_STAT) {
		ret->v[0] = start_value(w, label, map->value_type);
		return;
	}
	for (unsigned i = 0; i < N_PARTS; i++)
		if (has_part(&map->stat, (enum part)i))
			ret->v[i] = (struct family){ .type = part_kinds[i].type,
						     .name = take_name(w, label, part_kinds[i].end, part_kinds[i].type) };
}

static void put_element(const struct sp_map *map, struct families *families, const struct sp_buf *labels, const uint64_t *value)
{
	if (map->kind != SP_MAP_STAT) {
		put_value(&families->v[0], labels, value, map->value_type, map->value_size);
		return;
	}
	for (unsigned i = 0; i < N_PARTS; i++)
		if (families->v[i].name)
			put_part(&families->v[i], (enum part)i, labels, map, value);
}

static void put_elements(struct writing *w, unsigned index, struct store *store, struct families *families, uint64_t *value)
{
	const struct sp_map *map = &w->bundle->maps[index];
	sp_cleanup_free uint8_t *key = sp_malloc(map->key_size);
	struct store_iter *iter = store_iter_open(store, index, 0, 0, (int64_t)w->n_left + 1);
	sp_cleanup_free char **names = sp_calloc(map->n_keys, sizeof(*names));
	sp_cleanup(sp_buf_deinit) struct sp_buf labels = { 0 };

	name_labels(w->bundle, map, names);
	while (iter && store_iter_next(iter, key, value) == 1) {
		if (!w->n_left) {
			const char *name = bundle_text(w->bundle, map->label);

			sp_buf_puts(&w->left_out, "spile_left_out{");
			metrics_put_label(&w->left_out, "array", name, strlen(name));
			sp_buf_puts(&w->left_out, "} 1\n");
			break;
		}
		w->n_left--;
		sp_buf_clear(&labels);
		put_keys(w, &labels, map, key, names);
		put_element(map, families, &labels, value);
	}
	store_iter_close(iter);
	for (unsigned i = 0; i < map->n_keys; i++)
		free(names[i]);
}

static void put_map(struct writing *w, unsigned index, struct store *store)
{
	const struct sp_map *map = &w->bundle->maps[index];
	const uint8_t no_key[SP_STAT_KEY_SIZE] = { 0 };
	sp_cleanup_free uint64_t *value = sp_calloc(1, SP_ALIGN_UP(map->value_size, 8u));
	struct sp_buf no_labels = { 0 };
	struct families families;

	start_families(w, map, &families);
	if (map->n_keys) {
		put_elements(w, index, store, &families, value);
	} else {
		store_get(store, index, no_key, value);
		put_element(map, &families, &no_labels, value);
	}
	for (unsigned i = 0; i < N_PARTS; i++)
		if (families.v[i].name)
			end_family(w, &families.v[i]);
}

void metrics_put_script(struct sp_buf *out, const struct bundle *bundle, const void *data, struct store *store)
{
	struct writing w = { .out = out, .bundle = bundle, .n_left = METRICS_ELEMENTS };
	struct sp_buf no_labels = { 0 };

	for (unsigned i = 0; i < bundle->n_globals; i++) {
		const struct sp_global *global = &bundle->globals[i];
		const char *name = bundle_text(bundle, global->name);
		struct family family;

		if (!bundle_shows_global(bundle, global))
			continue;
		family = start_value(&w, name, global->type);
		put_value(&family, &no_labels, (const uint8_t *)data + global->offset, global->type, global->size);
		end_family(&w, &family);
	}
	for (unsigned i = 0; i < bundle->n_maps; i++) {
		const struct sp_map *map = &bundle->maps[i];
		bool holds_values = map->kind == SP_MAP_STAT || map->value_type == SP_LONG || map->value_type == SP_STRING;

		if (holds_values && bundle_shows_map(bundle, map))
			put_map(&w, i, store);
	}
	if (w.left_out.len) {
		metrics_put_head(out, "spile_left_out", "gauge", "Arrays that have more elements than are shown.");
		sp_buf_add(out, w.left_out.data, w.left_out.len);
	}
	sp_vec_each(name, &w.names)
		free(*name);
	sp_vec_deinit(&w.names);
	sp_buf_deinit(&w.left_out);
}
