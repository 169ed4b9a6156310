// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_fn.h"

#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/kernel/gen_coroutine.h"
#include "compiler/gen/kernel/gen_global.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_state.h"
#include "compiler/gen/kernel/gen_syscall.h"

#include <linux/bpf.h>

// ---- the stack ----------------------------------------------------------------------------------

static void new_stack(struct gen *g)
{
	struct gen_fn *fn = g->fn;

	LLVMPositionBuilderAtEnd(g->b, fn->entry);
	fn->temps = LLVMBuildArrayAlloca(g->b, g->i8, gen_i64(g, 0), "");
	LLVMSetAlignment(fn->temps, 8);
	fn->temps_top = fn->temps_size = 0;
	fn->kernel->stack = fn->temps;
	fn->kernel->variables = NULL;
}

static void set_stack_size(struct gen *g)
{
	const struct gen_kernel_fn *k = g->fn->kernel;

	LLVMSetOperand(k->stack, 0, gen_i64(g, k->variables ? k->closure_size : g->fn->temps_size));
}

static void begin(struct gen *g)
{
	g->fn->kernel = sp_arena_new(g->arena, struct gen_kernel_fn);
	new_stack(g);
}

static void end(struct gen *g)
{
	struct gen_kernel_fn *k = g->fn->kernel;

	set_stack_size(g);
	sp_vec_deinit(&k->outer);
	sp_vec_deinit(&k->kept);
}

static void callback_begin(struct gen *g)
{
	struct gen_fn *fn = g->fn;
	struct gen_kernel_outer outer = { .stack = fn->kernel->stack,
					  .variables = fn->kernel->variables,
					  .temps = fn->temps,
					  .temps_top = fn->temps_top,
					  .temps_size = fn->temps_size };

	sp_vec_push(&fn->kernel->outer, outer);
	new_stack(g);
}

static void callback_end(struct gen *g)
{
	struct gen_fn *fn = g->fn;
	struct gen_kernel_outer outer;

	set_stack_size(g);
	outer = sp_vec_pop(&fn->kernel->outer);
	fn->kernel->stack = outer.stack;
	fn->kernel->variables = outer.variables;
	fn->temps = outer.temps;
	fn->temps_top = outer.temps_top;
	fn->temps_size = outer.temps_size;
}

// A coroutine's gen_temp is scratch memory, and what is there is no pointer to the verifier.
static LLVMValueRef closure(struct gen *g, uint32_t size)
{
	struct gen_kernel_fn *k = g->fn->kernel;

	if (!k->variables)
		return gen_temp(g, size);
	k->closure_size = SP_MAX(k->closure_size, size);
	return k->stack;
}

// ---- does the handler run? ----------------------------------------------------------------------

// Has the script begun, and not ended? A handler that is one shot says so as it begins, so that no other run of it does more.
static void check_exiting(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef place, exiting;
	LLVMBasicBlockRef go;

	if (!g->plan->can_end && !g->plan->starts_at_once)
		return;
	place = gen_data(g, offsetof(struct sp_control, exiting));
	go = gen_block(g);
	g->fn->begins_exiting = g->fn->plan->is_one_shot;
	if (g->fn->begins_exiting && !gen_kernel_def_is_old(g))
		exiting = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpOr, place, gen_i64(g, SP_EXITING),
					     LLVMAtomicOrderingMonotonic, false);
	else
		exiting = gen_load_volatile(g, place);
	gen_branch(g, gen_is_zero(g, exiting), go, out);
	gen_enter(g, go);
	if (g->fn->begins_exiting && gen_kernel_def_is_old(g))
		gen_store_volatile(g, gen_i64(g, SP_EXITING), place);
}

// Nothing that an iterator tells is lost: while the ring buffer is more than half full, the program asks for the same object again
// by returning 1, and the runtime makes room.
static void wait_for_room(struct gen *g)
{
	LLVMBasicBlockRef wait = gen_block(g), go = gen_block(g);
	LLVMValueRef used = gen_call(g, GEN_RING_QUERY, 2, gen_kernel_def_events(g), gen_i64(g, BPF_RB_AVAIL_DATA));
	LLVMValueRef size = gen_call(g, GEN_RING_QUERY, 2, gen_kernel_def_events(g), gen_i64(g, BPF_RB_RING_SIZE));

	size = LLVMBuildLShr(g->b, size, gen_i64(g, 1), "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntUGT, used, size, ""), wait, go);
	gen_enter(g, wait);
	LLVMBuildRet(g->b, LLVMConstInt(g->i32, 1, false));
	gen_enter(g, go);
}

static uint32_t confined_fixup(const struct gen *g)
{
	for (size_t i = 0; i < g->unit->fixups.n; i++)
		if (g->unit->fixups.v[i].kind == SP_FIX_CONFINED && g->unit->fixups.v[i].object == g->fn->prog->program)
			return (uint32_t)i;
	return 0; // lowering has made it
}

// The mask is constant for the verifier: without -c and -x nothing of this is left.
static void check_family(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef look = gen_block(g), compare = gen_block(g), go = gen_block(g);
	LLVMValueRef mask = gen_load_volatile(g, gen_fixup(g, confined_fixup(g)));
	LLVMValueRef key = gen_area(g, 8), pid, found, bits;

	gen_branch(g, gen_is_zero(g, mask), go, look);
	gen_enter(g, look);
	pid = LLVMBuildLShr(g->b, gen_call_pure(g, GEN_PID_TGID), gen_i64(g, 32), "");
	gen_store_sized(g, pid, key, sizeof(uint32_t));
	found = gen_call(g, GEN_MAP_LOOKUP, 2, gen_kernel_def_family(g), key);
	gen_branch(g, gen_is_zero(g, found), out, compare);
	gen_enter(g, compare);
	bits = gen_load_sized(g, LLVMBuildIntToPtr(g->b, found, g->ptr, ""), 8, false);
	bits = LLVMBuildAnd(g->b, bits, mask, "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, bits, mask, ""), go, out);
	gen_enter(g, go);
}

// ---- the scratch frame --------------------------------------------------------------------------

// A handler may be interrupted by another one on its CPU: each takes the first frame that is free. In old kernels no handler leaves its
// CPU, and what interrupts one between its look and its store has gone again at the store.
static void claim_scratch(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef head = gen_block(g), claim = gen_block(g), busy = gen_block(g),
			  skip = gen_block(g);
	LLVMBasicBlockRef got = gen_block(g);
	LLVMValueRef level = gen_variable(g), key = gen_area(g, 8), cpu = gen_call(g, GEN_CPU, 0), frame, was, next;

	sp_vec_push(&g->kernel->cpu_calls, cpu);
	cpu = LLVMBuildMul(g->b, cpu, gen_i64(g, g->plan->scratch_levels), "");
	gen_store(g, gen_i64(g, 0), level);
	gen_goto(g, head);
	gen_enter(g, head);
	gen_store_sized(g, LLVMBuildAdd(g->b, cpu, gen_load(g, level), ""), key, sizeof(uint32_t));
	frame = gen_call(g, GEN_MAP_LOOKUP, 2, gen_kernel_def_scratch(g), key);
	frame = LLVMBuildIntToPtr(g->b, frame, g->ptr, "");
	gen_branch(g, gen_is_zero(g, frame), skip, claim);
	gen_enter(g, claim);
	was = gen_kernel_def_is_old(g) ? gen_load_volatile(g, frame) :
				   LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpXchg, frame, gen_i64(g, 1), LLVMAtomicOrderingMonotonic, false);
	gen_branch(g, gen_is_zero(g, was), got, busy);
	gen_enter(g, busy);
	next = LLVMBuildAdd(g->b, gen_load(g, level), gen_i64(g, 1), "");
	gen_store(g, next, level);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, next, gen_i64(g, g->plan->scratch_levels), ""), head,
		   skip);
	gen_enter(g, skip);
	gen_fail_count(g, SP_LOSS_NESTED);
	gen_goto(g, out);
	gen_enter(g, got);
	if (gen_kernel_def_is_old(g))
		gen_store_volatile(g, gen_i64(g, 1), frame);
	g->fn->scratch = gen_at(g, frame, sizeof(struct sp_scratch_head) + g->plan->tokens_size);
	if (g->fn->plan->keeps_state)
		gen_store(g, gen_load_sized(g, key, sizeof(uint32_t), false), gen_at(g, g->fn->scratch, offsetof(struct plan_state, scratch)));
}

static void release_scratch(struct gen *g)
{
	uint64_t before = sizeof(struct sp_scratch_head) + g->plan->tokens_size;

	if (g->fn->scratch)
		gen_store_volatile(g, gen_i64(g, 0), gen_at(g, g->fn->scratch, (uint64_t)-(int64_t)before));
}

static void read_site(struct gen *g)
{
	const struct ir_prog *prog = g->fn->prog;

	if (g->fn->plan->reads_site && prog->n_sites > 1)
		g->fn->site = gen_keep(g, gen_site_index(g));
}

// ---- handlers -----------------------------------------------------------------------------------

static LLVMValueRef add(struct gen *g, const struct ir_prog *prog, uint32_t index)
{
	LLVMTypeRef result = prog->kind == SP_PROG_REPLACE ? g->i64 : g->i32; // of which others have no more
	LLVMValueRef fn = gen_function(g, prog->name, LLVMFunctionType(result, &g->ptr, 1, false), prog->place);

	LLVMSetSection(fn, g->plan->progs[index].may_sleep ? sp_arena_printf(g->arena, "%s.s", prog->section) : prog->section);
	gen_debug_function(g->debug, fn, prog->name, prog->place);
	return fn;
}

static void enter(struct gen *g, LLVMBasicBlockRef out)
{
	struct gen_fn *fn = g->fn;

	fn->may_sleep = fn->plan->may_sleep;
	if (fn->prog->is_confined)
		check_family(g, out);
	check_exiting(g, out);
	if (fn->prog->kind == SP_PROG_ITER)
		wait_for_room(g);
	if (fn->plan->scratch_size)
		claim_scratch(g, out);
	read_site(g);
	if (fn->plan->keeps_state)
		gen_fn_share_with_callees(g, fn->scratch);
	if (!fn->plan->calls_back)
		return;
	fn->kernel->budget = gen_at(g, fn->scratch, offsetof(struct plan_state, budget));
	gen_store(g, gen_load_volatile(g, gen_data(g, offsetof(struct sp_control, max_action))), fn->kernel->budget);
	gen_fn_share_with_callbacks(g);
}

static LLVMValueRef budget(struct gen *g)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
	struct gen_kernel_fn *k = g->fn->kernel;
	LLVMValueRef left;

	if (k->budget)
		return k->budget;
	k->budget = gen_variable(g);
	LLVMPositionBuilderAtEnd(g->b, g->fn->entry);
	left = gen_load_volatile(g, gen_data(g, offsetof(struct sp_control, max_action)));
	gen_store(g, left, k->budget);
	LLVMPositionBuilderAtEnd(g->b, here);
	return k->budget;
}

// In front of the frame.
static LLVMValueRef tokens(struct gen *g)
{
	return gen_at(g, g->fn->state ? g->fn->state : g->fn->scratch, (uint64_t)-(int64_t)g->plan->tokens_size);
}

// ---- called functions ---------------------------------------------------------------------------

static LLVMValueRef call(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct plan_func *func = &g->plan->funcs[e->func];

	if (func->is_called_in_kernel)
		return gen_fn_call_own(g, e, result);
	return func->is_recursive ? gen_coroutine_call(g, e, result) : gen_fn_call_inlined(g, e, result);
}

// Behind what the caller has of the scratch frame. Recursive functions have none of that: at its end is room for what they call.
static LLVMValueRef callee_frame(struct gen *g, uint32_t func)
{
	if (g->fn->kernel->coroutine)
		return gen_at(g, g->fn->state, g->fn->plan->scratch_size - g->layout->funcs[func].whole_size);
	return gen_at(g, g->fn->scratch, g->frame->scratch + g->frame->plan->scratch_size);
}

static void callee_enter(struct gen *g, const struct ir_func *func, LLVMValueRef frame)
{
	gen_kernel_state_take(g);
	g->fn->scratch = gen_at(g, frame, plan_frame_head(func));
}

static void callee_end(struct gen *g, enum gen_end end)
{
	if (g->fn->kernel->coroutine)
		gen_coroutine_end(g, end);
	else
		LLVMBuildRet(g->b, gen_i64(g, end));
}

const struct gen_engine_fn gen_kernel_fn = {
	.add = add,
	.begin = begin,
	.end = end,
	.enter = enter,
	.leave = release_scratch,
	.recurse = gen_coroutine_make,
	.finish = gen_global_make,
	.call = call,
	.callee_frame = callee_frame,
	.callee_enter = callee_enter,
	.callee_end = callee_end,
	.callback_begin = callback_begin,
	.callback_end = callback_end,
	.closure = closure,
	.budget = budget,
	.tokens = tokens,
};
