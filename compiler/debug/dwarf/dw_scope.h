// SPDX-License-Identifier: GPL-2.0-or-later
/** One function or inlined instance, from its DIE to a struct dbg_func, in three steps: the declaration (names, file, line), the
 *  code (addresses), and the rest (symbol, section, end of the prologue). A search stops at the first step that does not fit. */
#ifndef SP_DEBUG_DW_SCOPE_H
#define SP_DEBUG_DW_SCOPE_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/dwarf/dw_file.h"

/** What dbg_func.scope points to, when it comes from DWARF. */
struct dw_scope {
	struct dw_file *file;
	Dwarf_Die die; // the concrete function or the inlined instance
	Dwarf_Die function; // the concrete function that holds it; the same for functions
	Dwarf_Die unit;
	struct dbg_func *outer; // of an inlined instance, by dw_scope_outer(); NULL: not yet asked for, or not known
	enum dw_answer comes_back; // dw_entry.c: does it jump back to its entry?
};

/** What a unit's producer says of its optimisation. */
enum dw_optimised { DW_NOT_YET_READ, DW_IS_OPTIMISED, DW_NOT_OPTIMISED, DW_NOT_SAID };

/** What the steps need: the unit whose functions are described. */
struct dw_describer {
	struct dw_file *file;
	struct sp_arena *arena; // of what is made
	struct dbg_module *module;
	Dwarf_Die unit;
	enum dw_optimised optimised; // starts as DW_NOT_YET_READ
};

bool dw_scope_is_of_gcc(struct dw_scope *scope);
/** Is it code that clang has optimised? Its static functions may lack parameters that callers know. */
bool dw_scope_is_changed_by_clang(struct dw_scope *scope);
/** Is the code optimised, as far as debug information tells? */
bool dw_scope_is_optimised(struct dw_scope *scope);
/** Step 1, the declaration: names, file, line. */
struct dbg_func dw_scope_declared(const struct dw_describer *d, Dwarf_Die *die);
/** Step 1 for an inlined instance: the family of its function, whose `func` has the declaration. */
struct dw_family *dw_scope_family(const struct dw_describer *d, Dwarf_Die *origin);
/** Step 2: fills in the addresses; `function` is the concrete function that holds `die`. False: there is no code. */
bool dw_scope_code(const struct dw_describer *d, Dwarf_Die *die, Dwarf_Die *function, struct dbg_func *func);
/** Step 3: fills in the rest, and copies `func` to the file's arena. */
struct dbg_func *dw_scope_make(struct dw_describer *d, Dwarf_Die *die, Dwarf_Die *function, struct dbg_func *func);

/** The inlined instance at a DIE within the function `outer`; NULL: no code of it is left. */
struct dbg_func *dw_scope_instance(struct dbg_func *outer, Dwarf_Die *die);
/** The function that holds an inlined instance; NULL: its entry is not known. */
struct dbg_func *dw_scope_outer(struct dbg_func *instance);
/** Is `pc` the first instruction of the scope's concrete function? */
bool dw_scope_begins(struct dw_scope *scope, uint64_t pc);
/** Fills symbol, symbol_off and section from entry_pc. */
void dw_scope_fill_symbol(struct dw_file *file, struct dbg_func *func);

#endif
