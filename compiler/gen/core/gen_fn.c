// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_fn.h"

#include "compiler/gen/kernel/gen_syscall.h"

#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_frame.h"
#include "compiler/gen/kernel/gen_coroutine.h"
#include "compiler/gen/map/gen_map.h"
#include "compiler/gen/text/gen_print.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/text/gen_str.h"
#include "runtime/abi/uservm.h"

#include <stdio.h>

// ---- activations --------------------------------------------------------------------------------

static LLVMValueRef call_inlined(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct ir_func *func = &g->unit->funcs.v[e->index];
	struct gen_frame *caller = g->frame, f = {
		.func = func, .plan = &g->layout->funcs[e->index], .caller = caller, .call_place = e->place, .catch = caller->catch
	};
	struct gen_frame_args args = gen_frame_args(g, e);
	struct gen_debug_scope scope;
	uint32_t mark = gen_mark(g);

	gen_frame_nest(g, e->place);
	gen_frame_allocate(g, &f, func->locals.n);
	f.scratch = caller->scratch + caller->plan->scratch_size;
	g->frame = &f;
	for (unsigned i = 0; i < func->n_params; i++) {
		f.locals[i] = args.strings[i].ptr;
		f.local_caps[i] = args.strings[i].cap;
		if (func->locals.v[i].type == IR_STR)
			continue;
		f.locals[i] = gen_frame_variable(g, f.plan->locals[i]);
		gen_store(g, args.values[i], f.locals[i]);
	}
	f.leave = gen_block(g);
	if (func->type == IR_LONG) // in a closure it stays in memory, so it shares that with other calls
		f.result = g->plan->funcs[e->index].calls_back ? gen_temp(g, 8) : gen_variable(g);
	if (func->type == IR_STR && result) {
		f.result = result->ptr;
		f.result_cap = result->cap;
	}
	gen_debug_enter(g->debug, func->name, func->place, &scope);
	gen_frame_body(g, &f);
	gen_enter(g, f.leave);
	gen_debug_leave(g->debug, &scope);
	g->frame = caller;
	gen_release(g, mark);
	return func->type == IR_LONG ? gen_load(g, f.result) : gen_i64(g, 0);
}

static void close_iter(struct gen *g, LLVMValueRef variable)
{
	gen_call(g, SP_VM_ITER_CLOSE, 1, gen_load(g, variable));
	gen_store(g, gen_i64(g, -1), variable);
}

void gen_fn_return(struct gen *g, const struct ir_expr *value)
{
	struct gen_frame *f = g->frame;

	if (value && value->type == IR_STR) {
		if (f->result)
			gen_str_into(g, value, (struct gen_str){ f->result, f->result_cap }, true);
		else
			gen_effect(g, value);
	} else if (value) {
		LLVMValueRef number = gen_long(g, value);

		if (f->result)
			gen_store(g, number, f->result);
	}
	for (size_t i = g->fn->open.n; i > f->n_open; i--)
		close_iter(g, g->fn->open.v[i - 1]);
	gen_leave(g, f->leave);
}

// ---- iterators ----------------------------------------------------------------------------------

LLVMValueRef gen_fn_iter_open(struct gen *g, LLVMValueRef iter)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b), entry = g->fn->entry;
	LLVMValueRef variable;

	// A TRY around the outlined statements that the loop is among closes it, too.
	g->fn->entry = g->fn->first;
	variable = gen_variable(g);
	g->fn->entry = entry;
	LLVMPositionBuilderAtEnd(g->b, g->fn->first);
	gen_store(g, gen_i64(g, -1), variable);
	LLVMPositionBuilderAtEnd(g->b, here);
	gen_store(g, iter, variable);
	sp_vec_push(&g->fn->iters, variable);
	sp_vec_push(&g->fn->open, variable);
	return variable;
}

void gen_fn_iter_close(struct gen *g)
{
	close_iter(g, sp_vec_pop(&g->fn->open));
}

void gen_fn_iters_drop(struct gen *g, size_t first)
{
	for (size_t i = first; i < g->fn->iters.n; i++) {
		LLVMBasicBlockRef open = gen_block(g), done = gen_block(g);
		LLVMValueRef iter = gen_load(g, g->fn->iters.v[i]);

		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSGE, iter, gen_i64(g, 0), ""), open, done);
		gen_enter(g, open);
		close_iter(g, g->fn->iters.v[i]);
		gen_goto(g, done);
		gen_enter(g, done);
	}
}

// ---- functions ----------------------------------------------------------------------------------

void gen_fn_begin(struct gen *g, struct gen_fn *fn)
{
	g->fn = fn;
	fn->first = fn->entry = gen_block(g);
	fn->body = gen_block(g);
	fn->done = gen_block(g);
	fn->aborted = gen_block(g);
	fn->failed = gen_block(g);
	fn->told = gen_block(g);
	fn->fail = (struct gen_catch){ .block = gen_block(g) };
	if (g->engine == GEN_KERNEL) {
		LLVMPositionBuilderAtEnd(g->b, fn->entry);
		fn->stack = LLVMBuildArrayAlloca(g->b, g->i8, gen_i64(g, 0), "");
		LLVMSetAlignment(fn->stack, 8);
	}
	LLVMPositionBuilderAtEnd(g->b, fn->body);
}

void gen_fn_end(struct gen *g)
{
	LLVMPositionBuilderAtEnd(g->b, g->fn->entry);
	gen_goto(g, g->fn->body);
	if (g->fn->stack)
		LLVMSetOperand(g->fn->stack, 0, gen_i64(g, g->fn->coroutine ? g->fn->closure_size : g->fn->temps_size));
	sp_vec_deinit(&g->fn->frames);
	sp_vec_deinit(&g->fn->kept);
	sp_vec_deinit(&g->fn->iters);
	sp_vec_deinit(&g->fn->open);
	g->fn = NULL;
	g->frame = NULL;
}

// Where our own part of the VM's scratch memory and the callees' frames begin is known when all slots are.
static uint32_t place_extra(struct gen *g)
{
	struct gen_fn *fn = g->fn;
	uint32_t size = SP_ALIGN_UP(fn->slots_size, 8) + fn->temps_size;

	LLVMSetOperand(fn->extra, 1, gen_i64(g, SP_ALIGN_UP(fn->slots_size, 8)));
	for (size_t i = 0; i < fn->frames.n; i++)
		LLVMSetOperand(fn->frames.v[i], 1, gen_i64(g, size));
	return size;
}

// ---- called functions ---------------------------------------------------------------------------

// long f(frame, state, ctx): 0, or enum gen_end.
static LLVMTypeRef callee_type(struct gen *g)
{
	LLVMTypeRef args[3] = { g->ptr, g->ptr, g->ptr };

	return LLVMFunctionType(g->i64, args, 3, false);
}

static LLVMValueRef callee_of(struct gen *g, uint32_t func)
{
	struct gen_callee callee = { .func = func };
	uint32_t place = g->unit->funcs.v[func].place;
	char name[96];

	for (size_t i = 0; i < g->callees.n; i++)
		if (g->callees.v[i].func == func)
			return g->callees.v[i].fn;
	snprintf(name, sizeof(name), "%s__function_%u", g->fn->prog->name, func);
	callee.fn = gen_function(g, name, callee_type(g), place);
	LLVMSetLinkage(callee.fn, LLVMInternalLinkage);
	if (g->engine == GEN_USER)
		LLVMSetSection(callee.fn, LLVMGetSection(g->fn->fn));
	sp_vec_push(&g->callees, callee);
	return callee.fn;
}

// Behind what the caller has of the scratch memory.
static LLVMValueRef callee_frame(struct gen *g)
{
	LLVMValueRef frame;

	if (g->engine == GEN_KERNEL)
		return gen_at(g, g->fn->scratch, g->frame->scratch + g->frame->plan->scratch_size);
	frame = gen_frame_behind(g, g->fn->scratch);
	sp_vec_push(&g->fn->frames, frame);
	return frame;
}

static LLVMValueRef call_own(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct ir_func *func = &g->unit->funcs.v[e->index];
	struct gen_frame_args values = gen_frame_args(g, e);
	LLVMValueRef depth_at = gen_at(g, g->fn->state, offsetof(struct plan_state, depth)), before = gen_load(g, depth_at);
	LLVMValueRef frame, depth, failed, args[3];
	LLVMBasicBlockRef bad = gen_block(g), good = gen_block(g);

	// Before the arguments are stored: behind the last frame is no memory.
	depth = gen_frame_nest(g, e->place);
	frame = callee_frame(g);
	gen_frame_pass(g, func, &values, frame);
	gen_store(g, depth, depth_at);
	if (g->engine == GEN_USER)
		gen_fail_mark(g, e->place);
	args[0] = frame;
	args[1] = g->fn->state;
	args[2] = g->fn->ctx;
	failed = LLVMBuildCall2(g->b, callee_type(g), callee_of(g, e->index), args, 3, "");
	gen_store(g, before, depth_at);
	gen_branch(g, gen_is_zero(g, failed), good, bad);
	gen_enter(g, bad);
	gen_fail_again(g, failed, e->place);
	gen_goto(g, good);
	gen_enter(g, good);
	return gen_frame_take(g, func, frame, result);
}

// Returns the size of its frame (VM).
static uint32_t make_callee(struct gen *g, const struct gen_fn *handler, struct gen_callee callee)
{
	const struct ir_func *func = &g->unit->funcs.v[callee.func];
	struct gen_fn fn = { .prog = handler->prog,
			     .plan = handler->plan,
			     .prog_index = handler->prog_index,
			     .fn = callee.fn,
			     .is_callee = true };
	struct gen_debug_scope scope;
	struct gen_frame f = { .func = func, .plan = &g->layout->funcs[callee.func], .catch = &fn.fail };
	LLVMValueRef frame = LLVMGetParam(fn.fn, 0);
	uint32_t size;

	gen_debug_callback(g->debug, fn.fn, func->name, LLVMCountParams(fn.fn), func->place, &scope);
	gen_fn_begin(g, &fn);
	fn.state = LLVMGetParam(fn.fn, 1);
	fn.ctx = LLVMGetParam(fn.fn, 2);
	gen_frame_state(g);
	fn.scratch = gen_at(g, frame, plan_frame_head(func));
	if (g->engine == GEN_USER)
		fn.extra = gen_frame_behind(g, fn.scratch);
	f.leave = fn.done;
	gen_frame_enter(g, &f, frame);
	gen_frame_body(g, &f);
	gen_fail_blocks(g);
	gen_enter(g, fn.done);
	LLVMBuildRet(g->b, gen_i64(g, 0));
	size = g->engine == GEN_USER ? plan_frame_head(func) + place_extra(g) : 0;
	gen_fn_end(g);
	gen_debug_leave(g->debug, &scope);
	return size;
}

LLVMValueRef gen_fn_call(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct plan_func *func = &g->plan->funcs[e->index];

	if (g->engine == GEN_USER ? func->is_called_in_user : func->is_called_in_kernel)
		return call_own(g, e, result);
	if (func->is_recursive)
		return gen_coroutine_call(g, e, result);
	return call_inlined(g, e, result);
}

// ---- handlers -----------------------------------------------------------------------------------

// One that is there alone says so as it begins, so that no other one of its kind does.
static void check_exiting(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef place, exiting;
	LLVMBasicBlockRef go;

	if (!g->plan->can_end)
		return;
	place = gen_data(g, offsetof(struct sp_control, exiting));
	go = gen_block(g);
	if (g->fn->plan->is_one_shot)
		exiting = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpXchg, place, gen_i64(g, 1),
					     LLVMAtomicOrderingMonotonic, false);
	else
		exiting = gen_load_volatile(g, place);
	gen_branch(g, gen_is_zero(g, exiting), go, out);
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
	pid = LLVMBuildLShr(g->b, gen_call(g, GEN_PID_TGID, 0), gen_i64(g, 32), "");
	gen_store_sized(g, pid, key, sizeof(uint32_t));
	found = gen_call(g, GEN_MAP_LOOKUP, 2, gen_map_family(g), key);
	gen_branch(g, gen_is_zero(g, found), out, compare);
	gen_enter(g, compare);
	bits = gen_load_sized(g, LLVMBuildIntToPtr(g->b, found, g->ptr, ""), 8, false);
	bits = LLVMBuildAnd(g->b, bits, mask, "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, bits, mask, ""), go, out);
	gen_enter(g, go);
}

// A handler may be interrupted by another one on its CPU: each takes the first frame that is free.
static void claim_scratch(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef head = gen_block(g), claim = gen_block(g), busy = gen_block(g),
			  skip = gen_block(g);
	LLVMBasicBlockRef got = gen_block(g);
	LLVMValueRef level = gen_variable(g), key = gen_area(g, 8), cpu = gen_call(g, GEN_CPU, 0), frame, was, next;

	sp_vec_push(&g->cpu_calls, cpu);
	cpu = LLVMBuildMul(g->b, cpu, gen_i64(g, SP_SCRATCH_LEVELS), "");
	gen_store(g, gen_i64(g, 0), level);
	gen_goto(g, head);
	gen_enter(g, head);
	gen_store_sized(g, LLVMBuildAdd(g->b, cpu, gen_load(g, level), ""), key, sizeof(uint32_t));
	frame = gen_call(g, GEN_MAP_LOOKUP, 2, gen_map_scratch(g), key);
	frame = LLVMBuildIntToPtr(g->b, frame, g->ptr, "");
	gen_branch(g, gen_is_zero(g, frame), skip, claim);
	gen_enter(g, claim);
	was = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpXchg, frame, gen_i64(g, 1),
				 LLVMAtomicOrderingMonotonic, false);
	gen_branch(g, gen_is_zero(g, was), got, busy);
	gen_enter(g, busy);
	next = LLVMBuildAdd(g->b, gen_load(g, level), gen_i64(g, 1), "");
	gen_store(g, next, level);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, next, gen_i64(g, SP_SCRATCH_LEVELS), ""), head,
		   skip);
	gen_enter(g, skip);
	gen_fail_count(g, SP_LOSS_NESTED);
	gen_goto(g, out);
	gen_enter(g, got);
	g->fn->scratch = gen_at(g, frame, sizeof(struct sp_scratch_head) + g->plan->tokens_size);
}

static void release_scratch(struct gen *g)
{
	uint64_t before = sizeof(struct sp_scratch_head) + g->plan->tokens_size;
	LLVMValueRef head = gen_at(g, g->fn->scratch, (uint64_t)-(int64_t)before);
	LLVMValueRef store = LLVMBuildStore(g->b, gen_i64(g, 0), head);

	LLVMSetVolatile(store, true);
	LLVMSetAlignment(store, 8);
}

static void read_site(struct gen *g)
{
	const struct ir_prog *prog = g->fn->prog;

	if (g->fn->plan->reads_site && prog->n_sites > 1)
		g->fn->site = gen_keep(g, gen_site_index(g));
}

// What callbacks and outlined statements share with the handler is in memory.
static void begin_callbacks(struct gen *g)
{
	struct gen_fn *fn = g->fn;

	if (g->engine == GEN_KERNEL) {
		fn->budget = gen_at(g, fn->scratch, offsetof(struct plan_state, budget));
		gen_store(g, gen_load_volatile(g, gen_data(g, offsetof(struct sp_control, max_action))), fn->budget);
	}
	fn->fault = gen_area(g, sizeof(struct sp_event_error));
	for (uint32_t i = 0; i < sizeof(struct sp_event_error); i += 8)
		gen_store(g, gen_i64(g, 0), gen_at(g, fn->fault, i));
	LLVMBuildStore(g->b, fn->fault, fn->error);
}

// What functions that are called share with the handler is, too.
static void begin_calls(struct gen *g, LLVMValueRef state)
{
	struct gen_fn *fn = g->fn;

	fn->state = state;
	gen_store(g, gen_i64(g, 0), gen_at(g, fn->state, offsetof(struct plan_state, exited)));
	gen_store(g, gen_i64(g, 0), gen_at(g, fn->state, offsetof(struct plan_state, depth)));
	if (fn->site)
		gen_store(g, fn->site, gen_at(g, fn->state, offsetof(struct plan_state, site)));
}

// No handler goes on with what another one has begun.
static void forget_tokens(struct gen *g)
{
	LLVMValueRef tokens = gen_tokens(g);

	gen_store(g, gen_i64(g, 0), tokens);
	gen_store(g, gen_i64(g, 0), gen_at(g, tokens, 8));
}

// Its place is in front of the slots. Callees in the VM find it in the state.
static void keep_match(struct gen *g)
{
	struct gen_fn *fn = g->fn;

	fn->match = gen_at(g, fn->scratch, plan_state_size(g->plan, fn->plan));
	gen_store(g, gen_i64(g, 0), fn->match);
	if (g->engine == GEN_USER && fn->state)
		gen_store(g, gen_address(g, fn->match), gen_at(g, fn->state, offsetof(struct plan_state, match)));
}

// Where a record's head finds that exit() has been called: with what callees and callbacks share when there are some.
static LLVMValueRef place_of_exited(struct gen *g)
{
	const struct gen_fn *fn = g->fn;

	if (fn->state)
		return gen_at(g, fn->state, offsetof(struct plan_state, exited)); // begin_calls has set it
	if (fn->plan->calls_back)
		return gen_at(g, fn->scratch, offsetof(struct plan_state, exited));
	return gen_variable(g);
}

static void begin_in_kernel(struct gen *g, LLVMBasicBlockRef out)
{
	struct gen_fn *fn = g->fn;

	if (fn->prog->is_confined)
		check_family(g, out);
	check_exiting(g, out);
	if (fn->plan->scratch_size)
		claim_scratch(g, out);
	read_site(g);
	if (fn->plan->keeps_state)
		begin_calls(g, fn->scratch);
	if (fn->plan->calls_back)
		begin_callbacks(g);
}

static void begin_in_user(struct gen *g)
{
	struct gen_fn *fn = g->fn;

	fn->scratch_call = gen_call(g, SP_VM_SCRATCH, 1, gen_i64(g, 0));
	fn->scratch = LLVMBuildIntToPtr(g->b, fn->scratch_call, g->ptr, "");
	fn->extra = gen_frame_behind(g, fn->scratch);
	if (fn->plan->keeps_state_in_user)
		begin_calls(g, gen_temp(g, plan_calls_state_size(g->plan)));
	if (fn->plan->has_outlined)
		begin_callbacks(g);
}

static void prologue(struct gen *g, LLVMBasicBlockRef out)
{
	struct gen_fn *fn = g->fn;

	fn->error = gen_area(g, 8);
	if (g->engine == GEN_KERNEL)
		begin_in_kernel(g, out);
	else
		begin_in_user(g);
	if (g->plan->tokens_size && fn->scratch)
		forget_tokens(g);
	if (fn->plan->keeps_match)
		keep_match(g);
	if (!fn->plan->can_exit)
		return;
	fn->exited = place_of_exited(g);
	if (!fn->state)
		gen_store(g, gen_i64(g, 0), fn->exited);
}

// Returns the size of the largest frame (VM).
static uint32_t make_callees(struct gen *g, struct gen_fn *fn)
{
	uint32_t frame = 0;

	for (size_t i = 0; i < g->callees.n; i++) // grows on the way
		frame = SP_MAX(frame, make_callee(g, fn, g->callees.v[i]));
	return frame;
}

// VM: the memory of the handler and of the deepest chain of calls.
static void size_scratch(struct gen *g, struct gen_fn *fn, uint32_t own, uint32_t frame)
{
	uint32_t depth, most = g->plan->max_nesting;

	depth = fn->plan->recurses ? most : (uint32_t)SP_MIN(g->callees.n, (size_t)most);
	own += frame * depth;
	if (own) {
		LLVMSetOperand(fn->scratch_call, 0, gen_i64(g, own));
	} else {
		LLVMReplaceAllUsesWith(fn->scratch_call, gen_i64(g, 0));
		LLVMInstructionEraseFromParent(fn->scratch_call);
	}
}

static LLVMValueRef add_function(struct gen *g, const struct ir_prog *prog, uint32_t index)
{
	LLVMTypeRef type = LLVMFunctionType(g->engine == GEN_KERNEL ? g->i32 : g->i64, &g->ptr, 1,
					    false);
	LLVMValueRef fn = gen_function(g, prog->name, type, prog->place);
	char name[64];

	if (g->engine == GEN_KERNEL) {
		LLVMSetSection(fn, prog->section);
		gen_debug_function(g->debug, fn, prog->name, prog->place);
		return fn;
	}
	snprintf(name, sizeof(name), "p%u", index); // as object_user_read wants it
	LLVMSetSection(fn, name);
	return fn;
}

void gen_fn_handler(struct gen *g, uint32_t index)
{
	const struct ir_prog *prog = &g->unit->progs.v[index];
	struct gen_fn fn = { .prog = prog, .plan = &g->plan->progs[index], .prog_index = index };
	struct gen_frame f = { .plan = &plan_layout(g->plan, index)->progs[index], .catch = &fn.fail };
	LLVMBasicBlockRef out;
	uint32_t own = 0, frame;

	g->layout = plan_layout(g->plan, index);
	g->n_callbacks = 0;
	fn.fn = add_function(g, prog, index);
	fn.ctx = LLVMGetParam(fn.fn, 0);
	gen_fn_begin(g, &fn);
	out = gen_block(g);
	prologue(g, out);
	f.leave = fn.done;
	gen_frame_allocate(g, &f, prog->locals.n);
	gen_frame_open(g, &f, prog->locals.v, prog->locals.n, 0, prog->body);
	gen_stmts(g, prog->body);
	gen_goto(g, fn.done);
	gen_debug_place(g->debug, prog->place);
	gen_fail_blocks(g);
	gen_enter(g, fn.done);
	if (fn.scratch && g->engine == GEN_KERNEL)
		release_scratch(g);
	gen_goto(g, out);
	gen_enter(g, out);
	LLVMBuildRet(g->b, LLVMConstNull(g->engine == GEN_KERNEL ? g->i32 : g->i64));
	if (g->engine == GEN_USER)
		own = place_extra(g);
	gen_fn_end(g);
	frame = make_callees(g, &fn);
	if (g->engine == GEN_USER)
		size_scratch(g, &fn, own, frame);
	else
		gen_coroutine_make(g, &fn);
	g->callees.n = 0;
}
