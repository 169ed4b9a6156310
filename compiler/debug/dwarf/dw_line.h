// SPDX-License-Identifier: GPL-2.0-or-later
/** Source files and lines. File names are read from the header of a line table, without running its program, which can be a
 *  thousand times as long. They come in the form that people know: "fs/read_write.c". */
#ifndef SP_DEBUG_DW_LINE_H
#define SP_DEBUG_DW_LINE_H

#include "compiler/debug/dwarf/dw_file.h"

#include <dwarf.h>

/** The place that two attributes of the DIE say, those of a file's number and of a line; NULL and 0 when it has them not. */
void dw_line_place(struct dw_file *file, Dwarf_Die *die, const unsigned attrs[2], const char **path_ret, unsigned *line_ret);

/** Where the DIE says that it was declared. */
static inline void dw_line_decl(struct dw_file *file, Dwarf_Die *die, const char **path_ret, unsigned *line_ret)
{
	dw_line_place(file, die, (const unsigned[]){ DW_AT_decl_file, DW_AT_decl_line }, path_ret, line_ret);
}
/** Where an inlined instance is called. */
static inline void dw_line_call(struct dw_file *file, Dwarf_Die *die, const char **path_ret, unsigned *line_ret)
{
	dw_line_place(file, die, (const unsigned[]){ DW_AT_call_file, DW_AT_call_line }, path_ret, line_ret);
}

/** A file in a unit's table, as the compiler named it: directory 0 is the compilation directory. */
struct dw_line_name {
	const char *name, *dir;
	uint64_t dir_number;
};
bool dw_line_entry(struct dw_file *file, Dwarf_CU *cu, uint64_t index, struct dw_line_name *ret);

/** True when a glob matches the whole path, or its end behind some '/': "open.c" and "fs/op*.c" match "/build/fs/open.c". */
bool dw_line_match(const char *path, const char *pattern);
/** True when a file of the unit's table matches. */
bool dw_line_unit_match(struct dw_file *file, Dwarf_CU *cu, const char *pattern);

/** The sections with the line tables and their texts; threads may share them. */
struct dw_line_source {
	struct dw_section line, str, line_str;
};

/** Calls `fn` with the path of each file, headers (.h) excepted, in the line table at `off` of a kernel's unit. The paths are as
 *  dw_line_decl() gives them. False: the table is broken. */
typedef void dw_line_path_fn(void *ctx, const char *path);
bool dw_line_kernel_paths(const struct dw_line_source *source, uint64_t off, const char *comp_dir, dw_line_path_fn *fn,
			  void *ctx);

/** The file and line of the row that covers `pc`. */
bool dw_line_at(struct dw_file *file, Dwarf_Die *cudie, uint64_t pc, const char **path_ret, unsigned *line_ret);
/** Where the row that covers `pc` begins; false when none does. */
bool dw_line_start(Dwarf_Die *cudie, uint64_t pc, uint64_t *start_ret);
/** The address of the body, behind the prologue, of the function that begins at `low`; `low` when the line table does not say. */
uint64_t dw_line_body(struct dw_file *file, Dwarf_Die *cudie, uint64_t low, uint64_t high);
/** True when a row for `line` of a file that matches lies in [low, high). */
bool dw_line_covers(struct dw_file *file, Dwarf_Die *cudie, const char *pattern, unsigned line, uint64_t low,
		    uint64_t high);

struct dw_row {
	uint64_t pc;
	const char *path;
	unsigned line, column; // column 0: not known
	unsigned view; // the number of rows before it with its address
	bool is_stmt; // where the compiler recommends to stop
};

/** The first row of a unit, as libdw has them, by address, that is at `addr` or behind it. n: none. */
size_t dw_line_first_row(Dwarf_Lines *rows, size_t n, uint64_t addr);

/** Calls `fn` for the rows in [low, high), by address. True from `fn` ends it. */
typedef bool dw_row_fn(void *ctx, const struct dw_row *row);
void dw_line_rows(struct dw_file *file, Dwarf_Die *cudie, uint64_t low, uint64_t high, dw_row_fn *fn, void *ctx);

void dw_lines_destroy(struct dw_lines *lines);

#endif
