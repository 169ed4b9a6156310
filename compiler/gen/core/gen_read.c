// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_read.h"

#define PAGE 4096 // the smallest that any machine has

static LLVMValueRef call(struct gen *g, const struct gen_read *read)
{
	bool is_user = read->space == IR_SPACE_USER;
	unsigned text = is_user ? GEN_READ_USER_STR : GEN_READ_KERNEL_STR;
	unsigned bytes = is_user ? GEN_READ_USER : GEN_READ_KERNEL;

	return gen_call(g, read->is_text ? text : bytes, 3, read->to, read->size, read->address);
}

// Pages that do not exist stay away, of which the second read tells.
static void touch(struct gen *g, const struct gen_read *read)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef byte = gen_temp(g, 8);

	for (uint32_t at = 0; at < read->most; at += PAGE)
		gen_call(g, GEN_COPY_FROM_USER, 3, byte, gen_i64(g, 1), LLVMBuildAdd(g->b, read->address, gen_i64(g, at), ""));
	if (read->most % PAGE != 1)
		gen_call(g, GEN_COPY_FROM_USER, 3, byte, gen_i64(g, 1),
			 LLVMBuildAdd(g->b, read->address, gen_i64(g, (int64_t)read->most - 1), ""));
	gen_release(g, mark);
}

LLVMValueRef gen_read(struct gen *g, const struct gen_read *read)
{
	LLVMValueRef first = call(g, read), result;
	LLVMBasicBlockRef again, done;

	if (read->space != IR_SPACE_USER || !g->fn->may_sleep || g->fn->walks)
		return first;
	again = gen_block(g);
	done = gen_block(g);
	result = gen_variable(g);
	gen_store(g, first, result);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSLT, first, gen_i64(g, 0), ""), again, done);
	gen_enter(g, again);
	touch(g, read);
	gen_store(g, call(g, read), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}
