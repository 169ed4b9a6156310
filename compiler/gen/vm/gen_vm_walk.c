// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/vm/gen_vm_walk.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/value/gen_element.h"
#include "compiler/gen/value/gen_map.h"
#include "compiler/gen/vm/gen_vm_state.h"
#include "runtime/abi/uservm.h"

// ---- iterators ----------------------------------------------------------------------------------

// A variable of the function that holds it: a TRY around the outlined statements that the loop is among closes it, too.
static LLVMValueRef open_iter(struct gen *g, LLVMValueRef iter)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b), entry = g->fn->entry;
	struct gen_vm_fn *vm = g->fn->vm;
	struct gen_vm_walk walk = { .frame = g->frame };

	g->fn->entry = vm->entry;
	walk.iter = gen_variable(g);
	g->fn->entry = entry;
	LLVMPositionBuilderAtEnd(g->b, vm->entry);
	gen_store(g, gen_i64(g, -1), walk.iter);
	LLVMPositionBuilderAtEnd(g->b, here);
	gen_store(g, iter, walk.iter);
	sp_vec_push(&vm->iters, walk.iter);
	sp_vec_push(&vm->open, walk);
	return walk.iter;
}

static void close_iter(struct gen *g, LLVMValueRef variable)
{
	gen_call(g, SP_VM_ITER_CLOSE, 1, gen_load(g, variable));
	gen_store(g, gen_i64(g, -1), variable);
}

void gen_vm_walk_leave(struct gen *g)
{
	const struct gen_vm_fn *vm = g->fn->vm;

	for (size_t i = vm->open.n; i && vm->open.v[i - 1].frame == g->frame; i--)
		close_iter(g, vm->open.v[i - 1].iter);
}

void gen_vm_walk_try_begin(struct gen *g)
{
	sp_vec_push(&g->fn->vm->tries, g->fn->vm->iters.n);
}

// Which of them were open where the failure happened is known when it runs.
static void close_open_ones(struct gen *g, size_t first)
{
	struct gen_vm_fn *vm = g->fn->vm;

	for (size_t i = first; i < vm->iters.n; i++) {
		LLVMBasicBlockRef open = gen_block(g), done = gen_block(g);
		LLVMValueRef iter = gen_load(g, vm->iters.v[i]);

		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSGE, iter, gen_i64(g, 0), ""), open, done);
		gen_enter(g, open);
		close_iter(g, vm->iters.v[i]);
		gen_goto(g, done);
		gen_enter(g, done);
	}
}

void gen_vm_walk_try_caught(struct gen *g)
{
	close_open_ones(g, sp_vec_pop(&g->fn->vm->tries));
}

void gen_vm_walk_failed(struct gen *g)
{
	close_open_ones(g, 0);
}

// ---- FOREACH ------------------------------------------------------------------------------------

void gen_vm_walk_foreach(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_map *map = &g->unit->maps.v[s->map];
	LLVMBasicBlockRef head = gen_block(g), body = gen_block(g), done = gen_block(g);
	LLVMValueRef key = gen_slot(g, gen_plan_stmt(g, s)->key), value = gen_slot(g, gen_plan_stmt(g, s)->value), limit, more, iter;

	key = key ? key : gen_temp(g, map->key_size);
	if (map->kind == SP_MAP_STAT)
		value = LLVMConstNull(g->ptr);
	else if (!value)
		value = gen_temp(g, map->value_size);
	limit = s->foreach.limit ? gen_element_limit(g, s) : gen_i64(g, -1);
	iter = open_iter(
		g, gen_call(g, SP_VM_ITER_OPEN, 3, gen_map_ref(g, s->map),
			    gen_i64(g, (int64_t)sp_vm_sort(s->foreach.sort_key, s->foreach.sort_dir)), limit));
	gen_goto(g, head);
	gen_enter(g, head);
	more = gen_call(g, SP_VM_ITER_NEXT, 3, gen_load(g, iter), key, value);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, more, gen_i64(g, 1), ""), body, done);
	gen_enter(g, body);
	gen_fail_mark(g, s->place);
	gen_element(g, s, key, value, done, head);
	gen_goto(g, head);
	gen_enter(g, done);
	close_iter(g, sp_vec_pop(&g->fn->vm->open).iter);
}
