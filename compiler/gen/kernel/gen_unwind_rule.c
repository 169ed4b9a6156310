// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_unwind_rule.h"

#include "compiler/gen/kernel/gen_kernel_def.h"

#include <linux/bpf.h>

#define SPREAD 0x9e3779b97f4a7c15 // 2^64 by the golden ratio

#define RULE(name) offsetof(struct sp_unwind_rule, name)

static LLVMValueRef equal(struct gen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildICmp(g->b, LLVMIntEQ, a, b, "");
}

// The address of the struct sp_unwind_rule. Processes that are not to be told apart have no rules: code goes to `none`.
static LLVMValueRef place_of(struct gen *g, const struct unwind_frame *f, LLVMBasicBlockRef none)
{
	LLVMValueRef map = gen_kernel_def_beside(g, SP_MAP_UNWIND_RULES, 0, BPF_MAP_TYPE_ARRAY, 1u << SP_UNWIND_RULE_BITS,
						 sizeof(uint32_t), sizeof(struct sp_unwind_rule));
	LLVMValueRef process = unwind_get(g, f, UNWIND(process)), found;
	LLVMBasicBlockRef known = gen_block(g), there = gen_block(g);

	gen_branch(g, gen_is_zero(g, process), none, known);
	gen_enter(g, known);
	found = LLVMBuildMul(g->b, LLVMBuildAdd(g->b, f->at, process, ""), gen_i64(g, (int64_t)SPREAD), "");
	gen_store(g, LLVMBuildLShr(g->b, found, gen_i64(g, 64 - SP_UNWIND_RULE_BITS), ""), f->key);
	found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, map, f->key), g->ptr, "");
	gen_branch(g, gen_is_zero(g, found), none, there);
	gen_enter(g, there);
	return found;
}

static LLVMValueRef changes_and(struct gen *g, const struct unwind_frame *f)
{
	return LLVMBuildOr(g->b, LLVMBuildShl(g->b, unwind_get(g, f, UNWIND(changes)), gen_i64(g, 32), ""), f->info, "");
}

void gen_unwind_rule_find(struct gen *g, const struct unwind_frame *f, LLVMValueRef info, LLVMBasicBlockRef found)
{
	LLVMBasicBlockRef none = gen_block(g), same = gen_block(g);
	LLVMValueRef rule = place_of(g, f, none), version, process, address, word, again, is_same;

	version = gen_load_volatile(g, gen_at(g, rule, RULE(version)));
	process = gen_load_volatile(g, gen_at(g, rule, RULE(process)));
	address = gen_load_volatile(g, gen_at(g, rule, RULE(address)));
	word = gen_load_volatile(g, gen_at(g, rule, RULE(changes_and_info)));
	again = gen_load_volatile(g, gen_at(g, rule, RULE(version)));
	is_same = equal(g, address, f->at);
	is_same = LLVMBuildAnd(g->b, is_same, equal(g, process, unwind_get(g, f, UNWIND(process))), "");
	is_same = LLVMBuildAnd(g->b, is_same, equal(g, LLVMBuildLShr(g->b, word, gen_i64(g, 32), ""),
						    unwind_get(g, f, UNWIND(changes))), "");
	is_same = LLVMBuildAnd(g->b, is_same, equal(g, version, again), "");
	is_same = LLVMBuildAnd(g->b, is_same, gen_is_zero(g, LLVMBuildAnd(g->b, version, gen_i64(g, 1), "")), "");
	gen_branch(g, is_same, same, none);
	gen_enter(g, same);
	gen_store(g, LLVMBuildAnd(g->b, word, gen_i64(g, UINT32_MAX), ""), info);
	gen_goto(g, found);
	gen_enter(g, none);
}

static void store(struct gen *g, LLVMValueRef value, LLVMValueRef rule, uint64_t member)
{
	LLVMValueRef instruction = LLVMBuildStore(g->b, value, gen_at(g, rule, member));

	LLVMSetAlignment(instruction, 8);
	LLVMSetVolatile(instruction, true);
}

void gen_unwind_rule_keep(struct gen *g, const struct unwind_frame *f)
{
	LLVMBasicBlockRef done = gen_block(g), free = gen_block(g), ours = gen_block(g);
	LLVMValueRef rule = place_of(g, f, done), version, next, pair;

	version = gen_load_volatile(g, gen_at(g, rule, RULE(version)));
	gen_branch(g, gen_is_zero(g, LLVMBuildAnd(g->b, version, gen_i64(g, 1), "")), free, done);
	gen_enter(g, free);
	next = LLVMBuildAdd(g->b, version, gen_i64(g, 1), "");
	pair = LLVMBuildAtomicCmpXchg(g->b, gen_at(g, rule, RULE(version)), version, next, LLVMAtomicOrderingSequentiallyConsistent,
				      LLVMAtomicOrderingSequentiallyConsistent, false);
	gen_branch(g, equal(g, LLVMBuildExtractValue(g->b, pair, 0, ""), version), ours, done);
	gen_enter(g, ours);
	store(g, unwind_get(g, f, UNWIND(process)), rule, RULE(process));
	store(g, f->at, rule, RULE(address));
	store(g, changes_and(g, f), rule, RULE(changes_and_info));
	store(g, LLVMBuildAdd(g->b, version, gen_i64(g, 2), ""), rule, RULE(version));
	gen_goto(g, done);
	gen_enter(g, done);
}
