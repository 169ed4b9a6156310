// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_coroutine.h"

#include "compiler/gen/core/gen_context.h"
#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_frame.h"
#include "compiler/gen/kernel/gen_kernel_state.h"
#include "compiler/gen/kernel/gen_spill.h"

#include <stdio.h>
#include <stdlib.h>

#define RESUME_SIZE 8 // in front of a frame: the number of the point where it goes on
#define MAX_ROUNDS (1u << 23) // BPF_MAX_LOOPS

struct coroutine_func {
	uint32_t func;
	uint64_t point; // of its beginning
};

struct gen_coroutine {
	LLVMValueRef fn;
	SP_VEC(struct coroutine_func) funcs;
	SP_VEC(LLVMBasicBlockRef) points; // by number; NULL, in the end: nothing comes there
	SP_VEC(LLVMBasicBlockRef) pauses; // by number: where the activation pauses to go on there; NULL: it is a beginning
	// While it is made:
	LLVMBasicBlockRef yield, pop; // the round is over; so is the activation
	LLVMValueRef level, offset, frame; // of the activation: which, its distance from the first, its address with the number
	LLVMValueRef next; // address of the frame behind it
};

static LLVMValueRef state_at(struct gen *g, size_t offset)
{
	return gen_at(g, g->fn->state, offset);
}

static struct gen_coroutine *coroutine_of(struct gen *g)
{
	LLVMTypeRef params[2] = { g->i64, g->ptr };
	char name[96];

	if (g->kernel->coroutine)
		return g->kernel->coroutine;
	g->kernel->coroutine = sp_arena_new(g->arena, struct gen_coroutine);
	snprintf(name, sizeof(name), "%s__calls", g->fn->prog->name);
	g->kernel->coroutine->fn = gen_function_local(g, name, LLVMFunctionType(g->i64, params, 2, false), g->fn->prog->place);
	return g->kernel->coroutine;
}

static bool is_inside(const struct gen *g)
{
	return g->kernel->coroutine && g->fn->kernel->coroutine == g->kernel->coroutine;
}

static uint64_t new_point(struct gen *g, struct gen_coroutine *co)
{
	sp_vec_push(&co->points, LLVMAppendBasicBlockInContext(g->ctx, co->fn, ""));
	sp_vec_push(&co->pauses, NULL);
	return co->points.n - 1;
}

static uint64_t beginning_of(struct gen *g, struct gen_coroutine *co, uint32_t func)
{
	struct coroutine_func new = { .func = func };

	sp_vec_each(known, &co->funcs)
		if (known->func == func)
			return known->point;
	new.point = new_point(g, co);
	sp_vec_push(&co->funcs, new);
	return new.point;
}

// ---- calls --------------------------------------------------------------------------------------

// From outside: runs the coroutine until the first frame is done.
static void run(struct gen *g, struct gen_coroutine *co)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef closure = gen_closure(g, 16);

	gen_store(g, gen_i64(g, 0), state_at(g, offsetof(struct plan_state, level)));
	gen_store(g, gen_i64(g, GEN_END_NONE), state_at(g, offsetof(struct plan_state, end)));
	LLVMSetAlignment(LLVMBuildStore(g->b, g->fn->state, closure), 8);
	LLVMSetAlignment(LLVMBuildStore(g->b, g->fn->keeps_context ? LLVMConstNull(g->ptr) : g->fn->ctx, gen_at(g, closure, 8)), 8);
	gen_call(g, GEN_LOOP, 4, gen_i64(g, MAX_ROUNDS), co->fn, closure, gen_i64(g, 0));
	gen_release(g, mark);
}

// From inside: the current activation goes on, at a new point, when the next frame is done.
static void pause(struct gen *g, struct gen_coroutine *co)
{
	uint64_t point = new_point(g, co);
	LLVMValueRef level = LLVMBuildAdd(g->b, co->level, gen_i64(g, 1), "");

	gen_store(g, gen_i64(g, (int64_t)point), co->frame);
	gen_store(g, level, state_at(g, offsetof(struct plan_state, level)));
	co->pauses.v[point] = LLVMGetInsertBlock(g->b);
	gen_goto(g, co->yield);
	gen_enter(g, co->points.v[point]);
}

LLVMValueRef gen_coroutine_call(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct ir_func *func = &g->unit->funcs.v[e->func];
	struct gen_coroutine *co = coroutine_of(g);
	struct gen_frame_args args = gen_frame_args(g, e);
	LLVMValueRef depth = gen_frame_nest(g, e->place), before = NULL, frame, end, depth_at;
	LLVMBasicBlockRef bad = gen_block(g), good = gen_block(g);
	bool inside = is_inside(g);

	gen_context_take_stacks(g, e->func);
	if (inside && g->fn->callbacks)
		gen_bug(g, "a recursive call from a callback of its own");
	depth_at = state_at(g, offsetof(struct plan_state, depth));
	if (inside)
		before = gen_load(g, depth_at);
	frame = inside ? co->next : gen_at(g, g->fn->state, g->fn->plan->scratch_size);
	gen_frame_pass(g, func, &args, gen_at(g, frame, RESUME_SIZE));
	gen_store(g, gen_i64(g, (int64_t)beginning_of(g, co, e->func)), frame);
	gen_store(g, depth, depth_at);
	if (inside)
		pause(g, co);
	else
		run(g, co);
	if (inside)
		gen_store(g, before, depth_at);
	end = gen_load(g, state_at(g, offsetof(struct plan_state, end)));
	gen_branch(g, gen_is_zero(g, end), good, bad);
	gen_enter(g, bad);
	if (!inside) // longer than bpf_loop goes round
		gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntEQ, end, gen_i64(g, GEN_END_NONE), ""), SP_RT_MAXACTION, e->place,
			    NULL);
	gen_fail_again(g, end, e->place);
	gen_goto(g, good);
	gen_enter(g, good);
	return gen_frame_take(g, func, gen_at(g, frame, RESUME_SIZE), result);
}

// ---- pauses in loops ----------------------------------------------------------------------------

struct search {
	const struct plan *plan;
	bool found;
};

static void look_for_pause(void *ctx, const struct ir_expr *e)
{
	struct search *search = ctx;

	search->found |= e->op == IR_CALL && search->plan->funcs[e->func].recurses;
}

bool gen_coroutine_pauses(const struct gen *g, const struct ir_stmt *list, uint32_t n)
{
	struct search search = { .plan = g->plan };
	struct ir_visitor visitor = { .ctx = &search, .expr = look_for_pause };

	for (; g->fn->kernel->coroutine && list && n; list = list->next, n--) {
		struct ir_stmt one = *list;

		one.next = NULL;
		ir_walk_stmts(&one, &visitor);
	}
	return search.found;
}

LLVMBasicBlockRef gen_coroutine_point(struct gen *g)
{
	struct gen_coroutine *co = g->fn->kernel->coroutine;
	uint64_t point = new_point(g, co);
	LLVMBasicBlockRef again = gen_block(g);

	gen_goto(g, co->points.v[point]);
	gen_enter(g, again);
	gen_store(g, gen_i64(g, (int64_t)point), co->frame);
	co->pauses.v[point] = again;
	gen_goto(g, co->yield);
	gen_enter(g, co->points.v[point]);
	return again;
}

void gen_coroutine_end(struct gen *g, enum gen_end end)
{
	gen_store(g, gen_i64(g, end), state_at(g, offsetof(struct plan_state, end)));
	gen_goto(g, g->fn->kernel->coroutine->pop);
}

// ---- the callback -------------------------------------------------------------------------------

// The topmost frame, whose offset is bounded for the verifier.
static void find_frame(struct gen *g, struct gen_coroutine *co)
{
	LLVMValueRef closure = LLVMGetParam(co->fn, 1), is_level;
	LLVMBasicBlockRef within = gen_block(g), broken = gen_block(g);
	struct gen_fn *fn = g->fn;

	fn->state = LLVMBuildLoad2(g->b, g->ptr, closure, "");
	fn->ctx = LLVMBuildLoad2(g->b, g->ptr, gen_at(g, closure, 8), "");
	LLVMSetAlignment(fn->state, 8);
	LLVMSetAlignment(fn->ctx, 8);
	co->level = gen_keep(g, gen_load(g, state_at(g, offsetof(struct plan_state, level))));
	is_level = LLVMBuildICmp(g->b, LLVMIntULT, co->level, gen_i64(g, g->plan->max_nesting), "");
	gen_branch(g, is_level, within, broken);
	gen_enter(g, broken);
	LLVMBuildRet(g->b, gen_i64(g, 1));
	gen_enter(g, within);
	co->offset = LLVMBuildMul(g->b, co->level, gen_i64(g, RESUME_SIZE), ""); // its factor is known at the end
	co->frame = gen_at_index(g, gen_at(g, fn->state, fn->plan->scratch_size), co->offset);
	co->next = gen_frame_behind(g, co->frame);
	fn->scratch = co->frame;
	fn->temps = gen_frame_behind(g, co->frame);
	fn->kernel->variables = gen_frame_behind(g, co->frame);
	gen_kernel_state_take(g);
}

static void make_function(struct gen *g, struct gen_coroutine *co, const struct coroutine_func *which)
{
	const struct ir_func *func = &g->unit->funcs.v[which->func];
	struct gen_frame f = { .func = func, .plan = &g->layout->funcs[which->func], .catch = &g->fn->fail, .leave = g->fn->done };
	uint32_t head = RESUME_SIZE + plan_frame_head(func);
	struct gen_debug_scope scope;

	gen_enter(g, co->points.v[which->point]);
	gen_debug_enter(g->debug, func->name, func->place, &scope);
	g->fn->temps_top = 0;
	f.scratch = head;
	gen_frame_enter(g, &f, gen_at(g, co->frame, RESUME_SIZE));
	gen_frame_body(g, &f);
	gen_debug_leave(g->debug, &scope);
}

static void finish(struct gen *g, struct gen_coroutine *co)
{
	LLVMBasicBlockRef more = gen_block(g), over = gen_block(g);

	gen_fail_blocks(g);
	gen_enter(g, g->fn->done);
	gen_coroutine_end(g, GEN_END_DONE);
	gen_enter(g, co->pop);
	gen_branch(g, gen_is_zero(g, co->level), over, more);
	gen_enter(g, more);
	gen_store(g, LLVMBuildSub(g->b, co->level, gen_i64(g, 1), ""), state_at(g, offsetof(struct plan_state, level)));
	gen_goto(g, co->yield);
	gen_enter(g, over);
	LLVMBuildRet(g->b, gen_i64(g, 1));
	gen_enter(g, co->yield);
	LLVMBuildRet(g->b, gen_i64(g, 0));
}

static void visit(struct sp_hash *seen, LLVMBasicBlockRef *todo, size_t *n, LLVMBasicBlockRef block)
{
	void **mark = sp_hash_insert(seen, &block, sizeof(block));

	if (!*mark)
		todo[(*n)++] = block;
	*mark = block;
}

// Behind a call that is never reached nothing goes on: what is found in front of it, nobody would have there.
static void drop_dead_points(struct gen_coroutine *co)
{
	LLVMBasicBlockRef *todo = sp_calloc(LLVMCountBasicBlocks(co->fn) + 1, sizeof(*todo)), block;
	struct sp_hash seen;
	size_t n = 0;

	sp_hash_init(&seen);
	for (size_t i = 0; i < co->points.n; i++)
		if (!co->pauses.v[i])
			visit(&seen, todo, &n, co->points.v[i]);
	while (n) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block = todo[--n]);

		for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++)
			visit(&seen, todo, &n, LLVMGetSuccessor(last, i));
		for (size_t i = 0; i < co->points.n; i++)
			if (co->pauses.v[i] == block)
				visit(&seen, todo, &n, co->points.v[i]);
	}
	for (size_t i = 0; i < co->points.n; i++)
		if (!*sp_hash_insert(&seen, &co->points.v[i], sizeof(co->points.v[i])))
			co->points.v[i] = NULL;
	sp_hash_deinit(&seen);
	free(todo);
}

static void dispatch(struct gen *g, struct gen_coroutine *co, LLVMBasicBlockRef from)
{
	LLVMBasicBlockRef broken = gen_block(g);
	LLVMValueRef choice;

	LLVMPositionBuilderAtEnd(g->b, from);
	choice = LLVMBuildSwitch(g->b, gen_load(g, co->frame), broken, (unsigned)co->points.n);
	for (size_t i = 0; i < co->points.n; i++)
		if (co->points.v[i])
			LLVMAddCase(choice, gen_i64(g, (int64_t)i), co->points.v[i]);
	gen_enter(g, broken);
	LLVMBuildRet(g->b, gen_i64(g, 1));
}

// All sizes are known.
static void set_sizes(struct gen *g, struct gen_coroutine *co)
{
	struct gen_fn *fn = g->fn;
	uint32_t slots = SP_ALIGN_UP(fn->slots_size, 8), size = slots + fn->temps_size + fn->kernel->variables_size;
	uint64_t before = sizeof(struct sp_scratch_head) + g->plan->tokens_size + fn->plan->scratch_size;

	LLVMSetOperand(co->offset, 1, gen_i64(g, size));
	LLVMSetOperand(fn->temps, 1, gen_i64(g, slots));
	LLVMSetOperand(fn->kernel->variables, 1, gen_i64(g, slots + fn->temps_size));
	LLVMSetOperand(co->next, 1, gen_i64(g, size));
	// The last one has a next one, which is checked before it is used.
	before += (uint64_t)size * (g->plan->max_nesting + 1);
	if (before > SP_SCRATCH_MOST)
		gen_fn_report_depth(g, fn, size, SP_SCRATCH_MOST);
	g->scratch_size = SP_MAX(g->scratch_size, before);
}

static bool is_walked(const struct plan *plan)
{
	for (size_t i = 0; i < plan->unit->funcs.n; i++)
		if (plan->funcs[i].recurses && plan->funcs[i].is_walked)
			return true;
	return false;
}

void gen_coroutine_make(struct gen *g, struct gen_fn *handler)
{
	struct gen_coroutine *co = g->kernel->coroutine;
	struct gen_fn fn = { .prog = handler->prog, .plan = handler->plan, .prog_index = handler->prog_index, .is_callee = true };
	LLVMBasicBlockRef from;
	struct gen_debug_scope scope;
	size_t n_points = 0;

	if (!co)
		return;
	fn.fn = co->fn;
	fn.keeps_context = g->plan->funcs[co->funcs.v[0].func].keeps_context;
	fn.may_sleep = handler->may_sleep && !is_walked(g->plan);
	gen_debug_callback(g->debug, fn.fn, "calls", 2, fn.prog->place, &scope);
	gen_fn_begin(g, &fn);
	fn.kernel->coroutine = co;
	co->yield = gen_block(g);
	co->pop = gen_block(g);
	find_frame(g, co);
	from = LLVMGetInsertBlock(g->b);
	for (size_t i = 0; i < co->funcs.n; i++) // grows on the way
		make_function(g, co, &(struct coroutine_func){ co->funcs.v[i].func, co->funcs.v[i].point });
	finish(g, co);
	drop_dead_points(co);
	dispatch(g, co, from);
	for (size_t i = 0; i < co->points.n; i++)
		if (co->points.v[i])
			co->points.v[n_points++] = co->points.v[i];
	gen_spill(g, fn.fn, co->points.v, n_points);
	set_sizes(g, co);
	gen_fn_end(g);
	gen_debug_leave(g->debug, &scope);
	sp_vec_deinit(&co->funcs);
	sp_vec_deinit(&co->points);
	sp_vec_deinit(&co->pauses);
	g->kernel->coroutine = NULL;
}
