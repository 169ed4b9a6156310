// SPDX-License-Identifier: GPL-2.0-or-later
/** Where an inlined instance is entered, beside the one address that its DIE tells: compilers copy code, as for each way that leads
 *  to it, and all copies are of one instance. Where gcc's are entered, a row of the line table has the place of the function's
 *  declaration. clang tells no entry, nor does gcc of what it inlined before linking: there the function's first line begins. */
#ifndef SP_DEBUG_DW_COPIES_H
#define SP_DEBUG_DW_COPIES_H

#include "compiler/debug/dbg.h"

#include "runtime/base/arena.h"
#include "runtime/base/vec.h"

struct dw_copies {
	SP_VEC(struct dbg_func *) list; // the same instance, by another entry
};

/** Appends the copies of an instance that DWARF has described, but for the one that is entered at its entry_pc. That is moved to where
 *  the first line begins when the DIE does not tell it. */
void dw_copies_read(struct sp_arena *arena, struct dbg_func *instance, struct dw_copies *ret);

#endif
