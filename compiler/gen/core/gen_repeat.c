// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_repeat.h"

#include "compiler/gen/core/gen_aside.h"
#include "compiler/gen/core/gen_engine.h"

static void in_place(struct gen *g, const struct gen_repeat *r)
{
	LLVMBasicBlockRef head = gen_block(g), more = gen_block(g), done = gen_block(g);
	LLVMValueRef variable = gen_variable(g), index, next;

	gen_store(g, gen_i64(g, 0), variable);
	gen_goto(g, head);
	gen_enter(g, head);
	index = gen_load(g, variable);
	gen_branch(g, r->body(g, r->arg, index, r->live), more, done);
	gen_enter(g, more);
	next = gen_keep(g, LLVMBuildAdd(g->b, index, gen_i64(g, 1), ""));
	gen_store(g, next, variable);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, next, gen_i64(g, r->trips), ""), head, done);
	gen_enter(g, done);
}

// long callback(u64 index, void *live): 0 to go on
static LLVMValueRef make_callback(struct gen *g, const struct gen_repeat *r)
{
	const LLVMTypeRef params[2] = { g->i64, g->ptr };
	LLVMValueRef live[GEN_REPEAT_LIVE], callback, go;
	struct gen_aside aside;

	callback = gen_aside_begin(g, &aside, r->name, params, 2);
	for (unsigned i = 0; i < r->n_live; i++) {
		live[i] = gen_load(g, gen_at(g, LLVMGetParam(callback, 1), (uint64_t)i * 8));
		if (LLVMGetTypeKind(LLVMTypeOf(r->live[i])) == LLVMPointerTypeKind)
			live[i] = LLVMBuildIntToPtr(g->b, live[i], g->ptr, "");
	}
	go = r->body(g, r->arg, LLVMGetParam(callback, 0), live);
	LLVMBuildRet(g->b, gen_bool(g, LLVMBuildNot(g->b, go, "")));
	gen_aside_end(g, &aside);
	return callback;
}

void gen_repeat(struct gen *g, const struct gen_repeat *r)
{
	LLVMValueRef callback, live;
	uint32_t mark = gen_mark(g);

	if (!g->engine->has(g, SP_FEATURE_BPF_LOOP)) {
		in_place(g, r);
		return;
	}
	callback = LLVMGetNamedFunction(g->mod, r->name);
	if (!callback)
		callback = make_callback(g, r);
	live = gen_closure(g, r->n_live * 8);
	for (unsigned i = 0; i < r->n_live; i++)
		LLVMSetAlignment(LLVMBuildStore(g->b, r->live[i], gen_at(g, live, (uint64_t)i * 8)), 8);
	gen_call(g, GEN_LOOP, 4, gen_i64(g, r->trips), callback, live, gen_i64(g, 0));
	gen_release(g, mark);
}
