// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions and inlined instances. */
#ifndef SP_DEBUG_DW_FUNC_H
#define SP_DEBUG_DW_FUNC_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

/** What dbg_func.scope points to, when it comes from DWARF. */
struct dw_scope {
	struct dw_file *file;
	Dwarf_Die die; // the concrete function or the inlined instance
	Dwarf_Die function; // the concrete function that holds it; the same for functions
	Dwarf_Die unit;
};

struct sp_err *dw_func_find(struct dw_file *file, struct dbg_module *module, const struct dbg_func_query *query,
			    struct dbg_funcs *ret);
/** The innermost function or inlined instance that covers the address; NULL: none. */
struct dbg_func *dw_func_at(struct dw_file *file, struct dbg_module *module, uint64_t pc);
/** What was inlined into a function at this DIE of it; NULL: no code of it is left. */
struct dbg_func *dw_func_instance(struct dbg_func *outer, Dwarf_Die *die);
/** The function that holds an inlined instance; NULL: its entry is not known. */
struct dbg_func *dw_func_outer(struct dbg_func *instance);
/** Is `pc` the first instruction of the scope's concrete function? */
bool dw_func_begins(struct dw_scope *scope, uint64_t pc);
/** Calls `fn` with the name of each function of DWARF and ELF symbols, some more than once. */
void dw_func_names(struct dw_file *file, void (*fn)(void *ctx, const char *name), void *ctx);
/** Fills symbol, symbol_off and section from entry_pc. */
void dw_func_fill_symbol(struct dw_file *file, struct dbg_func *func);

#endif
