// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_split.h"

#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/value/gen_map.h"
#include "compiler/plan/plan_map.h"

#include <errno.h>
#include <linux/bpf.h>

static LLVMValueRef is_short(struct gen *g, uint32_t map, LLVMValueRef key)
{
	uint32_t last = plan_short_key_size(&g->unit->maps.v[map]) - 1;

	return gen_is_zero(g, gen_load_sized(g, gen_at(g, key, last), 1, false));
}

static LLVMValueRef call_with(struct gen *g, enum gen_helper helper, LLVMValueRef map, LLVMValueRef key, LLVMValueRef value, uint64_t flags)
{
	return helper == GEN_MAP_UPDATE ? gen_call(g, helper, 4, map, key, value, gen_i64(g, (int64_t)flags)) : gen_call(g, helper, 2, map, key);
}

// A call of a helper with that of both maps which the key belongs to, and what it returns.
static LLVMValueRef call(struct gen *g, enum gen_helper helper, uint32_t map, LLVMValueRef key, LLVMValueRef value, uint64_t flags)
{
	LLVMBasicBlockRef in_short = gen_block(g), in_long = gen_block(g), done = gen_block(g);
	LLVMValueRef result = gen_variable(g);

	gen_branch(g, is_short(g, map, key), in_short, in_long);
	gen_enter(g, in_short);
	gen_store(g, call_with(g, helper, gen_kernel_def_short(g, map), key, value, flags), result);
	gen_goto(g, done);
	gen_enter(g, in_long);
	gen_store(g, call_with(g, helper, gen_map_ref(g, map), key, value, flags), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}

LLVMValueRef gen_split_lookup(struct gen *g, uint32_t map, LLVMValueRef key)
{
	return call(g, GEN_MAP_LOOKUP, map, key, NULL, 0);
}

static LLVMValueRef count(struct gen *g, uint32_t map, int64_t more)
{
	return LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, gen_data(g, g->plan->maps[map].data_offset), gen_i64(g, more),
				  LLVMAtomicOrderingMonotonic, false);
}

// What helpers return is an int.
static LLVMValueRef is(struct gen *g, LLVMValueRef result, int wanted)
{
	return LLVMBuildICmp(g->b, LLVMIntEQ, LLVMBuildTrunc(g->b, result, g->i32, ""),
			     LLVMConstInt(g->i32, (unsigned long long)wanted, true), "");
}

LLVMValueRef gen_split_add(struct gen *g, uint32_t map, LLVMValueRef key, LLVMValueRef first)
{
	LLVMBasicBlockRef made = gen_block(g), too_many = gen_block(g), done = gen_block(g);
	LLVMValueRef limit = gen_i64(g, g->unit->maps.v[map].max_entries), result = gen_variable(g);

	gen_store(g, call(g, GEN_MAP_UPDATE, map, key, first, BPF_NOEXIST), result);
	gen_branch(g, is(g, gen_load(g, result), 0), made, done);
	gen_enter(g, made);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, count(g, map, 1), limit, ""), done, too_many);
	gen_enter(g, too_many);
	gen_split_delete(g, map, key);
	gen_store(g, gen_i64(g, -E2BIG), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}

LLVMValueRef gen_split_set(struct gen *g, uint32_t map, LLVMValueRef key, LLVMValueRef value)
{
	LLVMBasicBlockRef absent = gen_block(g), done = gen_block(g);
	LLVMValueRef result = gen_variable(g), added;

	gen_store(g, call(g, GEN_MAP_UPDATE, map, key, value, BPF_EXIST), result);
	gen_branch(g, is(g, gen_load(g, result), 0), done, absent);
	gen_enter(g, absent);
	added = gen_split_add(g, map, key, value); // unless another CPU has been faster: then it was also the last one
	gen_store(g, LLVMBuildSelect(g->b, is(g, added, -EEXIST), gen_i64(g, 0), added, ""), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}

void gen_split_delete(struct gen *g, uint32_t map, LLVMValueRef key)
{
	LLVMBasicBlockRef absent = gen_block(g), done = gen_block(g);

	count(g, map, -1);
	gen_branch(g, is(g, call(g, GEN_MAP_DELETE, map, key, NULL, 0), 0), done, absent);
	gen_enter(g, absent);
	count(g, map, 1);
	gen_goto(g, done);
	gen_enter(g, done);
}
