// SPDX-License-Identifier: GPL-2.0-or-later
/** The rows of a line table (DWARF 5 section 6.2). libdw keeps those of each unit until the file is closed: of a kernel's modules,
 *  200 MB. */
#ifndef SP_DEBUG_DW_ROWS_H
#define SP_DEBUG_DW_ROWS_H

#include "compiler/debug/dwarf/dw_elf.h"

#include "runtime/base/vec.h"

struct dw_rows_row {
	uint64_t pc;
	uint32_t file, line, column;
	bool is_stmt, is_end, is_prologue_end; // is_end: `pc` is behind the code
};

struct dw_rows {
	SP_VEC(struct dw_rows_row) v; // by address; where code ends others may begin, which come behind
};

/** Reads the table at `off` of .debug_line. False, and no rows: it is broken. */
bool dw_rows_read(const struct dw_section *line, uint64_t off, struct dw_rows *ret);
void dw_rows_deinit(struct dw_rows *rows);

/** The first row at `pc` or behind it. */
size_t dw_rows_first(const struct dw_rows *rows, uint64_t pc);

#endif
