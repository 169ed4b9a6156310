// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_lock.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_repeat.h"

#define LOOKS_PER_TRY 64 // SystemTap waits for 10 us between two tries
#define MOST_IN_PLACE 64 // rounds: the verifier follows each

// ---- the word ---------------------------------------------------------------------------------------------------------

static LLVMValueRef word_of(struct gen *g)
{
	uint32_t offset = g->plan->locks_offset + (g->fn->plan->lock - 1) * (uint32_t)sizeof(struct sp_lock);

	return gen_data(g, offset + offsetof(struct sp_lock, holder));
}

// An i1. What the handler does behind this is not done before.
static LLVMValueRef try(struct gen *g, LLVMValueRef word, LLVMValueRef me)
{
	LLVMValueRef pair = LLVMBuildAtomicCmpXchg(g->b, word, gen_i64(g, 0), me, LLVMAtomicOrderingSequentiallyConsistent,
						   LLVMAtomicOrderingSequentiallyConsistent, false);

	return gen_is_zero(g, LLVMBuildExtractValue(g->b, pair, 0, ""));
}

static void give_back(struct gen *g)
{
	LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpXchg, word_of(g), gen_i64(g, 0), LLVMAtomicOrderingSequentiallyConsistent,
			   false);
}

// ---- waiting ----------------------------------------------------------------------------------------------------------

// With or without lock_mark.
static LLVMValueRef cpu_in(struct gen *g, LLVMValueRef holder)
{
	return LLVMBuildTrunc(g->b, holder, g->i32, "");
}

// live: the word; what to put there; where it is put down that we have it. `arg`: does it give up when its own processor has it?
static LLVMValueRef look_again(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const bool *gives_up = arg;
	LLVMBasicBlockRef taken = gen_block(g), is_free = gen_block(g), got = gen_block(g), done = gen_block(g);
	LLVMValueRef go_on = gen_variable(g), now = gen_load_volatile(g, live[0]);

	(void)index;
	gen_store(g, gen_i64(g, 1), go_on);
	gen_branch(g, gen_is_zero(g, now), is_free, taken);
	gen_enter(g, taken);
	gen_call(g, GEN_KTIME_NS, 0); // takes some time
	if (*gives_up)
		gen_store(g, gen_bool(g, LLVMBuildICmp(g->b, LLVMIntNE, cpu_in(g, now), cpu_in(g, live[1]), "")), go_on);
	gen_goto(g, done);
	gen_enter(g, is_free);
	gen_branch(g, try(g, live[0], live[1]), got, done);
	gen_enter(g, got);
	gen_store(g, gen_i64(g, 1), live[2]);
	gen_store(g, gen_i64(g, 0), go_on);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, go_on)), "");
}

LLVMValueRef gen_lock_wait(struct gen *g, LLVMValueRef word, LLVMValueRef me, bool gives_up)
{
	LLVMValueRef has = gen_area(g, 8);
	struct gen_repeat rounds = {
		.name = "lock_round", .trips = g->unit->max_trylock * LOOKS_PER_TRY, .live = { word, me, has },
		.n_live = 3, .arg = &gives_up, .body = look_again,
	};

	if (g->engine->has_verifier && !g->engine->has(g, SP_FEATURE_BPF_LOOP))
		rounds.trips = SP_MIN(rounds.trips, (uint32_t)MOST_IN_PLACE);
	gen_store(g, gen_i64(g, 0), has);
	gen_repeat(g, &rounds);
	return LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, has)), "");
}

// ---- in the handler ---------------------------------------------------------------------------------------------------

void gen_lock_begin(struct gen *g)
{
	if (!g->fn->plan->lock)
		return;
	g->fn->held = gen_variable(g);
	gen_store(g, gen_i64(g, 0), g->fn->held);
	if (g->fn->plan->locks_all)
		gen_lock_take(g);
}

void gen_lock_take(struct gen *g)
{
	LLVMBasicBlockRef wait = gen_block(g), busy = gen_block(g), got = gen_block(g);
	LLVMValueRef word = word_of(g), cpu = gen_call(g, GEN_CPU, 0), me;

	me = LLVMBuildAdd(g->b, cpu, gen_i64(g, 1 | (int64_t)g->engine->lock_mark), "");
	gen_branch(g, try(g, word, me), got, wait);
	gen_enter(g, wait);
	gen_branch(g, g->engine->flow.wait(g, word, me), got, busy);
	gen_enter(g, busy);
	gen_fail_lost(g, SP_LOSS_BUSY);
	gen_goto(g, got);
	gen_enter(g, got);
	gen_store(g, gen_i64(g, 1), g->fn->held);
}

void gen_lock_release(struct gen *g)
{
	give_back(g);
	gen_store(g, gen_i64(g, 0), g->fn->held);
}

void gen_lock_end(struct gen *g)
{
	LLVMBasicBlockRef release, done;

	if (!g->fn->held)
		return;
	release = gen_block(g);
	done = gen_block(g);
	gen_branch(g, gen_is_zero(g, gen_load(g, g->fn->held)), done, release);
	gen_enter(g, release);
	give_back(g);
	gen_goto(g, done);
	gen_enter(g, done);
}
