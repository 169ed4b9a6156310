// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/index/dw_units.h"

#include "compiler/debug/dwarf/dw_attr.h"

#include "compiler/cache/look.h"

#include "runtime/base/cleanup.h"

#include <dwarf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A page fault in a mapped file maps its neighbours, too (64 kB), so touching the header of each of a kernel's 2,000
// units would make most of .debug_info resident. The pages are dropped every FORGET_UNITS units.
#define FORGET_UNITS 32
// Bytes of .debug_info from which on the headers of a kernel's units are read only as they are needed.
#define LAZY_FROM (16u << 20)

// madvise() for a section. When it fails, more memory stays resident, and that is all.
static void advise(const struct dw_section *section, int advice)
{
	if (section->fd < 0 || !section->size)
		return;
	uintptr_t page = sysconf(_SC_PAGESIZE);
	// Only pages that belong to the section as a whole: libelf may have changed bytes of the neighbouring sections.
	uintptr_t from = SP_ALIGN_UP((uintptr_t)section->data, page);
	uintptr_t to = ((uintptr_t)section->data + section->size) / page * page;
	if (from < to)
		madvise((void *)from, to - from, advice);
}

void dw_units_forget(struct dw_file *file)
{
	static const char *const names[] = { ".debug_info",	".debug_str",	   ".debug_line", ".debug_loclists",
					     ".debug_loc",	".debug_rnglists", ".debug_ranges" };
	struct dw_section section;

	for (size_t i = 0; i < SP_ARRAY_SIZE(names) && file->units->info.size >= LAZY_FROM; i++)
		if (dw_file_section(file, names[i], &section))
			advise(&section, MADV_DONTNEED);
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(die, name, &attr));
}

static const char *dwo_name(Dwarf_Die *skeleton)
{
	const char *name = text_of(skeleton, DW_AT_dwo_name);

	return name ? name : text_of(skeleton, DW_AT_GNU_dwo_name);
}

// libdw opens the .dwo file of a unit by itself: from the folder of the file on, else from the folder in which it was compiled. Both
// places are inputs.
static void note_split(struct dw_file *file, Dwarf_Die *skeleton, bool is_found)
{
	sp_cleanup_free char *real = realpath(file->debug_path, NULL);
	const char *name = dwo_name(skeleton), *dir = text_of(skeleton, DW_AT_comp_dir);
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	bool is_there = file->packed.elf;

	for (int at_dir = 0; real && name && at_dir <= (dir != NULL); at_dir++) {
		path.len = 0;
		if (*name != '/' && !(at_dir && *dir == '/'))
			sp_buf_printf(&path, "%.*s", (int)(strrchr(real, '/') + 1 - real), real);
		if (*name != '/' && at_dir)
			sp_buf_printf(&path, "%s/", dir);
		sp_buf_puts(&path, name);
		look_note_opened(sp_buf_str(&path));
		is_there |= access(sp_buf_str(&path), R_OK) == 0;
	}
	// A decompressed copy is in another folder.
	if (!real || !name || file->plain.elf || is_found != is_there)
		look_obstacle("debug information is split, and it is not known where libdw has found it");
}

// Warns once for each file: all its split units will be missing for the same reason.
static void warn_of_missing(struct dw_file *file, Dwarf_Die *skeleton)
{
	const char *name = dwo_name(skeleton);
	const char *package = sp_arena_printf(&file->arena, "%s.dwp", file->debug_path);

	if (file->units->warned_of_missing)
		return;
	file->units->warned_of_missing = true;
	sp_log(file->log, SP_LOG_WARN, "%s: debug information of it is in %s, which cannot be read, and not in %s%s", file->debug_path,
	       name ? name : ".dwo files", package, access(package, R_OK) == 0 ? "" : ", which does not exist");
}

static void add_unit(struct dw_units *units, Dwarf_Half version, uint8_t type, Dwarf_Die *die, const Dwarf_Die *sub)
{
	bool is_split = type == DW_UT_skeleton && sub->cu;
	struct dw_unit unit = {
		.cu = is_split ? sub->cu : die->cu,
		.skeleton = is_split ? die->cu : NULL,
		.off = dwarf_dieoffset(die) - dwarf_cuoffset(die),
		.end = units->info.size,
		.is_type = type == DW_UT_type,
		.is_elsewhere = is_split || (type == DW_UT_type && version < 5),
	};

	units->has_split |= is_split;
	// Units come in the order of .debug_info, then those of .debug_types.
	if (type != DW_UT_type || version >= 5) {
		if (units->list.n)
			sp_vec_last(&units->list).end = unit.off;
		units->n_main++;
	}
	sp_vec_push(&units->list, unit);
}

// What is wrong with .debug_info; NULL: nothing. libdw does not tell: it stops at the first unit that does not fit the section as
// if the list ended there.
static const char *what_is_wrong(const struct dw_units *units)
{
	uint32_t length;

	if (units->list.n == 0)
		return "no unit in .debug_info";
	if (!units->has_info || units->n_main == 0)
		return NULL;
	Dwarf_Off last = units->list.v[units->n_main - 1].off;
	if (last > units->info.size || units->info.size - last < sizeof(length))
		return "a unit behind the end of .debug_info";
	memcpy(&length, units->info.data + last, sizeof(length));
	// Lengths from 0xfffffff0 on announce the 64-bit format.
	if (length < 0xfffffff0 && length > units->info.size - last - sizeof(length))
		return "a unit is longer than .debug_info";
	return NULL;
}

// Where the unit in .debug_info ends that begins at `off`; UINT64_MAX: there is none, or its length is not understood.
static uint64_t end_of(const struct dw_units *units, uint64_t off)
{
	uint32_t length = UINT32_MAX;

	if (off < units->info.size && units->info.size - off >= sizeof(length))
		memcpy(&length, units->info.data + off, sizeof(length));
	return length < 0xfffffff0 ? off + sizeof(length) + length : UINT64_MAX;
}

// Is the next unit, behind the last one, there as a whole? Of a program that has only its first units it need not be.
static bool has_next(const struct dw_file *file)
{
	const struct dw_units *units = file->units;
	uint64_t off = units->list.n ? end_of(units, sp_vec_last(&units->list).off) : 0;

	return file->info_end == UINT64_MAX || end_of(units, off) <= file->info_end;
}

// Reads headers until there are more than `n` units, or to the end. NULL: nothing was wrong so far.
static const char *read_list(struct dw_file *file, size_t n)
{
	struct dw_units *units = file->units;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die, sub;
	int status = 0;
	bool is_cut = false;

	if (units->has_all || units->list.n > n)
		return NULL;
	advise(&units->info, MADV_RANDOM);
	memset(&sub, 0, sizeof(sub));
	while (units->list.n <= n && !(is_cut = !has_next(file)) &&
	       (status = dwarf_get_units(file->dwarf, units->last, &units->last, &version, &type, &die, &sub)) == 0) {
		add_unit(units, version, type, &die, &sub);
		if (type == DW_UT_skeleton)
			note_split(file, &die, sub.cu);
		if (type == DW_UT_skeleton && !sub.cu)
			warn_of_missing(file, &die);
		memset(&sub, 0, sizeof(sub));
		if (units->list.n % FORGET_UNITS == 0)
			advise(&units->info, MADV_DONTNEED);
	}
	advise(&units->info, MADV_NORMAL);
	units->has_all = status != 0 || is_cut;
	return status < 0 ? dwarf_errmsg(-1) : units->has_all && !is_cut ? what_is_wrong(units) : NULL;
}

// Reads headers until unit `n` is known. What is wrong is only a warning here: the first units have been used already.
static void read_up_to(struct dw_file *file, size_t n)
{
	// In batches, as read_list() changes the advice for the whole section each time.
	const char *wrong = read_list(file, n | (FORGET_UNITS - 1));

	if (wrong)
		sp_log(file->log, SP_LOG_WARN, "%s: broken debug information: %s", file->debug_path, wrong);
}

struct sp_err *dw_units_open(struct dw_file *file)
{
	if (file->units && file->units->is_broken)
		return sp_err_new(SP_ERR_FORMAT, "%s: broken debug information", file->debug_path);
	if (file->units)
		return NULL;
	struct dw_units *units = file->units = sp_calloc(1, sizeof(*units));
	units->info.fd = -1;
	units->has_info = dw_file_section(file, ".debug_info", &units->info);

	const char *wrong = read_list(file, file->is_kernel && units->info.size >= LAZY_FROM ? 0 : SIZE_MAX);
	units->is_broken = wrong;
	if (wrong)
		return sp_err_new(SP_ERR_FORMAT, "%s: broken debug information: %s", file->debug_path, wrong);
	return NULL;
}

size_t dw_units_of_offset(const struct dw_units *units, Dwarf_Off off)
{
	size_t behind = sp_bisect(units->n_main, i, units->list.v[i].off > off);

	return behind && off < units->list.v[behind - 1].end ? behind - 1 : units->n_main;
}

// The unit whose bytes cover an offset in .debug_info; n_main: none.
static size_t unit_at(struct dw_file *file, Dwarf_Off off)
{
	const struct dw_units *units = file->units;

	// The last unit that was read ends where the next one begins, so that one must be read, too.
	while (!units->has_all && (!units->list.n || off >= sp_vec_last(&units->list).off))
		read_up_to(file, units->list.n);
	return dw_units_of_offset(units, off);
}

static int by_start(const void *a, const void *b)
{
	const struct dw_arange *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

// Reads the set of address ranges at `at` (DWARF 5 section 6.1.2); returns where the next one begins.
static const uint8_t *read_set(struct dw_units *units, const uint8_t *at, const uint8_t *end)
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
			sp_vec_push(&units->aranges, (struct dw_arange){ range[0], range[0] + range[1], off });
	}
	return end;
}

// Reads .debug_aranges. dwarf_getaranges() of libdw would read the headers of all units for it.
static void read_aranges(struct dw_file *file)
{
	struct dw_units *units = file->units;
	struct dw_section section;

	if (units->has_aranges)
		return;
	units->has_aranges = true;
	if (!dw_file_section(file, ".debug_aranges", &section))
		return;
	for (const uint8_t *at = section.data, *end = at + section.size; end - at >= 4;)
		at = read_set(units, at, end);
	if (units->aranges.n)
		qsort(units->aranges.v, units->aranges.n, sizeof(*units->aranges.v), by_start);
}

static const struct dw_arange *arange_at(const struct dw_units *units, uint64_t pc)
{
	size_t behind = sp_bisect(units->aranges.n, i, units->aranges.v[i].start > pc);

	return behind && pc < units->aranges.v[behind - 1].end ? &units->aranges.v[behind - 1] : NULL;
}

// Notes the units that .debug_aranges does not cover, which are asked one by one: clang writes no .debug_aranges, and assemblers
// often none.
static void find_without_aranges(struct dw_file *file)
{
	struct dw_units *units = file->units;
	bool *covered;

	if (units->has_without)
		return;
	units->has_without = true;
	read_up_to(file, SIZE_MAX);
	covered = sp_calloc(units->list.n + 1, sizeof(bool));
	sp_vec_each(arange, &units->aranges)
		covered[dw_units_of_offset(units, arange->off)] = true;
	for (size_t i = 0; i < units->list.n; i++)
		if (!covered[i] && !units->list.v[i].is_type)
			sp_vec_push(&units->without_aranges, i);
	free(covered);
}

Dwarf_CU *dw_units_skeleton(const struct dw_file *file, Dwarf_CU *cu)
{
	for (size_t i = 0; file->units && file->units->has_split && i < file->units->list.n; i++)
		if (file->units->list.v[i].cu == cu && file->units->list.v[i].skeleton)
			return file->units->list.v[i].skeleton;
	return cu;
}

static bool look_at_types(Dwarf *object, dw_type_fn *fn, void *ctx)
{
	Dwarf_Die unit, type;
	Dwarf_CU *cu = NULL;
	uint8_t kind;

	while (dwarf_get_units(object, cu, &cu, NULL, &kind, &unit, &type) == 0) {
		uint64_t signature;
		if ((kind == DW_UT_type || kind == DW_UT_split_type) && type.addr &&
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &signature, NULL, NULL) >= 0 && fn(ctx, &unit, &type, signature))
			return true;
	}
	return false;
}

bool dw_units_split_types(struct dw_file *file, dw_type_fn *fn, void *ctx)
{
	Dwarf *last = NULL; // all units of a package are in one object

	for (size_t i = 0; file->units && file->units->has_split && i < file->units->list.n; i++) {
		const struct dw_unit *unit = &file->units->list.v[i];
		Dwarf *object = unit->skeleton ? dwarf_cu_getdwarf(unit->cu) : NULL;
		if (object && object != last && look_at_types(object, fn, ctx))
			return true;
		last = object ? object : last;
	}
	return false;
}

struct signed_type {
	uint64_t signature;
	Dwarf_Die *ret;
};

static bool has_signature(void *ctx, Dwarf_Die *unit SP_UNUSED, Dwarf_Die *type, uint64_t signature)
{
	const struct signed_type *wanted = ctx;
	bool is_it = signature == wanted->signature;
	if (is_it)
		*wanted->ret = *type;
	return is_it;
}

bool dw_units_signed_type(struct dw_file *file, Dwarf_Attribute *attr, Dwarf_Die *ret)
{
	struct signed_type wanted = { .ret = ret };
	if (dwarf_whatform(attr) != DW_FORM_ref_sig8)
		return false;
	memcpy(&wanted.signature, attr->valp, sizeof(wanted.signature));
	return dw_units_split_types(file, has_signature, &wanted);
}

bool dw_units_whole_type(struct dw_file *file, Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	return dw_attr_signature(die, ret) || (dwarf_attr(die, DW_AT_signature, &attr) && dw_units_signed_type(file, &attr, ret) && ret->addr != die->addr);
}

void dw_units_destroy(struct dw_units *units)
{
	if (!units)
		return;
	sp_vec_deinit(&units->list);
	sp_vec_deinit(&units->aranges);
	sp_vec_deinit(&units->without_aranges);
	free(units);
}

size_t dw_units_count(struct dw_file *file)
{
	read_up_to(file, SIZE_MAX);
	return file->units->list.n;
}

const struct dw_unit *dw_units_at(struct dw_file *file, size_t i)
{
	read_up_to(file, i);
	return i < file->units->list.n ? &file->units->list.v[i] : NULL;
}

void dw_units_die(const struct dw_file *file, size_t i, Dwarf_Die *ret)
{
	memset(ret, 0, sizeof(*ret));
	dwarf_cu_die(file->units->list.v[i].cu, ret, NULL, NULL, NULL, NULL, NULL, NULL);
}

bool dw_units_at_pc(struct dw_file *file, uint64_t pc, size_t *ret)
{
	struct dw_units *units = file->units;
	const struct dw_arange *arange;

	read_aranges(file);
	arange = arange_at(units, pc);
	if (arange) {
		size_t i = unit_at(file, arange->off);
		if (i < units->n_main) {
			*ret = i;
			return true;
		}
	}
	find_without_aranges(file);
	sp_vec_each(unit, &units->without_aranges) {
		Dwarf_Die die;
		dw_units_die(file, *unit, &die);
		if (die.addr && dwarf_haspc(&die, pc) == 1) {
			*ret = *unit;
			return true;
		}
	}
	return false;
}
