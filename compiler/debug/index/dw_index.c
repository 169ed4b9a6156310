// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/index/dw_index.h"

#include "compiler/cache/cache.h"
#include "compiler/debug/index/dw_grep.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <stdlib.h>

// Bytes of .debug_info from which on an index is saved: smaller files are read as fast as a saved index.
#define SAVE_FROM (1u << 16)

// Searches for a name through all bytes of a kernel that take about as long as to make the index.
#define SEARCHES 4

struct dw_index {
	struct dw_names *names; // NULL: not yet read or made, or none can be had
	struct cache_mapped cached; // the saved index that `names` refers to
	bool tried_saved, tried_making;
	bool is_new; // it was made, and is to be saved
	unsigned n_searches; // without an index
	struct dw_scan *scan; // without an index, of the units one by one; NULL: none was asked for
	struct dw_scan_source source; // of `scan`
};

static bool can_have_names(const struct dw_file *file)
{
	const struct dw_units *units = file->units;

	return file->info_end == UINT64_MAX && units->has_info && units->n_main == units->list.n && dw_names_are_here(file);
}

static struct dw_names_key names_key(const struct dw_file *file)
{
	struct dw_names_key key = {
		.build_id_len = file->build_id_len,
		.info_size = file->units->info.size,
		.n_units = file->units->has_all ? (uint32_t)file->units->list.n : 0,
	};

	memcpy(key.build_id, file->build_id, file->build_id_len);
	return key;
}

// The name of the saved index in the cache; NULL: this file's index is not saved.
static char *names_path(const struct dw_file *file)
{
	struct sp_buf path = { 0 };

	if (!file->build_id_len || file->units->info.size < SAVE_FROM)
		return NULL;
	for (unsigned i = 0; i < file->build_id_len; i++)
		sp_buf_printf(&path, "%02x", file->build_id[i]);
	sp_buf_puts(&path, ".names");
	return sp_buf_take(&path);
}

static void tell(const struct dw_file *file, struct sp_err *err)
{
	sp_cleanup_free char *text = err ? sp_err_text(err) : NULL;

	if (err)
		sp_log(file->log, SP_LOG_INFO, "the index of %s cannot be saved or read: %s", file->debug_path, text);
	sp_err_free(err);
}

static void read_saved(struct dw_file *file)
{
	struct dw_index *index = file->index;
	struct dw_names_key key = names_key(file);
	sp_cleanup_free char *path = names_path(file);

	index->tried_saved = true;
	if (!path)
		return;
	tell(file, cache_map(path, &index->cached));
	if (!index->cached.bytes)
		return;
	index->names = dw_names_open(index->cached.bytes, index->cached.size, &key);
	if (index->names)
		return;
	sp_log(file->log, SP_LOG_INFO, "the saved index of %s is damaged or outdated, and not used", file->debug_path);
	cache_unmap(&index->cached);
}

// The sections that are scanned. False: the file has no abbreviations.
static bool open_source(struct dw_file *file, struct dw_scan_source *ret)
{
	*ret = (struct dw_scan_source){ .info = file->units->info, .is_kernel = file->is_kernel };
	if (!dw_file_section(file, ".debug_abbrev", &ret->abbrev))
		return false;
	dw_file_section(file, ".debug_str", &ret->str);
	dw_file_section(file, ".debug_line", &ret->lines.line);
	dw_file_section(file, ".debug_line_str", &ret->lines.line_str);
	ret->lines.str = ret->str;
	return true;
}

static void make_names(struct dw_file *file)
{
	struct dw_index *index = file->index;
	size_t n_units = dw_units_count(file);
	struct dw_scan_source source;
	struct dw_names_key key = names_key(file);
	sp_cleanup_free struct dw_names_unit *units = sp_calloc(n_units + 1, sizeof(*units));

	index->tried_making = true;
	if (!open_source(file, &source))
		return;
	for (size_t i = 0; i < n_units; i++)
		units[i] = (struct dw_names_unit){ file->units->list.v[i].off, file->units->list.v[i].end };
	index->names = dw_names_build(&source, units, &key);
	index->is_new = index->names;
}

// The file's index, read from the cache or, with `make`, made. NULL: it has none.
static const struct dw_names *names_of(struct dw_file *file, bool make)
{
	struct dw_index *index = file->index;

	if (!index)
		index = file->index = sp_calloc(1, sizeof(*index));
	if (!can_have_names(file))
		return NULL;
	if (!index->tried_saved)
		read_saved(file);
	if (!index->names && make && !index->tried_making)
		make_names(file);
	return index->names;
}

// Can it match headers, too, which are not in the index?
static bool is_for_sources(const char *pattern)
{
	size_t len = strlen(pattern);

	return len > 2 && pattern[len - 2] == '.' && pattern[len - 1] == 'c' && !strpbrk(pattern, "[\\");
}

bool dw_index_files(struct dw_file *file, const char *pattern, dw_unit_fn *fn, void *ctx)
{
	const struct dw_names *names = file->is_kernel && is_for_sources(pattern) ? names_of(file, false) : NULL;

	if (names) {
		dw_names_files(names, pattern, fn, ctx);
		dw_names_left_out(names, fn, ctx);
	}
	return names;
}

bool dw_index_funcs(struct dw_file *file, const char *pattern, dw_names_die_fn *fn, void *ctx)
{
	const struct dw_names *names = names_of(file, true);

	if (names)
		dw_names_funcs(names, pattern, fn, ctx);
	return names;
}

void dw_index_left_out(struct dw_file *file, dw_unit_fn *fn, void *ctx)
{
	const struct dw_names *names = names_of(file, false);

	if (names)
		dw_names_left_out(names, fn, ctx);
}

// Whoever asks reads the unit's DIEs next, through the mapping: so does this.
static struct dw_scan *scan_of(struct dw_file *file)
{
	struct dw_index *index = file->index;

	if (index->scan || !can_have_names(file) || !open_source(file, &index->source))
		return index->scan;
	index->source.info.fd = -1;
	index->source.only_funcs = true;
	return index->scan = dw_scan_create(&index->source);
}

struct offsets {
	SP_VEC(uint32_t) of_funcs;
};

static void note_func(void *ctx, enum dw_name_kind kind SP_UNUSED, const char *name SP_UNUSED, uint32_t die)
{
	struct offsets *offsets = ctx;

	sp_vec_push(&offsets->of_funcs, die);
}

static bool scan_funcs(struct dw_file *file, const struct dw_unit *unit, dw_names_func_fn *fn, void *ctx)
{
	struct dw_scan *scan = scan_of(file);
	struct offsets offsets = { 0 };
	bool ok = scan && dw_scan_unit(scan, unit->off, unit->end, note_func, &offsets);

	for (size_t i = 0; ok && i < offsets.of_funcs.n; i++)
		fn(ctx, offsets.of_funcs.v[i]);
	sp_vec_deinit(&offsets.of_funcs);
	return ok;
}

bool dw_index_unit_funcs(struct dw_file *file, size_t unit, dw_names_func_fn *fn, void *ctx)
{
	const struct dw_names *names = names_of(file, false);

	if (!names)
		return scan_funcs(file, &file->units->list.v[unit], fn, ctx);
	if (dw_names_leave_out(names, unit))
		return false;
	dw_names_unit_funcs(names, unit, fn, ctx);
	return true;
}

struct left_out {
	struct dw_file *file;
	const char *name;
	dw_unit_fn *fn;
	void *ctx;
	enum { NOT_ASKED, CAN_TELL, CANNOT_TELL } bytes; // which units hold the name
	struct dw_needles needles;
};

static bool look_in_left_out(void *ctx, size_t unit)
{
	struct left_out *l = ctx;

	if (l->bytes == NOT_ASKED)
		l->bytes = dw_needles_of_name(l->file, l->name, &l->needles) ? CAN_TELL : CANNOT_TELL;
	return (l->bytes == CANNOT_TELL || dw_grep_unit(l->file, unit, &l->needles)) && l->fn(l->ctx, unit);
}

static void find_name(struct dw_file *file, const struct dw_names *names, const char *name, unsigned kinds, dw_unit_fn *fn, void *ctx)
{
	struct left_out left_out = { .file = file, .name = name, .fn = fn, .ctx = ctx };

	if (!dw_names_find(names, name, kinds, fn, ctx))
		dw_names_left_out(names, look_in_left_out, &left_out);
}

void dw_index_with_name(struct dw_file *file, const char *name, unsigned kinds, dw_unit_fn *fn, void *ctx)
{
	bool makes = file->is_kernel && file->index && file->index->n_searches >= SEARCHES;
	const struct dw_names *names = sp_has_glob(name) ? NULL : names_of(file, makes);
	bool defines = file->is_kernel && kinds == DW_NAMES(DW_NAME_FUNC) && can_have_names(file);
	struct dw_scan_source source;

	if (names) {
		find_name(file, names, name, kinds, fn, ctx);
		return;
	}
	if (file->index)
		file->index->n_searches++;
	if (defines && open_source(file, &source))
		dw_grep_definitions(file, &source, name, fn, ctx);
	else
		dw_grep_name(file, name, fn, ctx);
}

static void save(const struct dw_file *file)
{
	sp_cleanup_free char *path = names_path(file);
	size_t size;
	const uint8_t *bytes = dw_names_bytes(file->index->names, &size);

	if (path)
		tell(file, cache_save(path, bytes, size));
}

void dw_index_close(struct dw_file *file)
{
	struct dw_index *index = file->index;

	if (!index)
		return;
	if (index->is_new)
		save(file);
	dw_names_destroy(index->names);
	dw_scan_destroy(index->scan);
	cache_unmap(&index->cached);
	free(index);
	file->index = NULL;
}
