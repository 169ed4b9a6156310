// SPDX-License-Identifier: GPL-2.0-or-later
/** Which function's code an address is in. A unit is read once: stacks have many addresses in few units. */
#ifndef SP_DEBUG_DW_CODE_H
#define SP_DEBUG_DW_CODE_H

#include "compiler/debug/dwarf/dw_file.h"

struct dw_code;

/** The DIE of the function of `unit` that has its own code at an address, or has it by what is inlined there; false: none. */
bool dw_code_function(struct dw_file *file, Dwarf_Die *unit, uint64_t pc, Dwarf_Die *ret);

void dw_code_destroy(struct dw_code *code);

#endif
