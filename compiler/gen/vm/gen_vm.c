// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/vm/gen_vm.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_lock.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/vm/gen_vm_fn.h"
#include "compiler/gen/vm/gen_vm_map.h"
#include "compiler/gen/vm/gen_vm_state.h"
#include "compiler/gen/vm/gen_vm_text.h"
#include "compiler/gen/vm/gen_vm_walk.h"
#include "runtime/abi/uservm.h"

static bool runs(const struct plan_prog *plan)
{
	return plan->in_user;
}

static bool fails(const struct plan_prog *plan)
{
	return plan->fails_in_user;
}

// Helpers that go round are of no use where no verifier looks.
static bool has(const struct gen *g, enum sp_feature feature)
{
	(void)g;
	return feature == SP_FEATURE_ATOMICS;
}

static void begin(struct gen *g)
{
	g->vm = sp_arena_new(g->arena, struct gen_vm);
}

static void loop(struct gen *g, const struct ir_stmt *s)
{
	LLVMBasicBlockRef head = gen_block(g), body = gen_block(g), over = gen_block(g), done = gen_block(g);
	bool asks = gen_plan_code(g, s)->asks;

	gen_goto(g, head);
	gen_enter(g, head);
	if (asks)
		gen_lock_take(g);
	gen_condition(g, s->a, body, over);
	gen_enter(g, body);
	if (asks)
		gen_lock_release(g);
	gen_fail_mark(g, s->place);
	if (gen_plan_code(g, s)->form != PLAN_LOOP_UNROLL)
		gen_fail_spend(g, s->place);
	gen_stmts_round(g, s, done, head);
	gen_enter(g, over);
	if (asks)
		gen_lock_release(g);
	gen_goto(g, done);
	gen_enter(g, done);
}

// ---- locks --------------------------------------------------------------------------------------

static void take_lock(struct gen *g, uint32_t lock, LLVMBasicBlockRef busy)
{
	LLVMBasicBlockRef got = gen_block(g);
	LLVMValueRef has = gen_call(g, SP_VM_LOCK, 2, gen_i64(g, lock), gen_i64(g, g->unit->max_trylock));

	gen_branch(g, gen_is_zero(g, has), busy, got);
	gen_enter(g, got);
}

static void release_lock(struct gen *g, uint32_t lock)
{
	gen_call(g, SP_VM_UNLOCK, 1, gen_i64(g, lock));
}

static const struct gen_engine_lock locks = { .take = take_lock, .release = release_lock };

// ---- values -------------------------------------------------------------------------------------

// The machine puts it into the context.
static LLVMValueRef task_member(struct gen *g, const struct ir_expr *e)
{
	return gen_load_direct(g, g->fn->ctx, e->vm_offset, e->size);
}

static LLVMValueRef task_number(struct gen *g, const struct ir_expr *e)
{
	return gen_call(g, SP_VM_TASK_ID, 1, gen_i64(g, e->builtin == BUILTIN_PPID ? 0 : e->builtin == BUILTIN_EUID ? 1 : 2));
}

// The machine knows none for a thread that it probes, or when the kernel's memory is closed to it.
static LLVMValueRef task_address(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef task = gen_call(g, GEN_TASK, 0);

	gen_fail_if(g, gen_is_zero(g, task), SP_RT_NO_KERNEL, e->place, NULL);
	return task;
}

// Of the function that returns.
static LLVMValueRef function_address(struct gen *g, const struct ir_expr *e)
{
	(void)e;
	return gen_call(g, GEN_FUNC_IP, 1, g->fn->ctx);
}

static LLVMValueRef nothing(struct gen *g, const struct ir_expr *e)
{
	(void)e;
	return gen_i64(g, 0);
}

static LLVMValueRef stack_owner(struct gen *g, const struct ir_expr *e)
{
	return gen_call(g, SP_VM_STACK_OWNER, 1, gen_str_address(g, e->args[0]).ptr);
}

static LLVMValueRef (*const builtins[BUILTIN_COUNT])(struct gen *, const struct ir_expr *) = {
	[BUILTIN_ADDR] = function_address,
	[BUILTIN_COMPAT_TASK] = nothing,
	[BUILTIN_EGID] = task_number,
	[BUILTIN_EUID] = task_number,
	[BUILTIN_PERF] = nothing, // plan_calls.c leaves such handlers to the kernel
	[BUILTIN_PPID] = task_number,
	[BUILTIN_TASK_CURRENT] = task_address,
	[BUILTIN_UADDR] = nothing,
	[BUILTIN_USTACK_OWNER] = stack_owner,
};

const struct gen_engine gen_vm = {
	.name = "user",
	.counts_steps = true,
	.has_sections = true,
	.max_jumps = UINT32_MAX,
	.runs = runs,
	.fails = fails,
	.has = has,
	.begin = begin,
	.task_member = task_member,
	.builtins = builtins,
	.fn = &gen_vm_fn,
	.flow = { .loop = loop,
		  .leave = gen_vm_walk_leave,
		  .try_begin = gen_vm_walk_try_begin,
		  .try_caught = gen_vm_walk_try_caught },
	.lock = &locks,
	.record = &gen_vm_record,
	.map = &gen_vm_map,
	.text = &gen_vm_text,
};
