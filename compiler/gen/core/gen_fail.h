// SPDX-License-Identifier: GPL-2.0-or-later
/** Run-time errors of the script, exit(), and MAXACTION. */
#ifndef SP_GEN_GEN_FAIL_H
#define SP_GEN_GEN_FAIL_H

#include "compiler/gen/core/gen_core.h"

#include "runtime/abi/event.h"

/** Ends the block with a run-time error; goes on in code that cannot be reached. `value` may be NULL: 0. */
void gen_fail(struct gen *g, enum sp_error_code code, uint32_t place, LLVMValueRef value);
/** Fails where `cond` holds. */
void gen_fail_if(struct gen *g, LLVMValueRef cond, enum sp_error_code code, uint32_t place,
		 LLVMValueRef value);
/** error(message) */
void gen_fail_message(struct gen *g, const struct ir_expr *message, uint32_t place);
/** A function that was called at `place` has come to its `end`, and said why in the state; goes on like gen_fail. */
void gen_fail_again(struct gen *g, LLVMValueRef end, uint32_t place);
/** The blocks where failures arrive, at the end of a function. They go to gen_fn.done. */
void gen_fail_blocks(struct gen *g);

/** exit() */
void gen_fail_exit(struct gen *g);
/** Where a handler ends, however it came there. */
void gen_fail_end(struct gen *g);
/** abort(); goes on in code that cannot be reached. */
void gen_fail_abort(struct gen *g);
/** The head of a record, which names the program that runs. */
LLVMValueRef gen_fail_head(struct gen *g, enum sp_event_kind kind, uint32_t id);
/** The first word of a record: its head, with SP_EVENT_GOES_ON where that has been set. */
LLVMValueRef gen_fail_stamp(struct gen *g, LLVMValueRef head);
/** A record has been sent: what the handler sends behind it is printed, too. */
void gen_fail_go_on(struct gen *g);
/** Counts a loss of the program. */
void gen_fail_count(struct gen *g, enum sp_loss loss);
void gen_fail_count_if(struct gen *g, LLVMValueRef cond, enum sp_loss loss);
/** The same, and the handler is over. */
void gen_fail_lost(struct gen *g, enum sp_loss loss);
/** Takes one iteration from the handler's MAXACTION; fails when none is left. */
void gen_fail_spend(struct gen *g, uint32_t place);
/** A round of a loop or a call begins: if the machine's steps run out, its place is named. */
void gen_fail_mark(struct gen *g, uint32_t place);
/** Iterations of loops that a handler may do in the kernel. */
uint32_t gen_fail_max_action(const struct ir_unit *unit);

#endif
