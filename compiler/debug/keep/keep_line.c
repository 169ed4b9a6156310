// SPDX-License-Identifier: GPL-2.0-or-later
// Writes .debug_line (DWARF 5 section 6.2) and .debug_frame (section 6.4.1): the rows and rules of the code that is kept.
#include "compiler/debug/keep/keep_impl.h"

#include "compiler/debug/dwarf/dw_line.h"

#include "runtime/base/buf.h"

#include <dwarf.h>

#define BRIEF_ROWS 16 // at the entry of a function: where its prologue ends is among them
#define FIRST_SPECIAL 13 // opcodes from here on are special; none is used

// ---- rows -----------------------------------------------------------------------------------------------------------

struct row {
	uint64_t addr, file;
	int line, column;
	bool is_stmt, is_end, ends_prologue;
};

typedef void row_fn(void *ctx, const struct row *row);

static bool read_row(Dwarf_Line *from, struct row *ret)
{
	Dwarf_Files *files;
	size_t file;

	if (dwarf_lineaddr(from, &ret->addr) != 0 || dwarf_line_file(from, &files, &file) != 0)
		return false;
	ret->file = file;
	ret->line = ret->column = 0;
	dwarf_lineno(from, &ret->line);
	dwarf_linecol(from, &ret->column);
	dwarf_linebeginstatement(from, &ret->is_stmt);
	dwarf_lineendsequence(from, &ret->is_end);
	dwarf_lineprologueend(from, &ret->ends_prologue);
	return true;
}

// Calls `fn` for the rows of a range of code, the last of which ends it.
static void each_row(const struct keep_out *out, Dwarf_Lines *rows, size_t n, struct keep_range range, row_fn *fn, void *ctx)
{
	struct row row = { 0 };
	unsigned count = 0;
	size_t i = dw_line_first_row(rows, n, range.low);

	while (i < n && read_row(dwarf_onesrcline(rows, i), &row) && row.is_end && row.addr == range.low)
		i++; // of what is before
	for (; i < n && read_row(dwarf_onesrcline(rows, i), &row) && row.addr < range.high && !row.is_end; i++) {
		if (out->keep->is_brief && count == BRIEF_ROWS)
			break;
		count++;
		fn(ctx, &row);
	}
	if (!count)
		return;
	if (!out->keep->is_brief || count < BRIEF_ROWS || row.addr > range.high)
		row.addr = range.high;
	row.is_end = true;
	fn(ctx, &row);
}

static void each_row_of_unit(struct keep_out *out, struct keep_unit *unit, row_fn *fn, void *ctx)
{
	Dwarf_Lines *rows;
	size_t n;

	if (!unit->code.n || dwarf_getsrclines(&unit->top, &rows, &n) != 0)
		return;
	sp_vec_each(range, &unit->code)
		each_row(out, rows, n, *range, fn, ctx);
}

static void number_file(void *ctx, const struct row *row)
{
	keep_file_number(ctx, row->file);
}

void keep_line_number(struct keep_out *out, struct keep_unit *unit)
{
	each_row_of_unit(out, unit, number_file, unit);
}

// ---- the program ----------------------------------------------------------------------------------------------------

struct program {
	struct keep_out *out;
	struct keep_unit *unit;
	struct row at; // the registers
	bool has_begun;
};

static void begin_sequence(struct program *p, uint64_t addr)
{
	struct sp_buf *line = &p->out->line;

	sp_buf_putc(line, 0);
	keep_put_uleb(line, 1 + p->out->address_size);
	sp_buf_putc(line, DW_LNE_set_address);
	keep_put(line, addr, p->out->address_size);
	p->at = (struct row){ .addr = addr, .file = 1, .line = 1, .is_stmt = true };
	p->has_begun = true;
}

static void put_pair(struct sp_buf *line, unsigned op, uint64_t value)
{
	sp_buf_putc(line, (char)op);
	keep_put_uleb(line, value);
}

static void put_row(void *ctx, const struct row *row)
{
	struct program *p = ctx;
	struct sp_buf *line = &p->out->line;
	uint64_t file = keep_file_number(p->unit, row->file);

	if (!p->has_begun)
		begin_sequence(p, row->addr);
	if (row->addr != p->at.addr)
		put_pair(line, DW_LNS_advance_pc, row->addr - p->at.addr);
	p->at.addr = row->addr;
	if (row->is_end) {
		keep_put(line, 0x010100, 3); // an extended opcode of one byte, DW_LNE_end_sequence
		p->has_begun = false;
		return;
	}
	if (row->line != p->at.line) {
		sp_buf_putc(line, DW_LNS_advance_line);
		keep_put_sleb(line, (int64_t)row->line - p->at.line);
	}
	if (file != p->at.file)
		put_pair(line, DW_LNS_set_file, file);
	if (row->column != p->at.column)
		put_pair(line, DW_LNS_set_column, (uint64_t)row->column);
	if (row->is_stmt != p->at.is_stmt)
		sp_buf_putc(line, DW_LNS_negate_stmt);
	if (row->ends_prologue)
		sp_buf_putc(line, DW_LNS_set_prologue_end);
	sp_buf_putc(line, DW_LNS_copy);
	p->at = *row;
	p->at.file = file;
}

// ---- the header -----------------------------------------------------------------------------------------------------

static void put_name(struct keep_out *out, struct sp_buf *to, const char *name)
{
	keep_put(to, keep_string(&out->line_str, &out->line_strings, name), 4);
}

// The number of a directory in the new table; the first one is the compilation directory.
static size_t directory_number(struct sp_hash *dirs, const struct dw_line_name *name)
{
	void **number;

	if (!name->dir_number)
		return 0;
	number = sp_hash_insert(dirs, name->dir, strlen(name->dir));
	if (!*number)
		*number = (void *)(uintptr_t)dirs->n_live;
	return (size_t)(uintptr_t)*number;
}

static const char *own_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	const char *text = dwarf_formstring(dwarf_attr(die, name, &attr));

	return text ? text : "";
}

static void put_tables(struct keep_out *out, struct keep_unit *unit)
{
	struct sp_buf files = { 0 };
	struct sp_hash dirs = { 0 };

	// File 0 is the unit's own source; files that others refer to follow.
	put_name(out, &files, own_text(&unit->top, DW_AT_name));
	keep_put_uleb(&files, 0);
	sp_vec_each(old, &unit->files) {
		struct dw_line_name name = { .name = "", .dir = "" };

		dw_line_entry(out->keep->file, unit->top.cu, *old, &name);
		put_name(out, &files, name.name);
		keep_put_uleb(&files, directory_number(&dirs, &name));
	}
	const uint8_t dir_format[] = { 1, DW_LNCT_path, DW_FORM_line_strp };
	sp_buf_add(&out->line, dir_format, sizeof(dir_format));
	keep_put_uleb(&out->line, dirs.n_live + 1);
	put_name(out, &out->line, own_text(&unit->program, DW_AT_comp_dir));
	sp_hash_each(it, &dirs)
		put_name(out, &out->line, it->key);
	const uint8_t file_format[] = { 2, DW_LNCT_path, DW_FORM_line_strp, DW_LNCT_directory_index, DW_FORM_udata };
	sp_buf_add(&out->line, file_format, sizeof(file_format));
	keep_put_uleb(&out->line, unit->files.n + 1);
	sp_buf_add(&out->line, files.data, files.len);
	sp_buf_deinit(&files);
	sp_hash_deinit(&dirs);
}

static void set_length(struct sp_buf *section, size_t at)
{
	uint32_t length = (uint32_t)(section->len - at - 4);

	memcpy(section->data + at, &length, sizeof(length));
}

void keep_line_write(struct keep_out *out, struct keep_unit *unit)
{
	static const uint8_t lengths[FIRST_SPECIAL - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct program program = { .out = out, .unit = unit };
	struct sp_buf *line = &out->line;
	size_t start = line->len, header;

	keep_put(line, 0, 4);
	keep_put(line, 5, 2);
	keep_put(line, out->address_size, 1);
	keep_put(line, 0, 1); // no segments
	header = line->len;
	keep_put(line, 0, 4);
	const uint8_t state[] = { 1, 1, 1, 0, 1, FIRST_SPECIAL }; // instructions of 1 byte and operation, is_stmt, line base and range
	sp_buf_add(line, state, sizeof(state));
	sp_buf_add(line, lengths, sizeof(lengths));
	put_tables(out, unit);
	set_length(line, header);
	each_row_of_unit(out, unit, put_row, &program);
	set_length(line, start);
}

// ---- call frames ----------------------------------------------------------------------------------------------------

static bool is_kept(const struct keep *keep, uint64_t low, uint64_t high)
{
	sp_vec_each(unit, &keep->units)
		for (size_t i = 0; i < (*unit)->code.n; i++)
			if ((*unit)->code.v[i].low < high && low < (*unit)->code.v[i].high)
				return true;
	return false;
}

struct frames {
	struct keep_out *out;
	struct dw_section in;
	struct sp_hash cies; // offset there -> offset here + 1
};

static uint32_t take_cie(struct frames *f, uint32_t off)
{
	void **here = sp_hash_insert(&f->cies, &off, sizeof(off));
	uint32_t length;

	if (!*here && off <= f->in.size - 4) {
		memcpy(&length, f->in.data + off, 4);
		*here = (void *)(uintptr_t)(f->out->frame.len + 1);
		if (length <= f->in.size - off - 4)
			sp_buf_add(&f->out->frame, f->in.data + off, length + 4);
	}
	return (uint32_t)(uintptr_t)*here - 1;
}

// Entries of the 64-bit format do not occur: sections are smaller than 4 GB.
void keep_frame_write(struct keep_out *out)
{
	struct frames f = { .out = out };
	unsigned size = out->address_size;
	uint32_t length, cie;

	if (out->keep->is_brief || !dw_file_section(out->keep->file, ".debug_frame", &f.in))
		return;
	for (size_t off = 0; f.in.size - off >= 8 + 2 * size; off += length + 4) {
		uint64_t range[2] = { 0 };

		memcpy(&length, f.in.data + off, 4);
		if (length >= 0xfffffff0 || length > f.in.size - off - 4)
			break;
		memcpy(&cie, f.in.data + off + 4, 4);
		if (cie == UINT32_MAX || length < 4 + 2 * size || cie > f.in.size - 4)
			continue;
		memcpy(&range[0], f.in.data + off + 8, size);
		memcpy(&range[1], f.in.data + off + 8 + size, size);
		if (!is_kept(out->keep, range[0], range[0] + range[1]))
			continue;
		cie = take_cie(&f, cie);
		keep_put(&out->frame, length, 4);
		keep_put(&out->frame, cie, 4);
		sp_buf_add(&out->frame, f.in.data + off + 8, length - 4);
	}
	sp_hash_deinit(&f.cies);
}
