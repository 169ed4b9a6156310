// SPDX-License-Identifier: GPL-2.0-or-later
/** Where an inlined instance is entered, beside the one address that its DIE tells: gcc copies code, as for each way that leads
 *  to it, and all copies are of one instance. Where they are entered, a row of the line table has the place of the function's
 *  declaration. */
#ifndef SP_DEBUG_DW_COPIES_H
#define SP_DEBUG_DW_COPIES_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"
#include "runtime/base/vec.h"

/** A copy, and the range of the instance that holds it. */
struct dw_copy {
	uint64_t entry_pc, low_pc, high_pc;
};
struct dw_copies {
	SP_VEC(struct dw_copy) list; // by address
};

/** Appends the copies of `instance`, described by `func`, in the code of `function`, but for the one that is entered at
 *  func->entry_pc. */
void dw_copies_read(struct dw_file *file, Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Die *instance, const struct dbg_func *func,
		    struct dw_copies *ret);

#endif
