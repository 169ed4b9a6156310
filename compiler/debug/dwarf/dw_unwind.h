// SPDX-License-Identifier: GPL-2.0-or-later
/** How the return address of a function is used by others than its return instruction. */
#ifndef SP_DEBUG_DW_UNWIND_H
#define SP_DEBUG_DW_UNWIND_H

#include "compiler/debug/dwarf/dw_scope.h"

/** As dbg_func_stack_use(). `scope` is NULL for a function without debug information. */
enum dbg_stack_use dw_unwind_stack_use(struct dw_file *file, const char *name, struct dw_scope *scope);
/** Why a function of Go does not have the running goroutine in r14; NULL: it has. */
const char *dw_unwind_no_g(const struct dbg_func *func, struct dw_scope *scope);

#endif
