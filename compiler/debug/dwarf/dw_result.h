// SPDX-License-Identifier: GPL-2.0-or-later
/** Has the compiler left out the result of a function? gcc (-fipa-sra, part of -O2) and LLVM do so when no caller uses it, and debug
 *  information goes on to tell of it. LLVM 15 and later say that something has been changed (DW_CC_nocall). */
#ifndef SP_DEBUG_DW_RESULT_H
#define SP_DEBUG_DW_RESULT_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

struct dw_calls;

/** Can it be? gcc names such a function "f.isra.0", as it does those of which it has changed the parameters; LLVM's are local. */
bool dw_result_may_be_left_out(const struct dbg_func *func);
enum dw_result_use { DW_RESULT_UNKNOWN, DW_RESULT_UNUSED, DW_RESULT_USED };

/** Of such a function whose result is in rax, or with `is_float` in xmm0: what the code behind its calls does with that. UNUSED: each does
 *  without, so that it is left out. USED: one of them reads it. UNKNOWN: another architecture than x86, a jump in place of a call, code that
 *  is not understood. */
enum dw_result_use dw_result_use(struct dbg_func *func, bool is_float);

void dw_calls_destroy(struct dw_calls *calls);

#endif
