// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_lock.h"

#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/kernel/gen_aside.h"

#define MOST_LOOKS (1u << 22) // they take longer than anybody wants to wait
#define MOST_IN_PLACE 64 // without bpf_loop: the verifier follows each

#define WAIT "lock_wait"

static LLVMValueRef word_of(struct gen *g, uint32_t lock)
{
	return gen_data(g, g->plan->locks_offset + lock * sizeof(struct sp_lock) + offsetof(struct sp_lock, holder));
}

// An i1. What the handler does behind this is not done before.
static LLVMValueRef try(struct gen *g, LLVMValueRef word, LLVMValueRef me)
{
	LLVMValueRef pair = LLVMBuildAtomicCmpXchg(g->b, word, gen_i64(g, 0), me, LLVMAtomicOrderingSequentiallyConsistent,
						   LLVMAtomicOrderingSequentiallyConsistent, false);

	return gen_is_zero(g, LLVMBuildExtractValue(g->b, pair, 0, ""));
}

// ---- waiting ----------------------------------------------------------------------------------------------------------

// The processor of a handler in the kernel, or of one outside.
static LLVMValueRef cpu_in(struct gen *g, LLVMValueRef holder)
{
	return LLVMBuildTrunc(g->b, holder, g->i32, "");
}

// Is there another look? While there is time, unless our own processor has it.
static LLVMValueRef can_wait(struct gen *g, LLVMValueRef holder, const LLVMValueRef *live)
{
	LLVMValueRef in_time = LLVMBuildICmp(g->b, LLVMIntULT, gen_call(g, GEN_KTIME_NS, 0), live[3], "");

	return LLVMBuildAnd(g->b, in_time, LLVMBuildICmp(g->b, LLVMIntNE, cpu_in(g, holder), cpu_in(g, live[1]), ""), "");
}

// live: the word; what to put there; where it is put down that we have it; until when we wait.
static LLVMValueRef look_again(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	LLVMBasicBlockRef taken = gen_block(g), is_free = gen_block(g), got = gen_block(g), done = gen_block(g);
	LLVMValueRef more = gen_variable(g), holder = gen_load_volatile(g, live[0]);

	(void)arg, (void)index;
	gen_store(g, gen_i64(g, 1), more);
	gen_branch(g, gen_is_zero(g, holder), is_free, taken);
	gen_enter(g, taken);
	gen_store(g, gen_bool(g, can_wait(g, holder, live)), more);
	gen_goto(g, done);
	gen_enter(g, is_free);
	gen_branch(g, try(g, live[0], live[1]), got, done);
	gen_enter(g, got);
	gen_store(g, gen_i64(g, 1), live[2]);
	gen_store(g, gen_i64(g, 0), more);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, more)), "");
}

// long lock_wait(word, me): has it the lock? All handlers that have to wait call it.
static LLVMValueRef make_wait(struct gen *g)
{
	const LLVMTypeRef params[2] = { g->ptr, g->i64 };
	struct gen_repeat looks = { .name = "lock_look", .trips = MOST_LOOKS, .n_live = 4, .body = look_again };
	int64_t patience = (int64_t)g->unit->max_trylock * g->unit->trylock_delay * 1000;
	struct gen_aside aside;
	LLVMValueRef fn = gen_aside_begin(g, &aside, WAIT, params, 2), has = gen_area(g, 8);

	if (!g->engine->has(g, SP_FEATURE_BPF_LOOP))
		looks.trips = MOST_IN_PLACE;
	looks.live[0] = LLVMGetParam(fn, 0);
	looks.live[1] = LLVMGetParam(fn, 1);
	looks.live[2] = has;
	looks.live[3] = LLVMBuildAdd(g->b, gen_call(g, GEN_KTIME_NS, 0), gen_i64(g, patience), "");
	gen_store(g, gen_i64(g, 0), has);
	gen_repeat(g, &looks);
	LLVMBuildRet(g->b, gen_load(g, has));
	gen_aside_end(g, &aside);
	return fn;
}

static LLVMValueRef wait(struct gen *g, LLVMValueRef word, LLVMValueRef me)
{
	LLVMTypeRef params[2] = { g->ptr, g->i64 };
	LLVMValueRef fn = LLVMGetNamedFunction(g->mod, WAIT), args[2] = { word, me };

	fn = fn ? fn : make_wait(g);
	return LLVMBuildCall2(g->b, LLVMFunctionType(g->i64, params, 2, false), fn, args, 2, "");
}

// ---- the lock ---------------------------------------------------------------------------------------------------------

void gen_kernel_lock_take(struct gen *g, LLVMValueRef word, LLVMBasicBlockRef busy)
{
	LLVMBasicBlockRef taken = gen_block(g), got = gen_block(g);
	LLVMValueRef me = LLVMBuildAdd(g->b, gen_call(g, GEN_CPU, 0), gen_i64(g, 1), "");

	gen_branch(g, try(g, word, me), got, taken);
	gen_enter(g, taken);
	gen_branch(g, gen_is_zero(g, wait(g, word, me)), busy, got);
	gen_enter(g, got);
}

// By an exchange, which what came before does not pass.
void gen_kernel_lock_release(struct gen *g, LLVMValueRef word)
{
	LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpXchg, word, gen_i64(g, 0), LLVMAtomicOrderingSequentiallyConsistent, false);
}

static void take(struct gen *g, uint32_t lock, LLVMBasicBlockRef busy)
{
	gen_kernel_lock_take(g, word_of(g, lock), busy);
}

static void release(struct gen *g, uint32_t lock)
{
	gen_kernel_lock_release(g, word_of(g, lock));
}

const struct gen_engine_lock gen_kernel_lock = { .take = take, .release = release };
