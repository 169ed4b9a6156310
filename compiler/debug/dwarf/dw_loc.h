// SPDX-License-Identifier: GPL-2.0-or-later
/** The location of a variable at an address: from an attribute with an expression, a location list or a constant to a location
 *  program (compiler/model/loc.h). dw_expr.h translates the expressions. */
#ifndef SP_DEBUG_DW_LOC_H
#define SP_DEBUG_DW_LOC_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/loc.h"

struct dw_loc_site {
	struct dw_file *file;
	struct sp_arena *arena; // for the locations
	Dwarf_Die *function; // the subprogram with the frame base; NULL: outside of functions
	uint64_t pc;
	bool at_entry; // pc is the first instruction of `function`: on the stack is only what the caller left there
	bool no_reasons; // as in dbg_var_query
	unsigned n_pointers; // implicit pointers (DW_OP_implicit_pointer) that were followed to get here
};

/** Where the variable lives at the site, from DW_AT_location or DW_AT_const_value. NULL: nowhere, and why. */
const struct loc *dw_loc_of(const struct dw_loc_site *site, Dwarf_Die *var, const char **why_ret);

/** A location with copies of these pieces. */
const struct loc *dw_loc_make(struct sp_arena *arena, const struct loc_piece *pieces, size_t n);
/** The operation that pushes the run-time address of a link-time address. */
struct loc_op dw_loc_address_op(struct dw_file *file, uint64_t addr);
/** An object at a link-time address. */
const struct loc *dw_loc_address(struct dw_file *file, uint64_t addr);
/** A value in one register, and an object in memory at the address that one register holds. */
const struct loc *dw_loc_reg(struct sp_arena *arena, int dwarf_reg);
const struct loc *dw_loc_at_reg(struct sp_arena *arena, int dwarf_reg);
/** An object in memory, so many bytes above the address that a register holds. */
const struct loc *dw_loc_above(struct sp_arena *arena, int dwarf_reg, int64_t offset);
/** An object of `size` bytes in registers, `bytes` in each. A register that is named twice in succession holds 16 bytes. */
const struct loc *dw_loc_regs(struct sp_arena *arena, const int *dwarf_regs, unsigned n, unsigned bytes, uint64_t size);
/** A value of `size` bytes whose pieces begin at these bytes of it, in their order; between them nothing is. */
const struct loc *dw_loc_with_gaps(struct sp_arena *arena, const struct loc_piece *pieces, const uint64_t *offs, unsigned n, uint64_t size);
/** Is it in memory, at a number of bytes from what a register holds? */
bool dw_loc_is_from_reg(const struct loc_piece *piece, int *dwarf_reg_ret, int64_t *offset_ret);
/** True when it is a value in exactly that register. */
bool dw_loc_is_reg(const struct loc *loc, int dwarf_reg);

#endif
