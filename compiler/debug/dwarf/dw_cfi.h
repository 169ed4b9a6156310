// SPDX-License-Identifier: GPL-2.0-or-later
/** Call frame information: where a function's frame is, and where its return address and its callers' are. */
#ifndef SP_DEBUG_DW_CFI_H
#define SP_DEBUG_DW_CFI_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/loc.h"

/** The unwinding rules at a link-time address, to be freed; false: there are none. */
bool dw_cfi_frame(struct dw_file *file, uint64_t pc, Dwarf_Frame **ret);
/** True when the code from `low` to `high` never moves the stack pointer. */
bool dw_cfi_sp_is_fixed(struct dw_file *file, uint64_t low, uint64_t high);
/** Is that, so many bytes from what a register holds at `pc`, a place in the caller's frame? False also when that is not known. */
bool dw_cfi_is_of_caller(struct dw_file *file, uint64_t pc, int dwarf_reg, int64_t off);

/** A chain of calls: pcs[0] is the address of the probe; pcs[i] is the address in frame i that frame i - 1 returns to. */
struct dw_cfi_chain {
	const uint64_t *pcs;
	unsigned n;
	bool at_entry; // pcs[0] is the first instruction of its function
};

/** A value that is 1 when the last frame of the chain returns to one of `returns` (link-time addresses), else 0. The rules for
 *  each frame are those at its address in the chain, so the value is right only when the calls did come that way. NULL: it cannot
 *  be told, and why. */
const struct loc *dw_cfi_called_from(struct dw_file *file, const struct dw_cfi_chain *chain, const uint64_t *returns,
				     unsigned n_returns, const char **why_ret);

#endif
