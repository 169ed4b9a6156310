// SPDX-License-Identifier: GPL-2.0-or-later
/** BPF functions: handlers with their beginning and end, script functions that they call or inline. */
#ifndef SP_GEN_GEN_FN_H
#define SP_GEN_GEN_FN_H

#include "compiler/gen/core/gen_core.h"

/** Makes the function's blocks; code is made in it from here on ... */
void gen_fn_begin(struct gen *g, struct gen_fn *fn);
/** ... up to here, where all sizes are known. */
void gen_fn_end(struct gen *g);
/** Makes the handler's function in the current module. */
void gen_fn_handler(struct gen *g, uint32_t prog);
/** `result` is where a string result is put (NULL: nobody wants it); a long is returned. */
LLVMValueRef gen_fn_call(struct gen *g, const struct ir_expr *e, const struct gen_str *result);
/** Two ways to do that: its code is made here, or it is a function of its own that is called. */
LLVMValueRef gen_fn_call_inlined(struct gen *g, const struct ir_expr *e, const struct gen_str *result);
LLVMValueRef gen_fn_call_own(struct gen *g, const struct ir_expr *e, const struct gen_str *result);
/** RETURN */
void gen_fn_return(struct gen *g, const struct ir_expr *value);

/** At a handler's beginning: what it shares with its callbacks, and with the functions that it calls, is in memory. `state`:
 *  of a struct plan_state. */
void gen_fn_share_with_callbacks(struct gen *g);
void gen_fn_share_with_callees(struct gen *g, LLVMValueRef state);

/** The error of a handler whose recursive functions take `size` bytes for each call, where all may have `most`. */
void gen_fn_report_depth(struct gen *g, const struct gen_fn *handler, uint32_t size, uint32_t most);

#endif
