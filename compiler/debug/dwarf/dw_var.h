// SPDX-License-Identifier: GPL-2.0-or-later
/** Parameters, locals and globals. */
#ifndef SP_DEBUG_DW_VAR_H
#define SP_DEBUG_DW_VAR_H

#include "compiler/debug/dwarf/dw_scope.h"

/** The variables in scope at `pc`; as dbg_vars_wanted(). */
void dw_var_list(struct dbg_func *func, uint64_t pc, const struct dbg_var_query *query, struct dbg_vars *ret);
/** The first of them with this name; NULL: there is none. */
const struct dbg_var *dw_var_named(struct dbg_func *func, uint64_t pc, const char *name);
/**
 * A variable outside of functions, "name" or "name@file"; as dbg_global_var(). The file is that of the declaration; with `is_of_unit` that of a
 * unit, which may have it from a file that it includes, or declare alone what has a symbol.
 */
struct sp_err *dw_var_global(struct dw_file *file, const char *name, bool is_of_unit, struct dbg_var *ret, bool *found_ret);
/** As dbg_var_of_unit(). */
bool dw_var_in_unit(struct dbg_func *func, const char *name, struct dbg_var *ret);
/** As dbg_vars_of_unit(). */
void dw_var_of_unit(struct dbg_func *func, struct dbg_vars *ret);

#endif
