// SPDX-License-Identifier: GPL-2.0-or-later
/** Call frame information: where a function's frame is, and where those that called it left their return addresses. */
#ifndef SP_DEBUG_DW_CFI_H
#define SP_DEBUG_DW_CFI_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/loc.h"

/** The rules at a link-time address, to be freed; false: there are none. */
bool dw_cfi_frame(struct dw_file *file, uint64_t pc, Dwarf_Frame **ret);
/** True when the code from `low` to `high` leaves the stack pointer alone. */
bool dw_cfi_sp_is_fixed(struct dw_file *file, uint64_t low, uint64_t high);

/** A chain of calls: pcs[0] is where the probe is, pcs[i] where the call of frame i - 1 comes back to in its caller. */
struct dw_cfi_chain {
	const uint64_t *pcs;
	unsigned n;
	bool at_entry; // pcs[0] is the first instruction of its function
};

/** A value that is 1 when the last frame of the chain returns to one of `returns` (link-time addresses), and 0 else; all
 *  but the innermost frame are looked for by what the chain says. NULL: it cannot be told, and why. */
const struct loc *dw_cfi_called_from(struct dw_file *file, const struct dw_cfi_chain *chain, const uint64_t *returns,
				     unsigned n_returns, const char **why_ret);

#endif
