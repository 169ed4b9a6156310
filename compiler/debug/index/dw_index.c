// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem
#include "compiler/debug/index/dw_index.h"

#include "compiler/debug/index/dw_cache.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A page fault in a mapped file maps its neighbours, too (64 kB), so touching the header of each of a kernel's 2,000
// units would make most of .debug_info resident. The pages are dropped every FORGET_UNITS units.
#define FORGET_UNITS 32
#define CHUNK (1u << 20)
// The units of larger kernels are read as far as they are needed.
#define LAZY_FROM (16u << 20)
// Smaller files are read as fast as a saved index.
#define SAVE_FROM (1u << 16)
// Offsets of one string: more than one when the linker did not merge equal strings.
#define MAX_OFFSETS 64

// What .debug_aranges says of a unit.
struct arange {
	uint64_t start, end;
	Dwarf_Off off; // of the unit, in .debug_info
};

struct dw_index {
	SP_VEC(struct dw_unit) units; // those of .debug_info by offset, then those elsewhere; as far as they have been read
	size_t n_main; // units in .debug_info
	Dwarf_CU *last; // that was read; NULL: none
	bool has_all;
	struct dw_section info, str;
	bool has_info, has_str, is_broken;
	bool has_indexed_names; // DW_FORM_strx: names cannot be found by their offset
	bool has_aranges; // those have been read
	SP_VEC(struct arange) aranges; // by address
	bool has_without; // that has been looked for, too
	SP_VEC(size_t) without_aranges; // units that .debug_aranges says nothing about
	struct dw_names *names; // NULL: not yet read or made, or none can be had
	struct dw_cached cached; // what `names` was read from
	bool tried_saved, tried_making;
	bool has_split, warned_of_missing; // units of split DWARF
};

// Advice only: when it fails, more memory stays mapped.
static void advise(const struct dw_index *index, int advice)
{
	if (!index->has_info || index->info.fd < 0)
		return;
	uintptr_t page = sysconf(_SC_PAGESIZE);
	// Whole pages of the section alone: libelf may have changed something in the neighbours'.
	uintptr_t from = SP_ALIGN_UP((uintptr_t)index->info.data, page);
	uintptr_t to = ((uintptr_t)index->info.data + index->info.size) / page * page;
	if (from < to)
		madvise((void *)from, to - from, advice);
}

void dw_index_forget(struct dw_file *file)
{
	advise(file->index, MADV_DONTNEED);
}

// Once a file: all its units will be missing for the same reason.
static void warn_of_missing(struct dw_file *file, Dwarf_Die *skeleton)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &attr));
	const char *package = sp_arena_printf(&file->arena, "%s.dwp", file->debug_path);

	if (file->index->warned_of_missing)
		return;
	file->index->warned_of_missing = true;
	if (!name)
		name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr));
	if (access(package, R_OK) == 0)
		sp_log(file->log, SP_LOG_WARN, "%s: its debug information is in %s, which this version of libdw does not read "
		       "(elfutils 0.191 does)", file->debug_path, package);
	else
		sp_log(file->log, SP_LOG_WARN, "%s: its debug information is in %s and the like, which cannot be read",
		       file->debug_path, name ? name : ".dwo files");
}

static void add_unit(struct dw_index *index, Dwarf_Half version, uint8_t type, Dwarf_Die *die, const Dwarf_Die *sub)
{
	bool is_split = type == DW_UT_skeleton && sub->cu;
	struct dw_unit unit = {
		.cu = is_split ? sub->cu : die->cu,
		.skeleton = is_split ? die->cu : NULL,
		.off = dwarf_dieoffset(die) - dwarf_cuoffset(die),
		.end = index->info.size,
		.is_type = type == DW_UT_type,
		.is_elsewhere = is_split || (type == DW_UT_type && version < 5),
	};

	index->has_split |= is_split;
	// Units come in the order of .debug_info, then those of .debug_types.
	if (type != DW_UT_type || version >= 5) {
		if (index->units.n)
			sp_vec_last(&index->units).end = unit.off;
		index->n_main++;
	}
	sp_vec_push(&index->units, unit);
}

// libdw takes the units until the first that does not fit, and what a unit lacks at its end, for none. NULL: nothing.
static const char *what_is_wrong(const struct dw_index *index)
{
	uint32_t length;

	if (index->units.n == 0)
		return "no unit in .debug_info";
	if (!index->has_info || index->n_main == 0)
		return NULL;
	Dwarf_Off last = index->units.v[index->n_main - 1].off;
	if (last > index->info.size || index->info.size - last < sizeof(length))
		return "a unit behind the end of .debug_info";
	memcpy(&length, index->info.data + last, sizeof(length));
	// Lengths above that announce the 64-bit format.
	if (length < 0xfffffff0 && length > index->info.size - last - sizeof(length))
		return "a unit is longer than .debug_info";
	return NULL;
}

// Reads on until there are more than `n` units, or to the end; NULL: so far nothing is wrong.
static const char *read_units(struct dw_file *file, size_t n)
{
	struct dw_index *index = file->index;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die, sub;
	int status = 0;

	if (index->has_all || index->units.n > n)
		return NULL;
	advise(index, MADV_RANDOM);
	memset(&sub, 0, sizeof(sub));
	while (index->units.n <= n &&
	       (status = dwarf_get_units(file->dwarf, index->last, &index->last, &version, &type, &die, &sub)) == 0) {
		add_unit(index, version, type, &die, &sub);
		if (type == DW_UT_skeleton && !sub.cu)
			warn_of_missing(file, &die);
		memset(&sub, 0, sizeof(sub));
		if (index->units.n % FORGET_UNITS == 0)
			dw_index_forget(file);
	}
	advise(index, MADV_NORMAL);
	index->has_all = status != 0;
	return status < 0 ? dwarf_errmsg(-1) : index->has_all ? what_is_wrong(index) : NULL;
}

// In a kernel whose first units have been of use already.
static void need_units(struct dw_file *file, size_t n)
{
	// Some more at a time: each time changes what the kernel was advised.
	const char *wrong = read_units(file, n | (FORGET_UNITS - 1));

	if (wrong)
		sp_log(file->log, SP_LOG_WARN, "%s: broken debug information: %s", file->debug_path, wrong);
}

struct sp_err *dw_index_open(struct dw_file *file)
{
	if (file->index && file->index->is_broken)
		return sp_err_new(SP_ERR_FORMAT, "%s: broken debug information", file->debug_path);
	if (file->index)
		return NULL;
	struct dw_index *index = file->index = sp_calloc(1, sizeof(*index));
	struct dw_section offsets;
	index->has_info = dw_file_section(file, ".debug_info", &index->info);
	index->has_str = dw_file_section(file, ".debug_str", &index->str);
	index->has_indexed_names = dw_file_section(file, ".debug_str_offsets", &offsets);

	const char *wrong = read_units(file, file->is_kernel && index->info.size >= LAZY_FROM ? 0 : SIZE_MAX);
	index->is_broken = wrong;
	if (wrong)
		return sp_err_new(SP_ERR_FORMAT, "%s: broken debug information: %s", file->debug_path, wrong);
	return NULL;
}

// Among those that have been read: see unit_at().
static size_t known_unit_at(const struct dw_index *index, Dwarf_Off off)
{
	size_t low = 0, high = index->n_main;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (index->units.v[mid].off <= off)
			low = mid + 1;
		else
			high = mid;
	}
	return low && off < index->units.v[low - 1].end ? low - 1 : index->n_main;
}

// The unit whose bytes cover an offset in .debug_info; n_main: none.
static size_t unit_at(struct dw_file *file, Dwarf_Off off)
{
	const struct dw_index *index = file->index;

	// The end of the last one that was read is not known.
	while (!index->has_all && (!index->units.n || off >= sp_vec_last(&index->units).off))
		need_units(file, index->units.n);
	return known_unit_at(index, off);
}

static int by_start(const void *a, const void *b)
{
	const struct arange *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

// The set at `at` (DWARF 5 section 6.1.2); returns where the next one begins.
static const uint8_t *read_set(struct dw_index *index, const uint8_t *at, const uint8_t *end)
{
	uint32_t length, off;
	uint16_t version;

	memcpy(&length, at, sizeof(length));
	if (length > (size_t)(end - at) - 4)
		return end; // broken, or of the 64-bit format, which nobody writes
	end = at + 4 + length;
	if (length < 12)
		return end;
	memcpy(&version, at + 4, sizeof(version));
	memcpy(&off, at + 6, sizeof(off));
	if (version != 2 || at[10] != 8 || at[11] != 0) // size of an address, and of a segment
		return end;
	for (at += 16; (size_t)(end - at) >= 16; at += 16) {
		uint64_t range[2];
		memcpy(range, at, sizeof(range));
		if (range[1])
			sp_vec_push(&index->aranges, (struct arange){ range[0], range[0] + range[1], off });
	}
	return end;
}

// libdw has this, too, but reads all units for it.
static void read_aranges(struct dw_file *file)
{
	struct dw_index *index = file->index;
	struct dw_section section;

	if (index->has_aranges)
		return;
	index->has_aranges = true;
	if (!dw_file_section(file, ".debug_aranges", &section))
		return;
	for (const uint8_t *at = section.data, *end = at + section.size; end - at >= 4;)
		at = read_set(index, at, end);
	if (index->aranges.n)
		qsort(index->aranges.v, index->aranges.n, sizeof(*index->aranges.v), by_start);
}

static const struct arange *arange_at(const struct dw_index *index, uint64_t pc)
{
	size_t low = 0, high = index->aranges.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (index->aranges.v[mid].start <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low && pc < index->aranges.v[low - 1].end ? &index->aranges.v[low - 1] : NULL;
}

// clang writes no .debug_aranges, and assemblers often leave theirs out: those units are asked one by one.
static void find_without_aranges(struct dw_file *file)
{
	struct dw_index *index = file->index;
	bool *covered;

	if (index->has_without)
		return;
	index->has_without = true;
	need_units(file, SIZE_MAX);
	covered = sp_calloc(index->units.n + 1, sizeof(bool));
	sp_vec_each(arange, &index->aranges)
		covered[known_unit_at(index, arange->off)] = true;
	for (size_t i = 0; i < index->units.n; i++)
		if (!covered[i] && !index->units.v[i].is_type)
			sp_vec_push(&index->without_aranges, i);
	free(covered);
}

Dwarf_CU *dw_index_skeleton(const struct dw_file *file, Dwarf_CU *cu)
{
	for (size_t i = 0; file->index && file->index->has_split && i < file->index->units.n; i++)
		if (file->index->units.v[i].cu == cu && file->index->units.v[i].skeleton)
			return file->index->units.v[i].skeleton;
	return cu;
}

void dw_index_destroy(struct dw_index *index)
{
	if (!index)
		return;
	sp_vec_deinit(&index->units);
	sp_vec_deinit(&index->aranges);
	sp_vec_deinit(&index->without_aranges);
	dw_names_destroy(index->names);
	dw_cache_unmap(&index->cached);
	free(index);
}

size_t dw_index_count(struct dw_file *file)
{
	need_units(file, SIZE_MAX);
	return file->index->units.n;
}

const struct dw_unit *dw_index_unit(struct dw_file *file, size_t i)
{
	need_units(file, i);
	return i < file->index->units.n ? &file->index->units.v[i] : NULL;
}

void dw_index_die(const struct dw_file *file, size_t i, Dwarf_Die *ret)
{
	memset(ret, 0, sizeof(*ret));
	dwarf_cu_die(file->index->units.v[i].cu, ret, NULL, NULL, NULL, NULL, NULL, NULL);
}

bool dw_index_at_pc(struct dw_file *file, uint64_t pc, size_t *ret)
{
	struct dw_index *index = file->index;
	const struct arange *arange;

	read_aranges(file);
	arange = arange_at(index, pc);
	if (arange) {
		size_t i = unit_at(file, arange->off);
		if (i < index->n_main) {
			*ret = i;
			return true;
		}
	}
	find_without_aranges(file);
	sp_vec_each(unit, &index->without_aranges) {
		Dwarf_Die die;
		dw_index_die(file, *unit, &die);
		if (die.addr && dwarf_haspc(&die, pc) == 1) {
			*ret = *unit;
			return true;
		}
	}
	return false;
}

struct needle {
	uint8_t bytes[64];
	size_t len; // at least 3
};

typedef uint8_t vec16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t vec2 __attribute__((vector_size(16), aligned(1), may_alias));

// memmem(3) takes 50 ms for a kernel's .debug_info; comparing three bytes at 16 places at once takes a fifth of it.
static const uint8_t *find(const uint8_t *at, const uint8_t *end, const struct needle *needle)
{
	if ((size_t)(end - at) < needle->len)
		return NULL;
	const uint8_t *last = end - needle->len;
	const uint8_t *b = needle->bytes;
	for (; at + 18 <= end; at += 16) {
		vec16 hit = (vec16)(*(const vec16 *)at == b[0]) & (vec16)(*(const vec16 *)(at + 1) == b[1]) &
			    (vec16)(*(const vec16 *)(at + 2) == b[2]);
		vec2 any = (vec2)hit;
		if (!(any[0] | any[1]))
			continue;
		for (const uint8_t *p = at; p < at + 16 && p <= last; p++)
			if (memcmp(p, b, needle->len) == 0)
				return p;
	}
	for (; at <= last; at++)
		if (memcmp(at, b, needle->len) == 0)
			return at;
	return NULL;
}

struct search {
	const struct dw_index *index;
	const struct needle *needles;
	size_t n_needles;
	bool *seen; // by unit
	dw_unit_fn *fn;
	void *ctx;
};

static bool visit(struct search *search, size_t unit)
{
	if (search->seen[unit])
		return false;
	search->seen[unit] = true;
	return search->fn(search->ctx, unit);
}

// True: the caller of the search has enough.
static bool search_bytes(struct search *search, const uint8_t *data, size_t size, Dwarf_Off off,
			 const struct needle *needle)
{
	const struct dw_index *index = search->index;
	const uint8_t *at = data, *end = data + size;

	while ((at = find(at, end, needle))) {
		size_t i = known_unit_at(index, off + (at - data));
		if (i == index->n_main) {
			at++;
			continue;
		}
		if (visit(search, i))
			return true;
		// One hit is enough: go on behind the unit.
		uint64_t skip = index->units.v[i].end - off;
		if (skip >= size)
			break;
		at = data + skip;
	}
	return false;
}

// Read by pieces into a small buffer rather than through the mapping: that stays out of our resident memory.
static bool search_info(struct search *search)
{
	const struct dw_section *info = &search->index->info;
	size_t overlap = sizeof(search->needles->bytes);
	bool done = false;

	if (info->fd < 0) {
		for (size_t i = 0; i < search->n_needles && !done; i++)
			done = search_bytes(search, info->data, info->size, 0, &search->needles[i]);
		return done;
	}
	uint8_t *chunk = sp_malloc(CHUNK);
	for (uint64_t off = 0; !done && off < info->size; off += CHUNK - overlap) {
		ssize_t size = pread(info->fd, chunk, SP_MIN(CHUNK, info->size - off), (off_t)(info->file_off + off));
		if (size <= 0)
			break;
		for (size_t i = 0; i < search->n_needles && !done; i++)
			done = search_bytes(search, chunk, size, off, &search->needles[i]);
	}
	free(chunk);
	return done;
}

static void search_units(struct dw_file *file, const struct needle *needles, size_t n, bool all, dw_unit_fn *fn,
			 void *ctx)
{
	const struct dw_index *index = file->index;
	need_units(file, SIZE_MAX);
	struct search search = {
		.index = index,
		.needles = needles,
		.n_needles = n,
		.seen = sp_calloc(index->units.n + 1, sizeof(bool)),
		.fn = fn,
		.ctx = ctx,
	};
	bool done = !all && search_info(&search);

	for (size_t i = 0; i < index->units.n && !done; i++)
		if (all || index->units.v[i].is_elsewhere)
			done = visit(&search, i);
	free(search.seen);
}

// Equal strings and common tails may be shared, so a name begins anywhere in .debug_str. False: too many places.
static bool find_offsets(const struct dw_index *index, const char *name, struct needle *needles, size_t *n)
{
	const uint8_t *at = index->str.data, *end = index->has_str ? at + index->str.size : NULL;
	size_t len = strlen(name) + 1;

	while (end && (at = memmem(at, end - at, name, len))) {
		uint32_t off = at - index->str.data;
		if (*n > MAX_OFFSETS)
			return false;
		needles[*n].len = sizeof(off);
		memcpy(needles[(*n)++].bytes, &off, sizeof(off));
		at++;
	}
	return true;
}

// ---- the index of names ---------------------------------------------------------------------------------------------

static bool can_have_names(const struct dw_file *file)
{
	const struct dw_index *index = file->index;

	return index->has_info && !index->has_indexed_names && !file->alt.elf && index->n_main == index->units.n;
}

static struct dw_names_key names_key(const struct dw_file *file)
{
	struct dw_names_key key = {
		.build_id_len = file->build_id_len,
		.info_size = file->index->info.size,
		.n_units = file->index->has_all ? (uint32_t)file->index->units.n : 0,
	};

	memcpy(key.build_id, file->build_id, file->build_id_len);
	return key;
}

// NULL: it is not saved.
static char *names_path(const struct dw_file *file)
{
	struct sp_buf path = { 0 };

	if (!file->build_id_len || file->index->info.size < SAVE_FROM)
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
		sp_log(file->log, SP_LOG_INFO, "the index of %s is not saved: %s", file->debug_path, text);
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
	tell(file, dw_cache_map(path, &index->cached));
	if (!index->cached.bytes)
		return;
	index->names = dw_names_open(index->cached.bytes, index->cached.size, &key);
	if (index->names)
		return;
	sp_log(file->log, SP_LOG_INFO, "the saved index of %s is of no use", file->debug_path);
	dw_cache_unmap(&index->cached);
}

static void make_names(struct dw_file *file)
{
	struct dw_index *index = file->index;
	struct dw_scan_source source = { .info = index->info };
	need_units(file, SIZE_MAX);
	struct dw_names_key key = names_key(file);
	sp_cleanup_free char *path = names_path(file);
	sp_cleanup_free struct dw_names_unit *units = sp_calloc(index->units.n + 1, sizeof(*units));
	size_t size;

	index->tried_making = true;
	if (index->has_str)
		source.str = index->str;
	if (!dw_file_section(file, ".debug_abbrev", &source.abbrev))
		return;
	source.is_kernel = file->is_kernel;
	dw_file_section(file, ".debug_line", &source.lines.line);
	dw_file_section(file, ".debug_line_str", &source.lines.line_str);
	source.lines.str = source.str;
	for (size_t i = 0; i < index->units.n; i++)
		units[i] = (struct dw_names_unit){ index->units.v[i].off, index->units.v[i].end };
	index->names = dw_names_build(&source, units, &key);
	if (!index->names || !path)
		return;
	const uint8_t *bytes = dw_names_bytes(index->names, &size);
	tell(file, dw_cache_save(path, bytes, size));
}

// NULL: there is none, or none was saved and none shall be made.
static const struct dw_names *names_of(struct dw_file *file, bool make)
{
	struct dw_index *index = file->index;

	if (!can_have_names(file))
		return NULL;
	if (!index->tried_saved)
		read_saved(file);
	if (!index->names && make && !index->tried_making)
		make_names(file);
	return index->names;
}

bool dw_index_matching(struct dw_file *file, const char *pattern, unsigned kinds, dw_unit_fn *fn, void *ctx)
{
	const struct dw_names *names = names_of(file, true);

	if (names)
		dw_names_find(names, pattern, kinds, fn, ctx);
	return names;
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

	if (names)
		dw_names_files(names, pattern, fn, ctx);
	return names;
}

bool dw_index_funcs(struct dw_file *file, const char *pattern, dw_names_die_fn *fn, void *ctx)
{
	const struct dw_names *names = names_of(file, true);

	if (names)
		dw_names_funcs(names, pattern, fn, ctx);
	return names;
}

void dw_index_unit_funcs(struct dw_file *file, size_t unit, dw_names_func_fn *fn, void *ctx)
{
	const struct dw_names *names = names_of(file, true);

	if (names)
		dw_names_unit_funcs(names, unit, fn, ctx);
}

void dw_index_with_name(struct dw_file *file, const char *name, unsigned kinds, dw_unit_fn *fn, void *ctx)
{
	const struct dw_index *index = file->index;
	const struct dw_names *names = names_of(file, false);
	struct needle needles[MAX_OFFSETS + 1];
	size_t len = strlen(name), n = 0;
	bool all = index->has_indexed_names || file->alt.elf || !index->has_info || len < 2;

	if (names && !sp_has_glob(name)) {
		dw_names_find(names, name, kinds, fn, ctx);
		return;
	}
	// The name itself stands in .debug_info with DW_FORM_string: short ones with gcc, all with some others.
	if (!all) {
		needles[0].len = SP_MIN(len + 1, sizeof(needles->bytes));
		memcpy(needles[0].bytes, name, needles[0].len);
		n = 1;
		all = !find_offsets(index, name, needles, &n);
	}
	search_units(file, needles, n, all, fn, ctx);
}

void dw_index_with_refs(struct dw_file *file, const Dwarf_Off *offs, size_t n, dw_unit_fn *fn, void *ctx)
{
	bool all = !file->index->has_info || n > MAX_OFFSETS;
	struct needle needles[MAX_OFFSETS];

	for (size_t i = 0; !all && i < n; i++) {
		uint32_t off = offs[i];
		needles[i].len = sizeof(off);
		memcpy(needles[i].bytes, &off, sizeof(off));
	}
	search_units(file, needles, n, all, fn, ctx);
}
