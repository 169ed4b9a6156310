// SPDX-License-Identifier: GPL-2.0-or-later
/** The calling convention: in which registers parameters and results are passed, by the class of each 8 bytes of a value (System V
 *  ABI for AMD64 and for i386, AAPCS64). What cannot be told from the types is not guessed. */
#ifndef SP_DEBUG_DW_CALLCONV_H
#define SP_DEBUG_DW_CALLCONV_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** The number of the integer argument register that holds a parameter of `function` at its entry, or its address if it is an object that
 *  is not trivial; -1: none does, or it is not known. */
int dw_callconv_arg(const struct dbg_func *func, Dwarf_Die *function, int param_index);
/** Where a parameter is at the entry of a function whose arguments are on the stack (i386); NULL: they are not, or it is not known. */
const struct loc *dw_callconv_stack_arg(const struct dbg_func *func, Dwarf_Die *function, int param_index);
/** The type of the result (NULL: void), and where it is when the function returns; NULL: not in registers. */
void dw_callconv_result(struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret);

#endif
