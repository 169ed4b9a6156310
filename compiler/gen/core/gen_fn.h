// SPDX-License-Identifier: GPL-2.0-or-later
/** BPF functions: handlers with their prologue and epilogue, activations of script functions. */
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
/** RETURN: closes the activation's iterators and leaves. */
void gen_fn_return(struct gen *g, const struct ir_expr *value);

/** VM: keeps an iterator in a variable, which it returns, until gen_fn_iter_close or a way out of its loop. */
LLVMValueRef gen_fn_iter_open(struct gen *g, LLVMValueRef iter);
/** The innermost one. */
void gen_fn_iter_close(struct gen *g);
/** Closes what is open of gen_fn.iters from index `first` on: for TRY's handler. */
void gen_fn_iters_drop(struct gen *g, size_t first);

#endif
