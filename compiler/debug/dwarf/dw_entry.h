// SPDX-License-Identifier: GPL-2.0-or-later
/** Registers as they were when a function was entered, for probes further on in it. A second probe at the entry saves them; the
 *  address of the frame, which both probes know, is the key by which the later one finds them. */
#ifndef SP_DEBUG_DW_ENTRY_H
#define SP_DEBUG_DW_ENTRY_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/loc.h"

/** The function itself, or the one that an inlined instance is in; as dbg_entry_of(). */
struct dbg_func *dw_entry_of(struct dbg_func *func, const char **why_ret);
/** The address of the probe that saves the registers; as dbg_entry_probe_pc(). */
uint64_t dw_entry_probe_pc(const struct dbg_func *func);
/** Does code between two addresses jump back to `entry`? Then that instruction runs several times in one call. */
bool dw_entry_comes_back(const struct dw_file *file, uint64_t low, uint64_t high, uint64_t entry);
/** The address of the frame at `pc`, as a value; as dbg_frame_at(). */
const struct loc *dw_entry_frame(struct dbg_func *func, uint64_t pc, const char **why_ret);

#endif
