// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_symbols.h"

#include "compiler/gen/core/gen_context.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/text/gen_tracer.h"
#include "compiler/gen/value/gen_expr.h"
#include "runtime/abi/event.h"
#include "runtime/abi/unwind.h"

#define STACK_BYTES (SP_SYMBOLS_MAX * 8)
#define SKIP_MASK 0xff // BPF_F_SKIP_FIELD_MASK

// Where the function returns to whose first instruction this is; 0 when that cannot be read. `sp`: the place on the stack that has it.
static LLVMValueRef return_address(struct gen *g, LLVMValueRef buffer, const struct ir_expr *sp)
{
	if (sp->size != 8)
		gen_store(g, gen_i64(g, 0), buffer);
	gen_call(g, GEN_READ_USER, 3, buffer, gen_i64(g, sp->size), gen_long(g, sp));
	return gen_load_volatile(g, buffer);
}

// The second address, of a stack at a function's entry: the walk by frame pointers has it or not.
static LLVMValueRef walk_has(struct gen *g, LLVMValueRef buffer, LLVMValueRef address)
{
	gen_store(g, gen_i64(g, 0), buffer);
	gen_context_stack(g, buffer, 8, gen_i64(g, 1), true);
	return LLVMBuildICmp(g->b, LLVMIntEQ, gen_load_volatile(g, buffer), address, "");
}

// The n-th address of the kernel's walk.
static LLVMValueRef walked_frame(struct gen *g, const struct ir_expr *e, LLVMValueRef n)
{
	LLVMValueRef at = n, second = NULL, found, buffer, address, less;
	uint32_t mark = gen_mark(g);
	bool is_user = e->builtin == BUILTIN_USTACK;

	if (e->tracer) {
		LLVMValueRef size, skip = gen_tracer_frames(g, e->tracer, gen_slot(g, gen_plan(g, e)->work), SP_TRACER_MAX, &size);

		at = gen_keep(g, LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, n, skip, ""), gen_i64(g, 1), ""));
	}
	buffer = gen_temp(g, 8);
	if (e->link) {
		second = gen_context_load(g, e->link, 8);
		at = LLVMBuildSub(g->b, n, gen_bool(g, LLVMBuildICmp(g->b, LLVMIntUGE, n, gen_i64(g, 2), "")), "");
	} else if (e->n_args == 2 && is_user) {
		second = return_address(g, buffer, e->args[1]);
		less = LLVMBuildICmp(g->b, LLVMIntUGE, n, gen_i64(g, 2), "");
		less = LLVMBuildAnd(g->b, less, LLVMBuildNot(g->b, walk_has(g, buffer, second), ""), "");
		at = LLVMBuildSub(g->b, n, gen_bool(g, less), "");
	}
	found = LLVMBuildICmp(g->b, LLVMIntEQ, gen_context_stack(g, buffer, 8, at, is_user), gen_i64(g, 8), "");
	address = gen_load_volatile(g, buffer);
	gen_release(g, mark);
	found = LLVMBuildAnd(g->b, found, LLVMBuildICmp(g->b, LLVMIntULT, n, gen_i64(g, SP_SYMBOLS_MAX), ""), "");
	address = LLVMBuildSelect(g->b, found, address, gen_i64(g, 0), "");
	if (e->n_args == 2 && !is_user)
		address = LLVMBuildSelect(g->b, gen_is_zero(g, n), gen_long(g, e->args[1]), address, "");
	if (!second)
		return address;
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, n, gen_i64(g, 1), ""), second, address, "");
}

static bool unwinds(const struct gen *g, const struct ir_expr *e)
{
	return g->plan->unwinds && g->engine->unwind && ir_is_user_stack(e);
}

static LLVMValueRef unwind_state(struct gen *g, const struct ir_expr *e)
{
	return gen_at(g, gen_slot(g, gen_plan(g, e)->work), ir_unwind_offset(e));
}

// Of the stack that the handler in the kernel has put into the record for its rest.
static bool is_recorded(const struct ir_expr *e)
{
	return e->n_args == 2 && e->args[1]->op == IR_CTX && !e->args[1]->size;
}

static LLVMValueRef recorded_frame(struct gen *g, const struct ir_expr *e, LLVMValueRef n)
{
	LLVMValueRef flags = LLVMBuildAnd(g->b, n, gen_i64(g, SKIP_MASK), ""), buffer, stack = gen_long(g, e->args[1]), is_there;
	uint32_t mark = gen_mark(g);

	buffer = gen_temp(g, 8);
	gen_store(g, gen_i64(g, 0), buffer);
	gen_call(g, GEN_GET_STACK, 4, LLVMBuildIntToPtr(g->b, stack, g->ptr, ""), buffer, gen_i64(g, 8), flags);
	is_there = LLVMBuildICmp(g->b, LLVMIntULT, n, gen_i64(g, SP_SYMBOLS_MAX), "");
	stack = LLVMBuildSelect(g->b, is_there, gen_load_volatile(g, buffer), gen_i64(g, 0), "");
	gen_release(g, mark);
	return stack;
}

// The n-th address, by unwind tables where there are some.
LLVMValueRef gen_symbols_frame(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef n = gen_keep(g, gen_long(g, e->args[0])), address, state, places, size, offset, is_there;
	LLVMBasicBlockRef unwound, inside, walked, done;

	if (is_recorded(e))
		return recorded_frame(g, e, n);
	if (!unwinds(g, e))
		return walked_frame(g, e, n);
	unwound = gen_block(g);
	inside = gen_block(g);
	walked = gen_block(g);
	done = gen_block(g);
	address = gen_variable(g);
	gen_store(g, gen_i64(g, 0), address);
	state = unwind_state(g, e);
	places = gen_at(g, state, sizeof(struct sp_unwind_state));
	size = gen_keep(g, g->engine->unwind(g, state, places));
	gen_branch(g, gen_is_zero(g, size), walked, unwound);
	gen_enter(g, unwound);
	offset = gen_keep(g, LLVMBuildShl(g->b, n, gen_i64(g, 3), ""));
	is_there = LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, STACK_BYTES - 8), "");
	gen_branch(g, LLVMBuildAnd(g->b, is_there, LLVMBuildICmp(g->b, LLVMIntULT, offset, size, ""), ""), inside, done);
	gen_enter(g, inside);
	gen_store(g, gen_load(g, gen_at_index(g, places, offset)), address);
	gen_goto(g, done);
	gen_enter(g, walked);
	gen_store(g, walked_frame(g, e, n), address);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, address);
}

// The walk by frame pointers from a function's entry lacks the caller, which is in the link register: walked from the second place on,
// it fits in front.
static LLVMValueRef linked_stack(struct gen *g, const struct ir_expr *e, LLVMValueRef places)
{
	bool is_user = e->space == IR_SPACE_USER;
	LLVMValueRef second = gen_at(g, places, 8), most = gen_i64(g, STACK_BYTES), size;

	size = gen_context_stack(g, second, STACK_BYTES, gen_i64(g, 0), is_user);
	size = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, size, gen_i64(g, 8), ""), size, gen_i64(g, 8), "");
	gen_store(g, !is_user && e->b ? gen_long(g, e->b) : gen_load_volatile(g, second), places);
	gen_store(g, gen_context_load(g, e->link, 8), second);
	size = LLVMBuildAdd(g->b, size, gen_i64(g, 8), "");
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, size, most, ""), size, most, "");
}

// The walk by frame pointers of a stack at a function's entry has the caller (newer kernels look for that) or its caller behind
// the first address: walked from the second place on, what is missing fits in front.
static LLVMValueRef walked_stack(struct gen *g, const struct ir_expr *e, LLVMValueRef places)
{
	bool is_user = e->space == IR_SPACE_USER;
	LLVMValueRef caller, size, first, second = gen_at(g, places, 8), has, most = gen_i64(g, STACK_BYTES);

	if (e->link)
		return linked_stack(g, e, places);
	if (!e->b || !is_user) {
		size = gen_context_stack(g, places, STACK_BYTES, gen_i64(g, 0), is_user);
		if (e->b)
			gen_store(g, gen_long(g, e->b), places);
		return size;
	}
	caller = return_address(g, places, e->b);
	size = gen_context_stack(g, second, STACK_BYTES, gen_i64(g, 0), true);
	size = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, size, gen_i64(g, 8), ""), size, gen_i64(g, 8), "");
	first = gen_load_volatile(g, second);
	has = LLVMBuildICmp(g->b, LLVMIntEQ, gen_load_volatile(g, gen_at(g, places, 16)), caller, "");
	has = gen_bool(g, has);
	gen_store(g, LLVMBuildSelect(g->b, gen_is_zero(g, has), first, gen_i64(g, 0), ""), places);
	gen_store(g, LLVMBuildSelect(g->b, gen_is_zero(g, has), caller, first, ""), second);
	size = LLVMBuildAdd(g->b, size, gen_i64(g, 8), "");
	most = LLVMBuildAdd(g->b, most, LLVMBuildMul(g->b, has, gen_i64(g, 8), ""), "");
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, size, most, ""), size, most, "");
}

// The same where the function is about to return: of its caller and what has called that. A 0 at the front is none.
static LLVMValueRef walked_from_caller(struct gen *g, const struct ir_expr *e, LLVMValueRef places)
{
	LLVMValueRef caller = return_address(g, places, e->b), second = gen_at(g, places, 8), size, has;

	gen_store(g, gen_i64(g, 0), second);
	size = gen_context_stack(g, second, STACK_BYTES, gen_i64(g, 1), true);
	size = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, size, gen_i64(g, 0), ""), size, gen_i64(g, 0), "");
	has = LLVMBuildICmp(g->b, LLVMIntEQ, gen_load_volatile(g, second), caller, "");
	gen_store(g, LLVMBuildSelect(g->b, has, gen_i64(g, 0), caller, ""), places);
	return LLVMBuildAdd(g->b, size, gen_i64(g, 8), "");
}

static LLVMValueRef whole_stack(struct gen *g, const struct ir_expr *e, LLVMValueRef places)
{
	LLVMBasicBlockRef walked, done;
	LLVMValueRef bytes, size;

	if (!unwinds(g, e))
		return e->at_exit ? walked_from_caller(g, e, places) : walked_stack(g, e, places);
	walked = gen_block(g);
	done = gen_block(g);
	bytes = gen_variable(g);
	size = gen_keep(g, g->engine->unwind(g, unwind_state(g, e), places));
	gen_store(g, size, bytes);
	if (e->at_exit)
		gen_store(g, gen_i64(g, 0), places);
	gen_branch(g, gen_is_zero(g, size), walked, done);
	gen_enter(g, walked);
	gen_store(g, e->at_exit ? walked_from_caller(g, e, places) : walked_stack(g, e, places), bytes);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, bytes);
}

// A stack that fills all places has, but for one in a million, an end that was not read.
LLVMValueRef gen_symbols_stack(struct gen *g, const struct ir_expr *e, LLVMValueRef places)
{
	LLVMValueRef size = gen_keep(g, whole_stack(g, e, places));

	gen_fail_count_if(g, LLVMBuildICmp(g->b, LLVMIntSGE, size, gen_i64(g, STACK_BYTES), ""), SP_LOSS_STACK);
	return size;
}

void gen_symbols_fill(struct gen *g, const struct ir_expr *e, LLVMValueRef address, LLVMValueRef place)
{
	const uint32_t whole = (uint32_t)offsetof(struct sp_symbols, addresses) + SP_SYMBOLS_PLACES * 8;
	uint64_t kind = (uint64_t)e->what << 32 | (uint64_t)(e->space == IR_SPACE_USER) << 48 |
			(uint64_t)e->tracer << 56;
	LLVMValueRef pid = LLVMBuildLShr(g->b, gen_call_pure(g, GEN_PID_TGID), gen_i64(g, 32), ""), size;
	LLVMValueRef addresses = gen_at(g, place, offsetof(struct sp_symbols, addresses));

	if (e->c) { // in the machine, which has room for calls
		gen_call(g, GEN_READ_KERNEL, 3, place, gen_i64(g, whole), gen_long(g, e->c));
		return;
	}
	if (address && e->b)
		pid = LLVMBuildAnd(g->b, gen_long(g, e->b), gen_i64(g, UINT32_MAX), "");
	gen_store(g, LLVMBuildOr(g->b, pid, gen_i64(g, (int64_t)kind), ""), place);
	if (address)
		gen_store(g, address, addresses);
	size = address ? gen_i64(g, 8) : gen_symbols_stack(g, e, addresses);
	gen_store(g, size, gen_at(g, place, offsetof(struct sp_symbols, size)));
}
