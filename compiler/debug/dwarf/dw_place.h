// SPDX-License-Identifier: GPL-2.0-or-later
/** Places in functions: lines, labels, addresses. */
#ifndef SP_DEBUG_DW_PLACE_H
#define SP_DEBUG_DW_PLACE_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** The lines of these functions that the query asks for, as dbg_find_lines(). */
void dw_place_lines(struct dw_file *file, const struct dbg_funcs *funcs, const struct dbg_line_query *query,
		    struct dbg_places *ret);
/** As dbg_find_labels(). */
void dw_place_labels(struct dw_file *file, struct dbg_func *func, const char *name, struct dbg_places *ret);
/** The place at an address of a function, with its line and symbol. */
void dw_place_fill(struct dw_file *file, struct dbg_func *func, uint64_t pc, struct dbg_place *ret);

#endif
