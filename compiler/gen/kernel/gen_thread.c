// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_thread.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_state.h"

#include <linux/bpf.h>

static LLVMValueRef look(struct gen *g, uint32_t map, uint64_t flags)
{
	LLVMValueRef found = gen_call(g, GEN_TASK_STORAGE, 4, gen_kernel_def_threads(g, map), gen_call(g, GEN_TASK_BTF, 0), gen_i64(g, 0),
				      gen_i64(g, (int64_t)flags));

	return LLVMBuildIntToPtr(g->b, found, g->ptr, "");
}

// The handler looks for it once, unless it was not there.
static LLVMValueRef find(struct gen *g, uint32_t map, uint64_t flags)
{
	LLVMBasicBlockRef unknown, done;
	LLVMValueRef kept;

	if (!gen_kernel_state_keeps(g))
		return look(g, map, flags);
	unknown = gen_block(g);
	done = gen_block(g);
	kept = gen_kernel_state_kept(g, map, BUILTIN_TID);
	gen_branch(g, gen_is_zero(g, LLVMBuildLoad2(g->b, g->ptr, kept, "")), unknown, done);
	gen_enter(g, unknown);
	LLVMBuildStore(g->b, look(g, map, flags), kept);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildLoad2(g->b, g->ptr, kept, "");
}

static LLVMValueRef is_there(struct gen *g, LLVMValueRef element)
{
	return gen_at(g, element, offsetof(struct sp_direct, is_there));
}

static LLVMValueRef make(struct gen *g, uint32_t map)
{
	LLVMValueRef element = find(g, map, BPF_LOCAL_STORAGE_GET_F_CREATE);
	LLVMBasicBlockRef none = gen_block(g), made = gen_block(g);

	gen_branch(g, gen_is_zero(g, element), none, made);
	gen_enter(g, none);
	gen_fail_lost(g, SP_LOSS_BUSY);
	LLVMBuildUnreachable(g->b);
	gen_enter(g, made);
	gen_store(g, gen_i64(g, 1), is_there(g, element));
	return element;
}

// One of the element's words; 0 without one
static LLVMValueRef word(struct gen *g, uint32_t map, LLVMValueRef (*place)(struct gen *g, LLVMValueRef element))
{
	LLVMBasicBlockRef found = gen_block(g), done = gen_block(g);
	LLVMValueRef value = gen_variable(g), element;

	gen_store(g, gen_i64(g, 0), value);
	element = find(g, map, 0);
	gen_branch(g, gen_is_zero(g, element), done, found);
	gen_enter(g, found);
	gen_store(g, gen_load(g, place ? place(g, element) : element), value);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, value);
}

LLVMValueRef gen_thread_get(struct gen *g, uint32_t map)
{
	return word(g, map, NULL);
}

LLVMValueRef gen_thread_has(struct gen *g, uint32_t map)
{
	return word(g, map, is_there);
}

LLVMValueRef gen_thread_add(struct gen *g, uint32_t map, LLVMValueRef delta)
{
	return LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, make(g, map), delta, LLVMAtomicOrderingMonotonic, false);
}

void gen_thread_set(struct gen *g, uint32_t map, LLVMValueRef value)
{
	gen_store(g, value, make(g, map));
}

void gen_thread_delete(struct gen *g, uint32_t map)
{
	LLVMBasicBlockRef found = gen_block(g), done = gen_block(g);
	LLVMValueRef element = find(g, map, 0);

	gen_branch(g, gen_is_zero(g, element), done, found);
	gen_enter(g, found);
	gen_store(g, gen_i64(g, 0), element);
	gen_store(g, gen_i64(g, 0), is_there(g, element));
	gen_goto(g, done);
	gen_enter(g, done);
}
