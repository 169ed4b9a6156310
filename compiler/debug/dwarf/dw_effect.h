// SPDX-License-Identifier: GPL-2.0-or-later
/** What instructions of x86 do with the registers of a result. */
#ifndef SP_DEBUG_DW_EFFECT_H
#define SP_DEBUG_DW_EFFECT_H

#include "compiler/debug/dwarf/dw_step.h"

enum dw_effect { DW_LEAVES, DW_READS, DW_SETS, DW_PERHAPS_READS };

/** On rax, or with `is_float` on xmm0. Calls and returns leave them. */
enum dw_effect dw_effect_of(const struct dw_step *step, bool is_float);

#endif
