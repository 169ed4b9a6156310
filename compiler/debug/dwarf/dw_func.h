// SPDX-License-Identifier: GPL-2.0-or-later
/** Finding functions and inlined instances: by name, by pattern, by address. dw_scope.h describes the ones that were found. */
#ifndef SP_DEBUG_DW_FUNC_H
#define SP_DEBUG_DW_FUNC_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_scope.h"

/** As dbg_find_funcs(), without symbols. */
struct sp_err *dw_func_find(struct dw_file *file, struct dbg_module *module, const struct dbg_func_query *query,
			    struct dbg_funcs *ret);
/** The innermost function or inlined instance that covers the address; NULL: none. */
struct dbg_func *dw_func_at(struct dw_file *file, struct dbg_module *module, uint64_t pc);

#endif
