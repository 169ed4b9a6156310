// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_repeat.h"

#include "compiler/gen/core/gen_callback.h"
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

static LLVMValueRef make_callback(struct gen *g, const struct gen_repeat *r)
{
	LLVMValueRef live[GEN_REPEAT_LIVE], go;
	struct gen_callback cb;

	gen_callback_begin_shared(g, &cb, r->name, r->live, r->n_live, live);
	go = r->body(g, r->arg, LLVMGetParam(cb.fn, 0), live);
	LLVMBuildRet(g->b, gen_bool(g, LLVMBuildNot(g->b, go, "")));
	gen_enter(g, gen_block(g));
	gen_callback_end(g, &cb);
	return cb.fn;
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
