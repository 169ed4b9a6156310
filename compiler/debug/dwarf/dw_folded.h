// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions that compilers (gcc -fipa-icf) and linkers (--icf) have folded into one, as their code was the same. */
#ifndef SP_DEBUG_DW_FOLDED_H
#define SP_DEBUG_DW_FOLDED_H

#include "compiler/debug/dbg.h"

/** As dbg_folded_with(). */
const char *dw_folded_with(struct dbg_func *func);

#endif
