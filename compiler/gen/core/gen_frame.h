// SPDX-License-Identifier: GPL-2.0-or-later
/** Activations of script functions. Those that are called, not inlined, have a frame in scratch memory: the result, the
 *  arguments, then the slots. */
#ifndef SP_GEN_GEN_FRAME_H
#define SP_GEN_GEN_FRAME_H

#include "compiler/gen/core/gen_core.h"

void gen_frame_allocate(struct gen *g, struct gen_frame *f, size_t n_locals);
/** Makes `f` the current one. Its variables but for the parameters: strings start empty, longs at 0. */
void gen_frame_open(struct gen *g, struct gen_frame *f, const struct ir_local *locals, size_t n, unsigned n_params,
		    const struct ir_stmt *body);
/** Of a long; it has a slot where a callback touches it. */
LLVMValueRef gen_frame_variable(struct gen *g, struct plan_slot slot);

/** Arguments in memory or registers; all are computed before the first is stored: they may call functions, too, whose
 *  frames are in the same place. */
struct gen_frame_args {
	struct gen_str *strings;
	LLVMValueRef *values;
};
struct gen_frame_args gen_frame_args(struct gen *g, const struct ir_expr *call);
/** Fails when calls are nested too deep. Gives the number of calls around the place, with the new one. */
LLVMValueRef gen_frame_nest(struct gen *g, uint32_t place);
void gen_frame_pass(struct gen *g, const struct ir_func *func, const struct gen_frame_args *args, LLVMValueRef frame);
/** The result, when the function is done; `result` NULL: nobody wants the string. */
LLVMValueRef gen_frame_take(struct gen *g, const struct ir_func *func, LLVMValueRef frame, const struct gen_str *result);
/** The activation whose frame begins there. */
void gen_frame_enter(struct gen *g, struct gen_frame *f, LLVMValueRef frame);
/** Its slots, its code. */
void gen_frame_body(struct gen *g, struct gen_frame *f);

/** An address that many bytes behind `base` that are known later, as operand 1. */
LLVMValueRef gen_frame_behind(struct gen *g, LLVMValueRef base);

#endif
