// SPDX-License-Identifier: GPL-2.0-or-later
/** How the ABI passes parameters and results: in which registers, by the class of each 8 bytes of a value (System V ABI for
 *  AMD64, AAPCS64). What cannot be told from the types is not guessed. */
#ifndef SP_DEBUG_DW_PASS_H
#define SP_DEBUG_DW_PASS_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** Number of the integer argument register in which the ABI passes a parameter of `function`; -1: not in one, or not
 *  known. */
int dw_pass_arg(const struct dbg_func *func, Dwarf_Die *function, int param_index);
/** The type of the result (NULL: void), and where it is when the function returns; NULL: not in registers. */
void dw_pass_result(struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret);

#endif
