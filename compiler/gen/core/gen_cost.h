// SPDX-License-Identifier: GPL-2.0-or-later
/** What the handlers cost: for --cost, and for the message when one does not fit. */
#ifndef SP_GEN_GEN_COST_H
#define SP_GEN_GEN_COST_H

#include "compiler/gen/core/gen_core.h"

/** Reads both of LLVM's objects (`user` may be empty) and appends a few lines for each probe. */
struct sp_err *gen_cost(const struct plan *plan, const struct sp_buf *kernel, const struct sp_buf *user,
			struct sp_buf *ret);
/** The kernel's limit of instructions before 5.2, which is for what was loaded, not for what the verifier looked at. */
struct sp_err *gen_cost_check(const struct plan *plan, LLVMModuleRef mod, const struct sp_buf *kernel);
/** Instructions of the function before LLVM selects the machine's; `lines_ret` (or NULL) gets the script lines that most
 *  of them come from, "FILE:LINE (COUNT), ...". */
unsigned gen_cost_count(LLVMValueRef fn, struct sp_buf *lines_ret);

#endif
