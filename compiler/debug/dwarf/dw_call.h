// SPDX-License-Identifier: GPL-2.0-or-later
/** What a function calls, from the call sites (DW_TAG_call_site) that compilers describe in optimised code. */
#ifndef SP_DEBUG_DW_CALL_H
#define SP_DEBUG_DW_CALL_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** As dbg_find_callees. */
struct sp_err *dw_call_find(struct dw_file *file, struct dbg_func *func, const struct dbg_func_query *query,
			    struct dbg_callees *ret);

#endif
