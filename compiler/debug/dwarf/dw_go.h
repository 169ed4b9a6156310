// SPDX-License-Identifier: GPL-2.0-or-later
/** What Go's code and debug information do in their own way (its src/cmd/compile/abi-internal.md and src/cmd/internal/obj). */
#ifndef SP_DEBUG_DW_GO_H
#define SP_DEBUG_DW_GO_H

#include "compiler/debug/dwarf/dw_loc.h"
#include "compiler/model/type.h"

bool dw_go_is(Dwarf_Die *unit);
/** Arguments and results are in registers: by Go 1.17 and later. */
bool dw_go_has_registers(Dwarf_Die *unit);
/** The size of the check with which a function begins: it may get a larger stack there, and starts anew. 0: there is none. */
unsigned dw_go_check_size(const struct dw_file *file, uint64_t entry);
/** The location of a variable of that type as its pieces mean it: Go leaves out the gaps between members, and does not say which
 *  member it is when it knows of one alone. NULL: that cannot be told, and why. */
const struct loc *dw_go_location(struct sp_arena *arena, Dwarf_Die *var, const struct c_type *type, const struct loc *loc, const char **why_ret);
/** A result of that type, when the function has returned; NULL: it is in memory, or of no size. */
const struct loc *dw_go_result(const struct dw_file *file, struct sp_arena *arena, const struct c_type *type);

#endif
