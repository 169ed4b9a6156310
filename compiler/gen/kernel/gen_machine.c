// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_machine.h"

#include "compiler/gen/kernel/gen_cross.h"
#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_frame.h"

#include <stdio.h>

#define RESUME_SIZE 8 // in front of a frame: the number of the point where it goes on
#define MAX_ROUNDS (1u << 23) // BPF_MAX_LOOPS

struct machine_func {
	uint32_t func;
	uint64_t point; // of its beginning
};

struct gen_machine {
	LLVMValueRef fn;
	SP_VEC(struct machine_func) funcs;
	SP_VEC(LLVMBasicBlockRef) points; // by number
	// While it is made:
	LLVMBasicBlockRef yield, pop; // the round is over; so is the activation
	LLVMValueRef level, offset, frame; // of the activation: which, its distance from the first, its address with the number
	LLVMValueRef next; // address of the frame behind it
};

static LLVMValueRef state_at(struct gen *g, size_t offset)
{
	return gen_at(g, g->fn->state, offset);
}

static struct gen_machine *machine_of(struct gen *g)
{
	LLVMTypeRef params[2] = { g->i64, g->ptr };
	char name[96];

	if (g->machine)
		return g->machine;
	g->machine = sp_arena_new(g->arena, struct gen_machine);
	snprintf(name, sizeof(name), "%s__calls", g->fn->prog->name);
	g->machine->fn = gen_function(g, name, LLVMFunctionType(g->i64, params, 2, false), g->fn->prog->place);
	LLVMSetLinkage(g->machine->fn, LLVMInternalLinkage);
	return g->machine;
}

static bool is_inside(const struct gen *g)
{
	return g->machine && g->fn->machine == g->machine;
}

static uint64_t new_point(struct gen *g, struct gen_machine *m)
{
	sp_vec_push(&m->points, LLVMAppendBasicBlockInContext(g->ctx, m->fn, ""));
	return m->points.n - 1;
}

static uint64_t beginning_of(struct gen *g, struct gen_machine *m, uint32_t func)
{
	struct machine_func new = { .func = func };

	sp_vec_each(known, &m->funcs)
		if (known->func == func)
			return known->point;
	new.point = new_point(g, m);
	sp_vec_push(&m->funcs, new);
	return new.point;
}

// ---- calls --------------------------------------------------------------------------------------

// From outside: runs the machine until the first frame is done.
static void run(struct gen *g, struct gen_machine *m)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef closure = gen_closure(g, 16);

	gen_store(g, gen_i64(g, 0), state_at(g, offsetof(struct plan_state, level)));
	gen_store(g, gen_i64(g, GEN_END_NONE), state_at(g, offsetof(struct plan_state, end)));
	LLVMSetAlignment(LLVMBuildStore(g->b, g->fn->state, closure), 8);
	LLVMSetAlignment(LLVMBuildStore(g->b, g->fn->ctx, gen_at(g, closure, 8)), 8);
	gen_call(g, GEN_LOOP, 4, gen_i64(g, MAX_ROUNDS), m->fn, closure, gen_i64(g, 0));
	gen_release(g, mark);
}

// From inside: the current activation goes on, at a new point, when the next frame is done.
static void pause(struct gen *g, struct gen_machine *m)
{
	uint64_t point = new_point(g, m);
	LLVMValueRef level = LLVMBuildAdd(g->b, m->level, gen_i64(g, 1), "");

	gen_store(g, gen_i64(g, (int64_t)point), m->frame);
	gen_store(g, level, state_at(g, offsetof(struct plan_state, level)));
	gen_goto(g, m->yield);
	gen_enter(g, m->points.v[point]);
}

LLVMValueRef gen_machine_call(struct gen *g, const struct ir_expr *e, const struct gen_str *result)
{
	const struct ir_func *func = &g->unit->funcs.v[e->index];
	struct gen_machine *m = machine_of(g);
	struct gen_frame_args args = gen_frame_args(g, e);
	LLVMValueRef depth = gen_frame_nest(g, e->place), before = NULL, frame, end, depth_at;
	LLVMBasicBlockRef bad = gen_block(g), good = gen_block(g);
	bool inside = is_inside(g);

	if (inside && g->fn->callbacks)
		gen_bug(g, "a recursive call from a callback of its own");
	depth_at = state_at(g, offsetof(struct plan_state, depth));
	if (inside)
		before = gen_load(g, depth_at);
	frame = inside ? m->next : gen_at(g, g->fn->state, g->fn->plan->scratch_size);
	gen_frame_pass(g, func, &args, gen_at(g, frame, RESUME_SIZE));
	gen_store(g, gen_i64(g, (int64_t)beginning_of(g, m, e->index)), frame);
	gen_store(g, depth, depth_at);
	if (inside)
		pause(g, m);
	else
		run(g, m);
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

	search->found |= e->op == IR_CALL && search->plan->funcs[e->index].recurses;
}

bool gen_machine_pauses(const struct gen *g, const struct ir_stmt *list, uint32_t n)
{
	struct search search = { .plan = g->plan };
	struct ir_visitor visitor = { .ctx = &search, .expr = look_for_pause };

	for (; g->fn->machine && list && n; list = list->next, n--) {
		struct ir_stmt one = *list;

		one.next = NULL;
		ir_walk_stmts(&one, &visitor);
	}
	return search.found;
}

LLVMBasicBlockRef gen_machine_point(struct gen *g)
{
	struct gen_machine *m = g->fn->machine;
	uint64_t point = new_point(g, m);
	LLVMBasicBlockRef again = gen_block(g);

	gen_goto(g, m->points.v[point]);
	gen_enter(g, again);
	gen_store(g, gen_i64(g, (int64_t)point), m->frame);
	gen_goto(g, m->yield);
	gen_enter(g, m->points.v[point]);
	return again;
}

void gen_machine_end(struct gen *g, enum gen_end end)
{
	gen_store(g, gen_i64(g, end), state_at(g, offsetof(struct plan_state, end)));
	gen_goto(g, g->fn->machine->pop);
}

// ---- the callback -------------------------------------------------------------------------------

// The topmost frame, whose offset is bounded for the verifier.
static void find_frame(struct gen *g, struct gen_machine *m)
{
	LLVMValueRef closure = LLVMGetParam(m->fn, 1), is_level;
	LLVMBasicBlockRef within = gen_block(g), broken = gen_block(g);
	struct gen_fn *fn = g->fn;

	fn->state = LLVMBuildLoad2(g->b, g->ptr, closure, "");
	fn->ctx = LLVMBuildLoad2(g->b, g->ptr, gen_at(g, closure, 8), "");
	LLVMSetAlignment(fn->state, 8);
	LLVMSetAlignment(fn->ctx, 8);
	m->level = gen_keep(g, gen_load(g, state_at(g, offsetof(struct plan_state, level))));
	is_level = LLVMBuildICmp(g->b, LLVMIntULT, m->level, gen_i64(g, g->plan->max_nesting), "");
	gen_branch(g, is_level, within, broken);
	gen_enter(g, broken);
	LLVMBuildRet(g->b, gen_i64(g, 1));
	gen_enter(g, within);
	m->offset = LLVMBuildMul(g->b, m->level, gen_i64(g, RESUME_SIZE), ""); // its factor is known at the end
	m->frame = gen_at_index(g, gen_at(g, fn->state, fn->plan->scratch_size), m->offset);
	m->next = gen_frame_behind(g, m->frame);
	fn->scratch = m->frame;
	fn->extra = gen_frame_behind(g, m->frame);
	fn->variables = gen_frame_behind(g, m->frame);
	gen_frame_state(g);
}

static void make_function(struct gen *g, struct gen_machine *m, const struct machine_func *which)
{
	const struct ir_func *func = &g->unit->funcs.v[which->func];
	struct gen_frame f = { .func = func, .plan = &g->layout->funcs[which->func], .catch = &g->fn->fail, .leave = g->fn->done };
	uint32_t head = RESUME_SIZE + plan_frame_head(func);
	struct gen_debug_scope scope;

	gen_enter(g, m->points.v[which->point]);
	gen_debug_enter(g->debug, func->name, func->place, &scope);
	g->fn->temps_top = 0;
	f.scratch = head;
	gen_frame_enter(g, &f, gen_at(g, m->frame, RESUME_SIZE));
	gen_frame_body(g, &f);
	gen_debug_leave(g->debug, &scope);
}

static void finish(struct gen *g, struct gen_machine *m)
{
	LLVMBasicBlockRef more = gen_block(g), over = gen_block(g);

	gen_fail_blocks(g);
	gen_enter(g, g->fn->done);
	gen_machine_end(g, GEN_END_DONE);
	gen_enter(g, m->pop);
	gen_branch(g, gen_is_zero(g, m->level), over, more);
	gen_enter(g, more);
	gen_store(g, LLVMBuildSub(g->b, m->level, gen_i64(g, 1), ""), state_at(g, offsetof(struct plan_state, level)));
	gen_goto(g, m->yield);
	gen_enter(g, over);
	LLVMBuildRet(g->b, gen_i64(g, 1));
	gen_enter(g, m->yield);
	LLVMBuildRet(g->b, gen_i64(g, 0));
}

static void dispatch(struct gen *g, struct gen_machine *m, LLVMBasicBlockRef from)
{
	LLVMBasicBlockRef broken = gen_block(g);
	LLVMValueRef choice;

	LLVMPositionBuilderAtEnd(g->b, from);
	choice = LLVMBuildSwitch(g->b, gen_load(g, m->frame), broken, (unsigned)m->points.n);
	for (size_t i = 0; i < m->points.n; i++)
		LLVMAddCase(choice, gen_i64(g, (int64_t)i), m->points.v[i]);
	gen_enter(g, broken);
	LLVMBuildRet(g->b, gen_i64(g, 1));
}

// All sizes are known.
static void set_sizes(struct gen *g, struct gen_machine *m)
{
	struct gen_fn *fn = g->fn;
	uint32_t slots = SP_ALIGN_UP(fn->slots_size, 8), size = slots + fn->temps_size + fn->variables_size;
	uint64_t before = sizeof(struct sp_scratch_head) + g->plan->tokens_size + fn->plan->scratch_size;

	LLVMSetOperand(m->offset, 1, gen_i64(g, size));
	LLVMSetOperand(fn->extra, 1, gen_i64(g, slots));
	LLVMSetOperand(fn->variables, 1, gen_i64(g, slots + fn->temps_size));
	LLVMSetOperand(m->next, 1, gen_i64(g, size));
	// The last one has a next one, which is checked before it is used.
	before += (uint64_t)size * (g->plan->max_nesting + 1);
	if (before > SP_SCRATCH_MOST && !g->err)
		g->err = sp_err_new(SP_ERR_SCRIPT,
				    "%s: its recursive functions take %u bytes for each of %u nested calls; %u can be had for all: "
				    "lower -DMAXNESTING or -DMAXSTRINGLEN",
				    fn->prog->n_sites ? g->unit->sites.v[fn->prog->first_site].point : fn->prog->name, size,
				    g->plan->max_nesting, SP_SCRATCH_MOST);
	g->scratch_size = SP_MAX(g->scratch_size, before);
}

void gen_machine_make(struct gen *g, const struct gen_fn *handler)
{
	struct gen_machine *m = g->machine;
	struct gen_fn fn = { .prog = handler->prog, .plan = handler->plan, .prog_index = handler->prog_index, .is_callee = true, .machine = m };
	LLVMBasicBlockRef from;
	struct gen_debug_scope scope;

	if (!m)
		return;
	fn.fn = m->fn;
	gen_debug_callback(g->debug, fn.fn, "calls", 2, fn.prog->place, &scope);
	gen_fn_begin(g, &fn);
	m->yield = gen_block(g);
	m->pop = gen_block(g);
	find_frame(g, m);
	from = LLVMGetInsertBlock(g->b);
	for (size_t i = 0; i < m->funcs.n; i++) // grows on the way
		make_function(g, m, &(struct machine_func){ m->funcs.v[i].func, m->funcs.v[i].point });
	finish(g, m);
	dispatch(g, m, from);
	gen_cross(g, fn.fn, m->points.v, m->points.n);
	set_sizes(g, m);
	gen_fn_end(g);
	gen_debug_leave(g->debug, &scope);
	sp_vec_deinit(&m->funcs);
	sp_vec_deinit(&m->points);
	g->machine = NULL;
}
