// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_embed.h"

#include "compiler/gen/core/gen_embed_check.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/ir/embed_text.h"

#include <llvm-c/Linker.h>
#include <stdio.h>

// ---- calls --------------------------------------------------------------------------------------

static LLVMValueRef address_of(struct gen *g, const struct ir_expr *e)
{
	if (e->op == IR_LOCAL)
		return g->frame->locals[e->local];
	return gen_data(g, g->plan->globals[e->global]);
}

// Texts are compared by words, and the C ends them with one NUL.
static bool is_written_text(const struct ir_embed_arg *arg)
{
	return arg->type == IR_STR && (arg->role == IR_EMBED_RESULT || (arg->role == IR_EMBED_GLOBAL && arg->writes));
}

LLVMValueRef gen_embed_call(struct gen *g, const struct ir_expr *e)
{
	const struct ir_embed *embed = &g->unit->embeds.v[e->embed];
	LLVMValueRef *args = sp_arena_array(g->arena, LLVMValueRef, e->n_args + 1), fn;
	LLVMTypeRef *types = sp_arena_array(g->arena, LLVMTypeRef, e->n_args + 1), type;
	LLVMValueRef status;
	char name[32];

	for (unsigned i = 0; i < e->n_args; i++) {
		bool by_value = embed->args[i].role == IR_EMBED_PARAM && embed->args[i].type == IR_LONG;

		args[i] = by_value ? gen_load(g, g->frame->locals[e->args[i]->local]) : address_of(g, e->args[i]);
		types[i] = by_value ? g->i64 : g->ptr;
	}
	type = LLVMFunctionType(g->i64, types, e->n_args, false);
	snprintf(name, sizeof(name), EMBED_FUNCTION "%u", e->embed);
	fn = LLVMGetNamedFunction(g->mod, name);
	if (!fn)
		fn = LLVMAddFunction(g->mod, name, type);
	status = LLVMBuildCall2(g->b, type, fn, args, e->n_args, "");
	for (unsigned i = 0; i < e->n_args; i++)
		if (is_written_text(&embed->args[i]))
			gen_words_pad(g, (struct gen_str){ args[i], g->unit->max_string });
	return status;
}

// ---- linking ------------------------------------------------------------------------------------

static bool is_piece(LLVMValueRef fn)
{
	size_t len;

	return sp_starts_with(LLVMGetValueName2(fn, &len), EMBED_FUNCTION);
}

static bool is_used(const struct gen *g)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(g->mod); fn; fn = LLVMGetNextFunction(fn))
		if (is_piece(fn))
			return true;
	return false;
}

// An access to a member of a kernel structure goes through a variable that the kernel's loader would set. Its name has the value that
// holds for the kernel whose types these are: "llvm.task_struct:0:1416$0:68:0", which is number 0 of what may be asked, 1416.
static void settle_members(struct gen *g)
{
	LLVMValueRef next;

	for (LLVMValueRef global = LLVMGetFirstGlobal(g->mod); global; global = next) {
		size_t len;
		const char *number = LLVMGetValueName2(global, &len);
		LLVMUseRef use, next_use;

		next = LLVMGetNextGlobal(global);
		if (!gen_embed_is_member(global))
			continue;
		for (number = strchr(number, '$'); number[-1] != ':'; number--)
			;
		for (use = LLVMGetFirstUse(global); use; use = next_use) {
			LLVMValueRef load = LLVMGetUser(use);

			next_use = LLVMGetNextUse(use);
			LLVMReplaceAllUsesWith(load, LLVMConstInt(LLVMTypeOf(load), strtoull(number, NULL, 10), false));
			LLVMInstructionEraseFromParent(load);
		}
		LLVMDeleteGlobal(global);
	}
}

struct sp_err *gen_embed_link(struct gen *g, LLVMTargetMachineRef machine)
{
	LLVMModuleRef mod;

	if (!is_used(g))
		return NULL;
	mod = gen_embed_parse(g->ctx, &g->plan->embedded->bitcode);
	if (!mod)
		return sp_err_bug("embedded code that could be read cannot");
	for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
		size_t len;

		if (is_piece(fn) && !LLVMGetNamedFunction(g->mod, LLVMGetValueName2(fn, &len)))
			LLVMSetLinkage(fn, LLVMInternalLinkage);
	}
	LLVMSetTarget(mod, LLVMGetTarget(g->mod));
	LLVMSetDataLayout(mod, LLVMGetDataLayoutStr(g->mod));
	if (LLVMLinkModules2(g->mod, mod))
		return sp_err_bug("embedded code does not link");
	for (LLVMValueRef fn = LLVMGetFirstFunction(g->mod); fn; fn = LLVMGetNextFunction(fn))
		if (is_piece(fn))
			LLVMSetLinkage(fn, LLVMInternalLinkage);
	SP_TRY(gen_embed_inline(g->mod, machine));
	if (!g->engine->has_verifier)
		settle_members(g);
	return NULL;
}
