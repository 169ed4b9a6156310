// SPDX-License-Identifier: GPL-2.0-or-later
/** What a function's registers held when it was entered, for probes further on in it: where that can be kept, and by what
 *  it is found again. */
#ifndef SP_DEBUG_DW_ENTRY_H
#define SP_DEBUG_DW_ENTRY_H

#include "compiler/debug/dbg.h"
#include "compiler/model/loc.h"

/** The function itself, or the one that an inlined instance is part of; as dbg_entry_of(). */
struct dbg_func *dw_entry_of(struct dbg_func *func, const char **why_ret);
/** Where a probe is that keeps what such a function was entered with; as dbg_keep_pc(). */
uint64_t dw_entry_keep_pc(const struct dbg_func *func);
/** The address of the frame at `pc`, as a value; as dbg_frame_at(). */
const struct loc *dw_entry_frame(struct dbg_func *func, uint64_t pc, const char **why_ret);

#endif
