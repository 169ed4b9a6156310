// SPDX-License-Identifier: GPL-2.0-or-later
// The names of files and the rows that number them share one table, so they are in one file of more than 600 lines.
#include "compiler/debug/dwarf/dw_line.h"

#include "compiler/debug/dwarf/dw_rows.h"
#include "compiler/debug/index/dw_units.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_FILES 100000
#define MAX_FORMATS 16

struct entry {
	const char *name;
	uint64_t dir;
	const char *path; // made when it is asked for
};

struct table {
	Dwarf_CU *program; // the unit; of a split one its skeleton, which has the lines and the compilation directory
	const char *comp_dir; // NULL: not known
	SP_VEC(const char *) dirs;
	SP_VEC(struct entry) files;
	unsigned version;
};

struct dw_lines {
	struct sp_hash tables; // Dwarf_CU * -> struct table *
	Elf *elf; // the image that `sections` are of; NULL: none yet
	struct dw_line_source sections;
	const struct table *unit; // whose rows these are; NULL: none have been read
	struct dw_rows rows;
};

static void table_deinit(struct table *table)
{
	sp_vec_deinit(&table->dirs);
	sp_vec_deinit(&table->files);
}

static void table_free(struct table *table)
{
	table_deinit(table);
	free(table);
}

void dw_lines_destroy(struct dw_lines *lines)
{
	if (!lines)
		return;
	sp_hash_each(it, &lines->tables)
		table_free(it->value);
	sp_hash_deinit(&lines->tables);
	dw_rows_deinit(&lines->rows);
	free(lines);
}

// Reads forward; at the end, or when something does not fit, `ok` turns false and all reads give 0.
struct reader {
	const uint8_t *at, *end;
	bool ok, is_64;
	struct dw_section str, line_str;
};

static uint64_t get(struct reader *r, unsigned size)
{
	uint64_t value = 0;

	if (!r->ok || (size_t)(r->end - r->at) < size) {
		r->ok = false;
		return 0;
	}
	memcpy(&value, r->at, size); // little-endian file, checked in dw_file.c; so are the hosts that we build for
	r->at += size;
	return value;
}

static uint64_t get_uleb(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = get(r, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

static const char *get_string(struct reader *r)
{
	const uint8_t *nul = r->ok ? memchr(r->at, 0, r->end - r->at) : NULL;
	const char *s = (const char *)r->at;

	if (!nul) {
		r->ok = false;
		return "";
	}
	r->at = nul + 1;
	return s;
}

static const char *string_at(struct reader *r, const struct dw_section *section, uint64_t off)
{
	if (off >= section->size || !memchr(section->data + off, 0, section->size - off)) {
		r->ok = false;
		return "";
	}
	return (const char *)section->data + off;
}

// One field of a version 5 entry (DWARF 5 section 6.2.4.1).
static void get_form(struct reader *r, uint64_t form, const char **string_ret, uint64_t *value_ret)
{
	switch (form) {
	case DW_FORM_string:
		*string_ret = get_string(r);
		break;
	case DW_FORM_line_strp:
		*string_ret = string_at(r, &r->line_str, get(r, r->is_64 ? 8 : 4));
		break;
	case DW_FORM_strp:
		*string_ret = string_at(r, &r->str, get(r, r->is_64 ? 8 : 4));
		break;
	case DW_FORM_udata:
		*value_ret = get_uleb(r);
		break;
	case DW_FORM_data1:
		*value_ret = get(r, 1);
		break;
	case DW_FORM_data2:
		*value_ret = get(r, 2);
		break;
	case DW_FORM_data4:
		*value_ret = get(r, 4);
		break;
	case DW_FORM_data8:
		*value_ret = get(r, 8);
		break;
	case DW_FORM_data16:
		get(r, 8);
		get(r, 8);
		break;
	case DW_FORM_block: {
		uint64_t size = get_uleb(r);
		if (size > (uint64_t)(r->end - r->at))
			r->ok = false;
		else
			r->at += size;
		break;
	}
	default:
		r->ok = false;
	}
}

static void read_entries_v5(struct reader *r, struct table *table, bool is_files)
{
	struct {
		uint64_t content, form;
	} formats[MAX_FORMATS];
	uint64_t n_formats = get(r, 1);

	if (n_formats > MAX_FORMATS)
		r->ok = false;
	for (uint64_t i = 0; r->ok && i < n_formats; i++) {
		formats[i].content = get_uleb(r);
		formats[i].form = get_uleb(r);
	}
	uint64_t n = get_uleb(r);
	for (uint64_t i = 0; r->ok && i < n && i < MAX_FILES; i++) {
		struct entry entry = { .name = "" };
		for (uint64_t j = 0; j < n_formats; j++) {
			const char *string = NULL;
			uint64_t value = 0;
			get_form(r, formats[j].form, &string, &value);
			if (formats[j].content == DW_LNCT_path && string)
				entry.name = string;
			else if (formats[j].content == DW_LNCT_directory_index)
				entry.dir = value;
		}
		if (is_files)
			sp_vec_push(&table->files, entry);
		else
			sp_vec_push(&table->dirs, entry.name);
	}
}

// Before version 5, directory 0 (the compilation directory) and file 0 (no file) are not in the tables.
static void read_entries_v2(struct reader *r, struct table *table)
{
	sp_vec_push(&table->dirs, "");
	for (const char *dir; *(dir = get_string(r)) && table->dirs.n < MAX_FILES;)
		sp_vec_push(&table->dirs, dir);
	sp_vec_push(&table->files, (struct entry){ 0 });
	for (const char *name; *(name = get_string(r)) && table->files.n < MAX_FILES;) {
		struct entry entry = { .name = name, .dir = get_uleb(r) };
		get_uleb(r); // time
		get_uleb(r); // size
		sp_vec_push(&table->files, entry);
	}
}

// DWARF 5 section 6.2.4, and the same section of versions 2 to 4.
static void read_header(struct reader *r, struct table *table)
{
	uint64_t length = get(r, 4);

	if (length == 0xffffffff) {
		r->is_64 = true;
		length = get(r, 8);
	}
	if (length > (uint64_t)(r->end - r->at))
		r->ok = false;
	else
		r->end = r->at + length;
	table->version = get(r, 2);
	if (table->version < 2 || table->version > 5)
		r->ok = false;
	if (table->version >= 5)
		get(r, 2); // address and segment sizes
	get(r, r->is_64 ? 8 : 4); // header length
	get(r, table->version >= 4 ? 5 : 4); // instruction length, operations, is_stmt, line base and range
	uint64_t n_opcodes = get(r, 1);
	for (uint64_t i = 1; i < n_opcodes; i++)
		get(r, 1);
	if (table->version >= 5) {
		read_entries_v5(r, table, false);
		read_entries_v5(r, table, true);
	} else {
		read_entries_v2(r, table);
	}
}

static const struct dw_line_source *sections_of(struct dw_lines *lines, Elf *elf)
{
	struct dw_line_source *sections = &lines->sections;

	if (lines->elf == elf)
		return sections;
	lines->elf = elf;
	*sections = (struct dw_line_source){ 0 };
	dw_elf_section(elf, ".debug_line", &sections->line);
	dw_elf_section(elf, ".debug_str", &sections->str);
	dw_elf_section(elf, ".debug_line_str", &sections->line_str);
	return sections;
}

static bool open_at(const struct dw_line_source *in, uint64_t off, struct reader *r)
{
	if (off >= in->line.size)
		return false;
	*r = (struct reader){ .at = in->line.data + off, .end = in->line.data + in->line.size, .ok = true,
			      .str = in->str, .line_str = in->line_str };
	return true;
}

// Finds the table of file names that a unit's declarations number. A split unit of gcc has one of its own (.debug_line.dwo);
// with clang the skeleton's table serves for both.
static bool open_table(struct dw_lines *lines, Dwarf_CU *cu, Dwarf_Die *skeleton, struct reader *r)
{
	const struct dw_line_source *in = sections_of(lines, dwarf_getelf(dwarf_cu_getdwarf(skeleton->cu)));
	Elf *own = cu == skeleton->cu ? NULL : dwarf_getelf(dwarf_cu_getdwarf(cu));
	struct dw_section names;
	Dwarf_Attribute attr;
	Dwarf_Word off = 0;

	if (own && dw_elf_section(own, ".debug_line.dwo", &names)) {
		*r = (struct reader){ .at = names.data, .end = names.data + names.size, .ok = true };
		dw_elf_section(own, ".debug_str.dwo", &r->str);
		return true;
	}
	return dwarf_attr(skeleton, DW_AT_stmt_list, &attr) && dwarf_formudata(&attr, &off) == 0 && open_at(in, off, r);
}

static struct table *read_table(struct dw_file *file, Dwarf_CU *cu)
{
	struct table *table = sp_calloc(1, sizeof(*table));
	Dwarf_Attribute attr;
	struct reader r;
	Dwarf_Die die;

	table->program = dw_units_skeleton(file, cu);
	memset(&die, 0, sizeof(die));
	if (!dwarf_cu_die(table->program, &die, NULL, NULL, NULL, NULL, NULL, NULL))
		return table;
	table->comp_dir = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attr));
	if (open_table(file->lines, cu, &die, &r))
		read_header(&r, table);
	return table;
}

static struct table *table_of(struct dw_file *file, Dwarf_CU *cu)
{
	if (!file->lines)
		file->lines = sp_calloc(1, sizeof(*file->lines));
	void **slot = sp_hash_insert(&file->lines->tables, &cu, sizeof(cu));
	if (!*slot)
		*slot = read_table(file, cu);
	return *slot;
}

// "/a/./b//../c" -> "/a/c". A ".." that leads above the start of a relative path stays.
static char *clean_path(const char *path)
{
	char *out = sp_malloc(strlen(path) + 2), *end = out;
	bool absolute = *path == '/';
	size_t depth = 0; // components in `out` that ".." can take back

	if (absolute)
		*end++ = '/';
	while (*path) {
		size_t len = strcspn(path, "/");
		bool is_up = len == 2 && path[0] == '.' && path[1] == '.';
		if (len == 0 || (len == 1 && path[0] == '.')) {
			// nothing to add
		} else if (is_up && depth) {
			while (end > out && end[-1] != '/')
				end--;
			end -= end > out + absolute;
			depth--;
		} else if (!is_up || !absolute) {
			if (end > out && end[-1] != '/')
				*end++ = '/';
			memcpy(end, path, len);
			end += len;
			depth += !is_up;
		}
		path += len;
		path += *path == '/';
	}
	*end = '\0';
	return out;
}

// The length of the beginning of a kernel's absolute path that is left out: the folders that it has in common with the compilation
// directory. Kernels are built below or beside their sources: of "/b/src/fs/open.c", built in "/b/out", "src/fs/open.c" is left.
static size_t strip_length(const char *path, const char *comp_dir)
{
	size_t i = 0, common = 0;

	while (path[i] && path[i] == comp_dir[i]) {
		if (path[i] == '/')
			common = i + 1;
		i++;
	}
	if (!comp_dir[i] && path[i] == '/')
		return i + 1;
	return common > 1 ? common : 0;
}

// The path relative to the kernel's sources, wherever they were when it was built.
static char *kernel_path(const char *path, const char *comp_dir)
{
	sp_cleanup_free char *clean = clean_path(path);
	sp_cleanup_free char *base = clean_path(comp_dir);

	if (sp_starts_with(clean, "../") && *base == '/') {
		struct sp_buf buf = { 0 };
		sp_buf_printf(&buf, "%s/%s", base, clean);
		free(clean);
		clean = clean_path(buf.data);
		sp_buf_deinit(&buf);
	}
	size_t strip = *clean == '/' && *base == '/' ? strip_length(clean, base) : 0;
	return sp_strdup(clean + strip);
}

// The path of an entry. A program's file keeps the name that the compiler gave it, behind the entry's directory: directory 0 is the
// compilation directory, others may be relative to it.
static char *make_path(const struct table *table, const struct entry *entry, bool is_kernel)
{
	const char *dir = entry->dir < table->dirs.n ? table->dirs.v[entry->dir] : "";
	const char *comp_dir = table->comp_dir ? table->comp_dir : "";
	struct sp_buf buf = { 0 };
	char *path;

	if (entry->dir == 0 && !*dir)
		dir = comp_dir;
	if (*entry->name != '/' && *dir && !(entry->dir == 0 && is_kernel))
		sp_buf_printf(&buf, "%s/", dir);
	sp_buf_puts(&buf, entry->name);
	if (!is_kernel)
		return sp_buf_take(&buf);
	path = kernel_path(sp_buf_str(&buf), comp_dir);
	sp_buf_deinit(&buf);
	return path;
}

bool dw_line_kernel_paths(const struct dw_line_source *source, uint64_t off, const char *comp_dir, dw_line_path_fn *fn,
			  void *ctx)
{
	struct table table = { .comp_dir = comp_dir };
	struct reader r = { 0 };

	if (open_at(source, off, &r))
		read_header(&r, &table);
	for (size_t i = 0; r.ok && i < table.files.n; i++) {
		const char *name = table.files.v[i].name;
		size_t len = name ? strlen(name) : 0;
		if (!len || (len > 2 && sp_streq(name + len - 2, ".h")))
			continue;
		sp_cleanup_free char *path = make_path(&table, &table.files.v[i], true);
		fn(ctx, path);
	}
	table_deinit(&table);
	return r.ok;
}

// Path of entry `index` of the unit's file table; NULL: no such entry.
static const char *file_path(struct dw_file *file, Dwarf_CU *cu, uint64_t index)
{
	struct table *table = table_of(file, cu);

	if (index >= table->files.n || !table->files.v[index].name)
		return NULL;
	struct entry *entry = &table->files.v[index];
	if (!entry->path) {
		sp_cleanup_free char *path = make_path(table, entry, file->is_kernel);
		entry->path = sp_arena_strdup(&file->arena, path);
	}
	return entry->path;
}

bool dw_line_entry(struct dw_file *file, Dwarf_CU *cu, uint64_t index, struct dw_line_name *ret)
{
	const struct table *table = table_of(file, cu);
	const struct entry *entry = index < table->files.n ? &table->files.v[index] : NULL;

	if (!entry || !entry->name)
		return false;
	*ret = (struct dw_line_name){ .name = entry->name, .dir = entry->dir < table->dirs.n ? table->dirs.v[entry->dir] : "",
				      .dir_number = entry->dir };
	if (!entry->dir && !*ret->dir && table->comp_dir)
		ret->dir = table->comp_dir;
	return true;
}

void dw_line_place(struct dw_file *file, Dwarf_Die *die, const unsigned attrs[2], const char **path_ret, unsigned *line_ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	*path_ret = NULL;
	*line_ret = 0;
	// The attribute may come from an abstract origin in another unit: then the number is one of that unit's table.
	if (dwarf_attr_integrate(die, attrs[0], &attr) && dwarf_formudata(&attr, &value) == 0)
		*path_ret = file_path(file, attr.cu, value);
	if (dwarf_attr_integrate(die, attrs[1], &attr) && dwarf_formudata(&attr, &value) == 0)
		*line_ret = value;
}

bool dw_line_match(const char *path, const char *pattern)
{
	for (const char *tail = path, *slash;; tail = slash + 1) {
		if (sp_glob_match(pattern, tail))
			return true;
		if (!(slash = strchr(tail, '/')))
			return false;
	}
}

// The end of the pattern that has no wildcard or '/': every path that matches ends with it.
static const char *fixed_end(const char *pattern)
{
	const char *end = pattern + strlen(pattern);

	while (end > pattern && !strchr("*?[]\\/", end[-1]))
		end--;
	return end;
}

bool dw_line_unit_match(struct dw_file *file, Dwarf_CU *cu, const char *pattern)
{
	const struct table *table = table_of(file, cu);
	const char *end = fixed_end(pattern);
	size_t end_len = strlen(end);

	// The names are compared first: to make the paths of all would take far longer.
	for (size_t i = 0; i < table->files.n; i++) {
		const char *name = table->files.v[i].name;
		size_t len = name ? strlen(name) : 0;
		if (!name || len < end_len || memcmp(name + len - end_len, end, end_len) != 0)
			continue;
		const char *path = file_path(file, cu, i);
		if (path && dw_line_match(path, pattern))
			return true;
	}
	return false;
}

static const char *row_file(struct dw_file *file, Dwarf_Die *cudie, Dwarf_Line *row)
{
	Dwarf_Files *files;
	size_t index;

	if (dwarf_line_file(row, &files, &index) != 0)
		return NULL;
	return file_path(file, table_of(file, cudie->cu)->program, index);
}

bool dw_line_at(struct dw_file *file, Dwarf_Die *cudie, uint64_t pc, const char **path_ret, unsigned *line_ret)
{
	Dwarf_Line *row = dwarf_getsrc_die(cudie, pc);
	int line;
	const char *path = row ? row_file(file, cudie, row) : NULL;

	if (!path || dwarf_lineno(row, &line) != 0 || line <= 0)
		return false;
	*path_ret = path;
	*line_ret = line;
	return true;
}

bool dw_line_start(Dwarf_Die *cudie, uint64_t pc, uint64_t *start_ret)
{
	Dwarf_Line *row = dwarf_getsrc_die(cudie, pc);

	return row && dwarf_lineaddr(row, start_ret) == 0;
}

static Dwarf_Addr row_address(Dwarf_Lines *rows, size_t i)
{
	Dwarf_Addr ret = 0;

	dwarf_lineaddr(dwarf_onesrcline(rows, i), &ret);
	return ret;
}

size_t dw_line_first_row(Dwarf_Lines *rows, size_t n, uint64_t addr)
{
	return sp_bisect(n, i, row_address(rows, i) >= addr);
}

// Functions are looked at unit by unit.
static const struct dw_rows *rows_of(struct dw_file *file, Dwarf_Die *cudie)
{
	const struct table *table = table_of(file, cudie->cu);
	struct dw_lines *lines = file->lines;
	Dwarf_Attribute attr;
	Dwarf_Word off;
	Dwarf_Die die;

	if (lines->unit == table)
		return &lines->rows;
	lines->unit = table;
	lines->rows.v.n = 0;
	memset(&die, 0, sizeof(die));
	if (dwarf_cu_die(table->program, &die, NULL, NULL, NULL, NULL, NULL, NULL) && dwarf_attr(&die, DW_AT_stmt_list, &attr) &&
	    dwarf_formudata(&attr, &off) == 0)
		dw_rows_read(&sections_of(lines, dwarf_getelf(dwarf_cu_getdwarf(die.cu)))->line, off, &lines->rows);
	return &lines->rows;
}

uint64_t dw_line_body(struct dw_file *file, Dwarf_Die *cudie, uint64_t low, uint64_t high)
{
	const struct dw_rows *rows = rows_of(file, cudie);
	uint64_t second = low;

	for (size_t i = dw_rows_first(rows, low); i < rows->v.n && rows->v.v[i].pc < high; i++) {
		const struct dw_rows_row *row = &rows->v.v[i];

		if (row->is_prologue_end)
			return row->pc;
		// gcc does not mark the end of the prologue, but begins the body with the function's second row.
		if (second == low && row->pc > low && row->is_stmt)
			second = row->pc;
	}
	return second;
}

// Takes the rows while it uses them: `fn` may ask for those of another unit.
void dw_line_rows(struct dw_file *file, Dwarf_Die *cudie, uint64_t low, uint64_t high, dw_row_fn *fn, void *ctx)
{
	struct dw_rows rows = *rows_of(file, cudie);
	struct dw_lines *lines = file->lines;
	const struct table *table = lines->unit;
	unsigned view = 0;

	lines->unit = NULL;
	lines->rows = (struct dw_rows){ 0 };
	for (size_t i = dw_rows_first(&rows, low); i < rows.v.n && rows.v.v[i].pc < high; i++) {
		const struct dw_rows_row *it = &rows.v.v[i];
		view = i && it->pc == it[-1].pc && !it[-1].is_end ? view + 1 : 0;
		struct dw_row row = { .pc = it->pc, .line = it->line, .column = it->column, .view = view, .is_stmt = it->is_stmt };

		if ((int32_t)it->line <= 0 || it->is_end)
			continue;
		row.path = file_path(file, table->program, it->file);
		if (row.path && fn(ctx, &row))
			break;
	}
	dw_rows_deinit(&lines->rows);
	lines->rows = rows;
	lines->unit = table;
}

struct covering {
	const char *pattern; // NULL: any file
	unsigned line;
	bool found;
};

static bool covers(void *ctx, const struct dw_row *row)
{
	struct covering *c = ctx;

	c->found = row->line == c->line && (!c->pattern || dw_line_match(row->path, c->pattern));
	return c->found;
}

bool dw_line_covers(struct dw_file *file, Dwarf_Die *cudie, const char *pattern, unsigned line, uint64_t low,
		    uint64_t high)
{
	struct covering c = { .pattern = pattern, .line = line };

	dw_line_rows(file, cudie, low, high, covers, &c);
	return c.found;
}
