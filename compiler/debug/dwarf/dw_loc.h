// SPDX-License-Identifier: GPL-2.0-or-later
/** DWARF expressions, location lists and CFI -> location programs (compiler/model/loc.h). */
#ifndef SP_DEBUG_DW_LOC_H
#define SP_DEBUG_DW_LOC_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/loc.h"

struct dw_loc_site {
	struct dw_file *file;
	Dwarf_Die *function; // the subprogram with the frame base; NULL: outside of functions
	uint64_t pc;
	bool at_entry; // pc is the first instruction of `function`: nothing is on the stack but what the caller left
	bool no_reasons; // as in dbg_var_query
	unsigned n_pointers; // implicit ones that were followed to get here
};

/** Where the variable lives at the site, from DW_AT_location or DW_AT_const_value. NULL: nowhere, and why. */
const struct loc *dw_loc_of(const struct dw_loc_site *site, Dwarf_Die *var, const char **why_ret);

/** Copies the pieces. */
const struct loc *dw_loc_make(struct sp_arena *arena, const struct loc_piece *pieces, size_t n);
/** Pushes the run-time address of a link-time address. */
struct loc_op dw_loc_address_op(struct dw_file *file, uint64_t addr);
/** An object at a link-time address. */
const struct loc *dw_loc_address(struct dw_file *file, uint64_t addr);
/** A value in one register, and an object in memory at the address that one register holds. */
const struct loc *dw_loc_reg(struct sp_arena *arena, int dwarf_reg);
const struct loc *dw_loc_at_reg(struct sp_arena *arena, int dwarf_reg);
/** An object of `size` bytes in the registers, 8 bytes each; the same one again: in its upper half. */
const struct loc *dw_loc_regs(struct sp_arena *arena, const int *dwarf_regs, unsigned n, uint64_t size);
/** True when it is a value in exactly that register. */
bool dw_loc_is_reg(const struct loc *loc, int dwarf_reg);

#endif
