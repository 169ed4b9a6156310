// SPDX-License-Identifier: GPL-2.0-or-later
/** Is memory of the stack written by code? */
#ifndef SP_DEBUG_DW_FILL_H
#define SP_DEBUG_DW_FILL_H

#include "compiler/debug/dwarf/dw_file.h"

/** From `pc` up to the next jump or call: does an instruction write to the `size` bytes from the value of a register, by its DWARF number,
 *  and `off` on? True also when that is not known. */
bool dw_fill_follows(const struct dw_file *file, uint64_t pc, int reg, int64_t off, uint64_t size);

/** Do the instructions from `low` to `pc` write all of it, or some of it and those behind `pc` no more? True also when that is not known. */
bool dw_fill_precedes(const struct dw_file *file, uint64_t low, uint64_t pc, int reg, int64_t off, uint64_t size);

#endif
