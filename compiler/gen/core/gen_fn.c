// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_fn.h"

#include "compiler/gen/core/gen_context.h"
#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_frame.h"
#include "compiler/gen/core/gen_lock.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/value/gen_expr.h"

#include <stdio.h>

// ---- activations --------------------------------------------------------------------------------

LLVMValueRef gen_fn_call_inlined(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct ir_func *func = &g->unit->funcs.v[e->func];
	struct gen_frame *caller = g->frame, f = {
		.func = func, .plan = &g->layout->funcs[e->func], .caller = caller, .call_place = e->place, .catch = caller->catch
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
		f.result = g->plan->funcs[e->func].calls_back ? gen_temp(g, 8) : gen_variable(g);
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
	if (g->engine->flow.leave)
		g->engine->flow.leave(g);
	gen_leave(g, f->leave);
}

// ---- functions ----------------------------------------------------------------------------------

void gen_fn_begin(struct gen *g, struct gen_fn *fn)
{
	g->fn = fn;
	fn->entry = gen_block(g);
	fn->body = gen_block(g);
	fn->done = gen_block(g);
	fn->aborted = gen_block(g);
	fn->failed = gen_block(g);
	fn->told = gen_block(g);
	fn->fail = (struct gen_catch){ .block = gen_block(g) };
	g->engine->fn->begin(g);
	LLVMPositionBuilderAtEnd(g->b, fn->body);
}

void gen_fn_end(struct gen *g)
{
	LLVMPositionBuilderAtEnd(g->b, g->fn->entry);
	gen_goto(g, g->fn->body);
	g->engine->fn->end(g);
	g->fn = NULL;
	g->frame = NULL;
}

// ---- called functions ---------------------------------------------------------------------------

// long f(frame, state, ctx): 0, or enum gen_end.
static LLVMTypeRef callee_type(struct gen *g)
{
	LLVMTypeRef args[3] = { g->ptr, g->ptr, g->ptr };

	return LLVMFunctionType(g->i64, args, 3, false);
}

static bool is_shared(const struct gen *g, uint32_t func)
{
	return g->shares && g->plan->funcs[func].is_shared;
}

// Is the code of shared functions the same for both programs?
static bool are_alike(const struct gen *g, uint32_t a, uint32_t b)
{
	const struct plan_prog *p = &g->plan->progs[a], *q = &g->plan->progs[b];

	return g->unit->progs.v[a].kind == g->unit->progs.v[b].kind && p->is_stackless == q->is_stackless &&
	       p->has_texts_in_place == q->has_texts_in_place && p->may_sleep == q->may_sleep && p->can_exit == q->can_exit &&
	       p->goes_on == q->goes_on && p->keeps_match == q->keeps_match && p->tells_site == q->tells_site;
}

static LLVMValueRef shared_callee(const struct gen *g, uint32_t func)
{
	for (size_t i = 0; i < g->shared.n; i++)
		if (g->shared.v[i].func == func && are_alike(g, g->shared.v[i].prog, g->fn->prog_index))
			return g->shared.v[i].fn;
	return NULL;
}

static LLVMValueRef callee_of(struct gen *g, uint32_t func)
{
	struct gen_callee callee = { .func = func, .prog = g->fn->prog_index, .fn = is_shared(g, func) ? shared_callee(g, func) : NULL };
	uint32_t place = g->unit->funcs.v[func].place;
	char name[96];

	if (callee.fn)
		return callee.fn;
	for (size_t i = 0; i < g->callees.n; i++)
		if (g->callees.v[i].func == func)
			return g->callees.v[i].fn;
	snprintf(name, sizeof(name), "%s__function_%u", g->fn->prog->name, func);
	callee.fn = gen_function_local(g, name, callee_type(g), place);
	sp_vec_push(&g->callees, callee);
	if (is_shared(g, func))
		sp_vec_push(&g->shared, callee);
	return callee.fn;
}

LLVMValueRef gen_fn_call_own(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct ir_func *func = &g->unit->funcs.v[e->func];
	struct gen_frame_args values = gen_frame_args(g, e);
	LLVMValueRef depth_at = gen_at(g, g->fn->state, offsetof(struct plan_state, depth)), before = gen_load(g, depth_at);
	LLVMValueRef frame, depth, failed, args[3];
	LLVMBasicBlockRef bad = gen_block(g), good = gen_block(g);

	// Before the arguments are stored: behind the last frame is no memory.
	if (g->engine->has_verifier)
		gen_context_take_stacks(g, e->func);
	depth = gen_frame_nest(g, e->place);
	frame = g->engine->fn->callee_frame(g, e->func);
	gen_frame_pass(g, func, &values, frame);
	gen_store(g, depth, depth_at);
	gen_fail_mark(g, e->place);
	args[0] = frame;
	args[1] = g->fn->state;
	args[2] = g->fn->keeps_context ? LLVMConstNull(g->ptr) : g->fn->ctx;
	failed = LLVMBuildCall2(g->b, callee_type(g), callee_of(g, e->func), args, 3, "");
	gen_store(g, before, depth_at);
	gen_branch(g, gen_is_zero(g, failed), good, bad);
	gen_enter(g, bad);
	gen_fail_again(g, failed, e->place);
	gen_goto(g, good);
	gen_enter(g, good);
	return gen_frame_take(g, func, frame, result);
}

// What is in the state of the handler whose callees want something of the context is not in that of others.
static void keep_alone(struct gen *g, uint32_t prog)
{
	size_t n = 0;

	sp_vec_each(callee, &g->shared)
		if (callee->prog != prog || !g->plan->funcs[callee->func].keeps_context)
			g->shared.v[n++] = *callee;
	g->shared.n = n;
}

static void make_callee(struct gen *g, const struct gen_fn *handler, struct gen_callee callee)
{
	const struct ir_func *func = &g->unit->funcs.v[callee.func];
	struct gen_fn fn = { .prog = handler->prog,
			     .plan = handler->plan,
			     .prog_index = handler->prog_index,
			     .fn = callee.fn,
			     .may_sleep = handler->may_sleep && !g->plan->funcs[callee.func].is_walked,
			     .is_callee = true,
			     .is_shared = is_shared(g, callee.func),
			     .keeps_context = g->engine->has_verifier && g->plan->funcs[callee.func].keeps_context };
	struct gen_debug_scope scope;
	struct gen_frame f = { .func = func, .plan = &g->layout->funcs[callee.func], .catch = &fn.fail };
	LLVMValueRef frame = LLVMGetParam(fn.fn, 0);

	gen_debug_callback(g->debug, fn.fn, func->name, LLVMCountParams(fn.fn), func->place, &scope);
	gen_fn_begin(g, &fn);
	fn.state = LLVMGetParam(fn.fn, 1);
	fn.ctx = LLVMGetParam(fn.fn, 2);
	g->engine->fn->callee_enter(g, func, frame);
	f.leave = fn.done;
	gen_frame_enter(g, &f, frame);
	gen_frame_body(g, &f);
	gen_fail_blocks(g);
	gen_enter(g, fn.done);
	LLVMBuildRet(g->b, gen_i64(g, 0));
	gen_fn_end(g);
	gen_debug_leave(g->debug, &scope);
}

// From the i-th on; they become more on the way.
static size_t make_callees(struct gen *g, const struct gen_fn *handler, size_t i)
{
	for (; i < g->callees.n; i++)
		make_callee(g, handler, g->callees.v[i]);
	return i;
}

LLVMValueRef gen_fn_call(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	return g->engine->fn->call(g, e, result);
}

// ---- handlers -----------------------------------------------------------------------------------

void gen_fn_share_with_callbacks(struct gen *g)
{
	struct gen_fn *fn = g->fn;

	fn->fault = gen_area(g, sizeof(struct sp_event_error));
	for (uint32_t i = 0; i < sizeof(struct sp_event_error); i += 8)
		gen_store(g, gen_i64(g, 0), gen_at(g, fn->fault, i));
	LLVMBuildStore(g->b, fn->fault, fn->error);
}

void gen_fn_share_with_callees(struct gen *g, LLVMValueRef state)
{
	struct gen_fn *fn = g->fn;

	fn->state = state;
	gen_store(g, gen_i64(g, 0), gen_at(g, fn->state, offsetof(struct plan_state, goes_on)));
	gen_store(g, gen_i64(g, 0), gen_at(g, fn->state, offsetof(struct plan_state, depth)));
	fn->shared = LLVMGetLastInstruction(LLVMGetInsertBlock(g->b));
	if (g->engine->has_verifier)
		gen_context_forget_stacks(g);
	if (fn->site)
		gen_store(g, fn->site, gen_at(g, fn->state, offsetof(struct plan_state, site)));
	if (g->shares && g->plan->shares)
		gen_store(g, gen_i64(g, fn->prog_index), gen_at(g, fn->state, offsetof(struct plan_state, prog)));
}

// No handler goes on with what another one has begun.
static void forget_tokens(struct gen *g)
{
	LLVMValueRef tokens = gen_tokens(g);

	gen_store(g, gen_i64(g, 0), tokens);
	gen_store(g, gen_i64(g, 0), gen_at(g, tokens, 8));
}

// Its place is in front of the slots. Callees find it behind the state or, where the state is elsewhere, through that.
static void keep_match(struct gen *g)
{
	struct gen_fn *fn = g->fn;

	fn->match = gen_at(g, fn->scratch, plan_state_size(g->plan, fn->plan));
	gen_store(g, gen_i64(g, 0), fn->match);
	if (fn->state && fn->state != fn->scratch)
		gen_store(g, gen_address(g, fn->match), gen_at(g, fn->state, offsetof(struct plan_state, match)));
}

// Where a record's head finds that it is printed behind an exit(), too: with what callees and callbacks share when there are some.
static LLVMValueRef place_of_goes_on(struct gen *g)
{
	const struct gen_fn *fn = g->fn;

	if (fn->state)
		return gen_at(g, fn->state, offsetof(struct plan_state, goes_on)); // gen_fn_share_with_callees has set it
	if (fn->plan->calls_back)
		return gen_at(g, fn->scratch, offsetof(struct plan_state, goes_on));
	return gen_variable(g);
}

static void prologue(struct gen *g, LLVMBasicBlockRef out)
{
	struct gen_fn *fn = g->fn;

	fn->error = gen_area(g, 8);
	g->engine->fn->enter(g, out);
	if (g->plan->tokens_size && fn->scratch)
		forget_tokens(g);
	if (fn->plan->keeps_match)
		keep_match(g);
	if (!fn->plan->can_exit && !(fn->plan->goes_on && g->engine->has_verifier))
		return;
	fn->goes_on = place_of_goes_on(g);
	if (!fn->state)
		gen_store(g, gen_i64(g, 0), fn->goes_on);
}

// The verifier wants to see that a verdict is one of two.
static LLVMValueRef result_of(struct gen *g, const struct gen_fn *fn)
{
	LLVMValueRef value = gen_load(g, fn->result);

	return fn->prog->kind == SP_PROG_NETFILTER ? LLVMBuildAnd(g->b, gen_forget(g, value), gen_i64(g, 1), "") : value;
}

void gen_fn_handler(struct gen *g, uint32_t index)
{
	const struct ir_prog *prog = &g->unit->progs.v[index];
	struct gen_fn fn = { .prog = prog, .plan = &g->plan->progs[index], .prog_index = index };
	struct gen_frame f = { .plan = &plan_layout(g->plan, index)->progs[index], .catch = &fn.fail };
	LLVMBasicBlockRef out;
	LLVMTypeRef type;
	size_t n_callees;

	g->layout = plan_layout(g->plan, index);
	g->n_callbacks = 0;
	fn.fn = g->engine->fn->add(g, prog, index);
	fn.ctx = LLVMGetParam(fn.fn, 0);
	gen_fn_begin(g, &fn);
	out = gen_block(g);
	if (prog->kind == SP_PROG_LSM || prog->kind == SP_PROG_REPLACE || prog->kind == SP_PROG_NETFILTER) {
		fn.result = gen_variable(g);
		gen_store(g, gen_i64(g, prog->kind == SP_PROG_NETFILTER), fn.result); // allowed; accepted
	}
	prologue(g, out);
	f.leave = fn.done;
	gen_frame_allocate(g, &f, prog->locals.n);
	gen_frame_open(g, &f, prog->locals.v, prog->locals.n, 0, prog->body);
	gen_lock_begin(g);
	gen_stmts(g, prog->body);
	gen_goto(g, fn.done);
	gen_debug_place(g->debug, prog->place);
	gen_fail_blocks(g);
	gen_enter(g, fn.done);
	gen_fail_end(g);
	gen_lock_end(g);
	if (g->engine->fn->leave)
		g->engine->fn->leave(g);
	gen_goto(g, out);
	gen_enter(g, out);
	type = LLVMGetReturnType(LLVMGlobalGetValueType(fn.fn));
	LLVMBuildRet(g->b, fn.result ? LLVMBuildTrunc(g->b, result_of(g, &fn), type, "") : LLVMConstNull(type));
	gen_fn_end(g);
	n_callees = make_callees(g, &fn, 0);
	if (g->engine->fn->recurse)
		g->engine->fn->recurse(g, &fn);
	make_callees(g, &fn, n_callees);
	if (g->context.n)
		keep_alone(g, index);
	gen_context_keep(g, &fn);
	g->engine->fn->finish(g, &fn);
	g->callees.n = 0;
}

// A rest has no site of its own.
static const char *point_of(const struct gen *g, const struct gen_fn *handler)
{
	const struct ir_prog *prog = handler->prog;

	for (size_t i = 0; i < g->unit->progs.n && !prog->n_sites; i++)
		if (g->unit->progs.v[i].deferral.rest == handler->prog_index)
			prog = &g->unit->progs.v[i];
	return prog->n_sites ? g->unit->sites.v[prog->first_site].point : prog->name;
}

void gen_fn_report_depth(struct gen *g, const struct gen_fn *handler, uint32_t size, uint32_t most)
{
	if (!g->err)
		g->err = sp_err_new(SP_ERR_SCRIPT, "%s: its recursive functions take %u bytes for each of %u nested calls; %u can be had for all: "
				    "lower -DMAXNESTING or -DMAXSTRINGLEN", point_of(g, handler), size, g->plan->max_nesting, most);
}
