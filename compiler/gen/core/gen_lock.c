// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_lock.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"

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
	LLVMBasicBlockRef busy = gen_block(g), got = gen_block(g);

	g->engine->lock->take(g, g->fn->plan->lock - 1, busy);
	gen_goto(g, got);
	gen_enter(g, busy);
	gen_fail_lost(g, SP_LOSS_BUSY);
	gen_goto(g, got);
	gen_enter(g, got);
	gen_store(g, gen_i64(g, 1), g->fn->held);
}

void gen_lock_release(struct gen *g)
{
	g->engine->lock->release(g, g->fn->plan->lock - 1);
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
	g->engine->lock->release(g, g->fn->plan->lock - 1);
	gen_goto(g, done);
	gen_enter(g, done);
}
