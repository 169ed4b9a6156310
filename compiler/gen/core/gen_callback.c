// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_callback.h"

#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_engine.h"

#include <stdio.h>

#define MAX_PARAMS 4

static void begin(struct gen *g, struct gen_callback *cb, const char *name, unsigned n_params, uint32_t place)
{
	LLVMTypeRef params[MAX_PARAMS];
	struct gen_fn *fn = g->fn;

	cb->outer_fn = fn->fn;
	cb->outer_entry = fn->entry;
	cb->outer_body = fn->body;
	cb->outer_block = LLVMGetInsertBlock(g->b);
	cb->scope = sp_arena_new(g->arena, struct gen_debug_scope);
	// for_each_map_elem: map, key, value, closure; loop: index, closure
	for (unsigned i = 0; i < n_params; i++)
		params[i] = n_params == 2 && i == 0 ? g->i64 : g->ptr;
	cb->fn = gen_function_local(g, name, LLVMFunctionType(g->i64, params, n_params, false), place);
	gen_debug_callback(g->debug, cb->fn, name, n_params, place, cb->scope);
	fn->fn = cb->fn;
	fn->callbacks++;
	fn->outlined += n_params == 1;
	fn->entry = gen_block(g);
	fn->body = gen_block(g);
	if (g->engine->fn->callback_begin)
		g->engine->fn->callback_begin(g);
	LLVMPositionBuilderAtEnd(g->b, fn->body);
	cb->next = gen_block(g);
	cb->stop = gen_block(g);
}

// Of a loop in a loop the verifier would follow each way out of a round through all further rounds, which multiply. Of other loops, and of
// code that is called once, it may know the way: else Linux 6.1 follows all ways behind it each time.
static LLVMValueRef way_out(struct gen *g, size_t number, unsigned n_params)
{
	LLVMValueRef value = gen_i64(g, (int64_t)number);

	return n_params > 1 && g->fn->callbacks > g->fn->outlined ? gen_forget(g, value) : value;
}

void gen_callback_begin(struct gen *g, struct gen_callback *cb, const char *name, unsigned n_params, uint32_t place)
{
	char unique[96];

	*cb = (struct gen_callback){ .how = gen_temp(g, 8) };
	cb->no_exit = LLVMBuildStore(g->b, way_out(g, 0, n_params), cb->how);
	LLVMSetAlignment(cb->no_exit, 8);
	snprintf(unique, sizeof(unique), "%s__%s_%u", g->fn->prog->name, name, g->n_callbacks++);
	begin(g, cb, unique, n_params, place);
}

void gen_callback_begin_shared(struct gen *g, struct gen_callback *cb, const char *name, const LLVMValueRef *values,
			       unsigned n, LLVMValueRef *inside_ret)
{
	*cb = (struct gen_callback){ .how = NULL };
	begin(g, cb, name, 2, IR_NO_PLACE);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef at = gen_at(g, LLVMGetParam(cb->fn, 1), (uint64_t)i * 8);

		inside_ret[i] = LLVMBuildLoad2(g->b, LLVMTypeOf(values[i]), at, "");
		LLVMSetAlignment(inside_ret[i], 8);
	}
}

// ---- jumps out ----------------------------------------------------------------------------------

// The block of the callback that leaves it for `target`.
static LLVMBasicBlockRef leave_for(struct gen *g, struct gen_callback *cb, LLVMBasicBlockRef *leaves,
				   LLVMBasicBlockRef target)
{
	size_t i;

	for (i = 0; i < cb->exits.n; i++)
		if (cb->exits.v[i] == target)
			return leaves[i];
	if (!cb->how)
		gen_bug(g, "a jump out of a callback that is shared");
	sp_vec_push(&cb->exits, target);
	leaves[i] = gen_block(g);
	gen_enter(g, leaves[i]);
	gen_store(g, way_out(g, i + 1, LLVMCountParams(cb->fn)), cb->how);
	LLVMBuildRet(g->b, gen_i64(g, 1));
	return leaves[i];
}

static unsigned count_jumps(LLVMValueRef fn)
{
	unsigned n = 0;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

		n += last ? LLVMGetNumSuccessors(last) : 0;
	}
	return n;
}

static void turn_jumps(struct gen *g, struct gen_callback *cb)
{
	unsigned n = count_jumps(cb->fn);
	LLVMBasicBlockRef *leaves = sp_arena_array(g->arena, LLVMBasicBlockRef, n + 1);

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(cb->fn); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

		for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
			LLVMBasicBlockRef target = LLVMGetSuccessor(last, i);

			if (LLVMGetBasicBlockParent(target) != cb->fn)
				LLVMSetSuccessor(last, i, leave_for(g, cb, leaves, target));
		}
	}
}

// ---- the closure --------------------------------------------------------------------------------

struct capture {
	LLVMValueRef outer, inner;
	bool is_in_closure;
};

struct captures {
	SP_VEC(struct capture) v;
	LLVMValueRef closure;
	uint32_t size; // of the closure
};

static bool is_outer(const struct gen_callback *cb, LLVMValueRef value)
{
	if (LLVMIsAInstruction(value))
		return LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)) != cb->fn;
	return LLVMIsAArgument(value) && LLVMGetParamParent(value) != cb->fn;
}

// By 0 bytes: how many they are is set later (gen_fn.c).
static bool is_behind(LLVMValueRef value)
{
	LLVMValueRef offset = LLVMIsAGetElementPtrInst(value) ? LLVMGetOperand(value, 1) : NULL;

	return offset && LLVMIsAConstantInt(offset) && LLVMConstIntGetSExtValue(offset);
}

// Loaded at the entry. An address behind another one is computed again, so that closures stay small.
static LLVMValueRef capture(struct gen *g, struct captures *all, LLVMValueRef value)
{
	struct capture c = { .outer = value };

	sp_vec_each(known, &all->v)
		if (known->outer == value)
			return known->inner;
	if (is_behind(value)) {
		c.inner = gen_at_index(g, capture(g, all, LLVMGetOperand(value, 0)), LLVMGetOperand(value, 1));
	} else {
		c.is_in_closure = true;
		c.inner = LLVMBuildLoad2(g->b, LLVMTypeOf(value), gen_at(g, all->closure, all->size), "");
		LLVMSetAlignment(c.inner, 8);
		all->size += 8;
	}
	sp_vec_push(&all->v, c);
	return c.inner;
}

static void capture_all(struct gen *g, struct gen_callback *cb, struct captures *all)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(cb->fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
			for (int k = 0; k < LLVMGetNumOperands(i); k++) {
				LLVMValueRef value = LLVMGetOperand(i, (unsigned)k);

				if (!LLVMValueIsBasicBlock(value) && is_outer(cb, value))
					LLVMSetOperand(i, (unsigned)k, capture(g, all, value));
			}
}

static void store_all(struct gen *g, const struct captures *all, LLVMValueRef closure)
{
	uint32_t at = 0;

	sp_vec_each(c, &all->v) {
		if (!c->is_in_closure)
			continue;
		LLVMSetAlignment(LLVMBuildStore(g->b, c->outer, gen_at(g, closure, at)), 8);
		at += 8;
	}
}

void gen_callback_end(struct gen *g, struct gen_callback *cb)
{
	struct captures all = { .closure = LLVMGetParam(cb->fn, LLVMCountParams(cb->fn) - 1) };
	struct gen_fn *fn = g->fn;

	gen_goto(g, cb->next);
	gen_enter(g, cb->next);
	LLVMBuildRet(g->b, gen_i64(g, 0));
	gen_enter(g, cb->stop);
	LLVMBuildRet(g->b, gen_i64(g, 1));
	turn_jumps(g, cb);
	LLVMPositionBuilderAtEnd(g->b, fn->entry);
	capture_all(g, cb, &all);
	if (!cb->how && all.v.n)
		gen_bug(g, "a shared callback that uses what only one of its callers has");
	gen_goto(g, fn->body);
	gen_debug_leave(g->debug, cb->scope);
	fn->fn = cb->outer_fn;
	fn->callbacks--;
	fn->outlined -= LLVMCountParams(cb->fn) == 1;
	fn->entry = cb->outer_entry;
	fn->body = cb->outer_body;
	if (g->engine->fn->callback_end)
		g->engine->fn->callback_end(g);
	LLVMPositionBuilderAtEnd(g->b, cb->outer_block);
	if (cb->how) {
		if (!cb->exits.n)
			LLVMInstructionEraseFromParent(cb->no_exit);
		cb->closure = gen_closure(g, SP_MAX(all.size, 8u));
		store_all(g, &all, cb->closure);
	}
	sp_vec_deinit(&all.v);
}


void gen_callback_call(struct gen *g, const struct gen_callback *cb)
{
	LLVMValueRef args[1] = { cb->closure };

	LLVMBuildCall2(g->b, LLVMFunctionType(g->i64, &g->ptr, 1, false), cb->fn, args, 1, "");
}

void gen_callback_loop(struct gen *g, struct gen_callback *cb, LLVMValueRef rounds)
{
	gen_call(g, GEN_LOOP, 4, rounds, cb->fn, cb->closure, gen_i64(g, 0));
	gen_callback_exits(g, cb);
}

void gen_callback_exits(struct gen *g, struct gen_callback *cb)
{
	LLVMValueRef how = cb->exits.n ? gen_load(g, cb->how) : NULL;

	for (size_t i = 0; i < cb->exits.n; i++) {
		LLVMBasicBlockRef other = gen_block(g);

		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, how, gen_i64(g, (int64_t)i + 1), ""), cb->exits.v[i],
			   other);
		gen_enter(g, other);
	}
	sp_vec_deinit(&cb->exits);
}
