// SPDX-License-Identifier: GPL-2.0-or-later
/** The instructions at which a function is left, read from its code; and what is the same there as at its entry. */
#ifndef SP_DEBUG_DW_EXIT_H
#define SP_DEBUG_DW_EXIT_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_scope.h"

/** As dbg_find_exits(). */
bool dw_exit_find(struct dw_file *file, const struct dbg_func *func, struct dbg_exits *ret, const char **why_ret);
/** As dbg_call_at(). */
bool dw_exit_call(struct dw_file *file, struct dbg_func *func, uint64_t pc, enum dbg_call_at at, struct dbg_call *ret);

#endif
