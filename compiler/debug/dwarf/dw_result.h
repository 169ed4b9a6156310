// SPDX-License-Identifier: GPL-2.0-or-later
/** Has gcc left out the result of a function? It does so when no caller uses it (-fipa-sra, part of -O2), and debug information goes on
 *  to tell of it. */
#ifndef SP_DEBUG_DW_RESULT_H
#define SP_DEBUG_DW_RESULT_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

struct dw_calls;

/** Has gcc changed what the function is called with, or its result? Then it is "f.isra.0". */
bool dw_result_may_be_left_out(const struct dbg_func *func);
/** Of such a function whose result is a number or a pointer: it is left out when the code behind each of its calls does without. False also
 *  when that is not known: another architecture than x86, a jump in place of a call, code that is not understood. */
bool dw_result_is_left_out(struct dbg_func *func);

void dw_calls_destroy(struct dw_calls *calls);

#endif
