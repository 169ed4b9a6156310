// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_core.h"

#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_HELPER_ARGS 5

void gen_bug(struct gen *g, const char *what)
{
	if (!g->err)
		g->err = sp_err_new(SP_ERR_BUG, "internal error in the code generator: %s", what);
}

LLVMValueRef gen_function(struct gen *g, const char *name, LLVMTypeRef type, uint32_t place)
{
	struct gen_named named = { .fn = LLVMAddFunction(g->mod, name, type), .place = place };

	sp_vec_push(&g->named, named);
	return named.fn;
}

LLVMValueRef gen_function_local(struct gen *g, const char *name, LLVMTypeRef type, uint32_t place)
{
	LLVMValueRef fn = gen_function(g, name, type, place);

	LLVMSetLinkage(fn, LLVMInternalLinkage);
	if (g->engine->has_sections)
		LLVMSetSection(fn, LLVMGetSection(g->fn->fn));
	return fn;
}

// ---- values -------------------------------------------------------------------------------------

LLVMValueRef gen_i64(struct gen *g, int64_t value)
{
	return LLVMConstInt(g->i64, (unsigned long long)value, true);
}

static LLVMTypeRef int_type(struct gen *g, unsigned bytes)
{
	return bytes == 1 ? g->i8 : bytes == 2 ? g->i16 : bytes == 4 ? g->i32 : g->i64;
}

LLVMValueRef gen_at(struct gen *g, LLVMValueRef ptr, uint64_t offset)
{
	return offset ? gen_at_index(g, ptr, gen_i64(g, (int64_t)offset)) : ptr;
}

LLVMValueRef gen_at_index(struct gen *g, LLVMValueRef ptr, LLVMValueRef offset)
{
	return LLVMBuildInBoundsGEP2(g->b, g->i8, ptr, &offset, 1, "");
}

LLVMValueRef gen_load(struct gen *g, LLVMValueRef ptr)
{
	LLVMValueRef value = LLVMBuildLoad2(g->b, g->i64, ptr, "");

	LLVMSetAlignment(value, 8);
	return value;
}

LLVMValueRef gen_load_volatile(struct gen *g, LLVMValueRef ptr)
{
	LLVMValueRef value = gen_load(g, ptr);

	LLVMSetVolatile(value, true);
	return value;
}

void gen_store_volatile(struct gen *g, LLVMValueRef value, LLVMValueRef ptr)
{
	LLVMValueRef store = LLVMBuildStore(g->b, value, ptr);

	LLVMSetVolatile(store, true);
	LLVMSetAlignment(store, 8);
}

void gen_store(struct gen *g, LLVMValueRef value, LLVMValueRef ptr)
{
	LLVMSetAlignment(LLVMBuildStore(g->b, value, ptr), 8);
}

LLVMValueRef gen_extend(struct gen *g, LLVMValueRef value, unsigned bits, bool is_signed)
{
	LLVMTypeRef narrow = LLVMIntTypeInContext(g->ctx, bits);

	if (bits >= 64)
		return value;
	if (LLVMTypeOf(value) != narrow)
		value = LLVMBuildTrunc(g->b, value, narrow, "");
	return is_signed ? LLVMBuildSExt(g->b, value, g->i64, "")
			 : LLVMBuildZExt(g->b, value, g->i64, "");
}

LLVMValueRef gen_load_sized(struct gen *g, LLVMValueRef ptr, unsigned bytes, bool is_signed)
{
	LLVMValueRef value = LLVMBuildLoad2(g->b, int_type(g, bytes), ptr, "");

	LLVMSetAlignment(value, bytes);
	return gen_extend(g, value, bytes * 8, is_signed);
}

void gen_store_sized(struct gen *g, LLVMValueRef value, LLVMValueRef ptr, unsigned bytes)
{
	if (bytes < 8)
		value = LLVMBuildTrunc(g->b, value, int_type(g, bytes), "");
	LLVMSetAlignment(LLVMBuildStore(g->b, value, ptr), bytes);
}

LLVMValueRef gen_bool(struct gen *g, LLVMValueRef cond)
{
	return LLVMBuildZExt(g->b, cond, g->i64, "");
}

LLVMValueRef gen_is_zero(struct gen *g, LLVMValueRef value)
{
	return LLVMBuildICmp(g->b, LLVMIntEQ, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

LLVMValueRef gen_address(struct gen *g, LLVMValueRef ptr)
{
	return LLVMBuildPtrToInt(g->b, ptr, g->i64, "");
}

static LLVMValueRef inline_asm(struct gen *g, const char *text, const char *constraints,
			       bool effects, LLVMTypeRef result, LLVMValueRef arg, LLVMValueRef second)
{
	LLVMValueRef args[2] = { arg, second };
	unsigned n = second ? 2 : 1;
	LLVMTypeRef types[2] = { LLVMTypeOf(arg), second ? LLVMTypeOf(second) : NULL };
	LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
	// LLVM 15 wants texts that it may change, and does not.
	LLVMValueRef code = LLVMGetInlineAsm(type, (char *)text, strlen(text), (char *)constraints,
					     strlen(constraints), effects, false,
					     LLVMInlineAsmDialectATT, false);
	LLVMValueRef call = LLVMBuildCall2(g->b, type, code, args, n, "");

	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, g->nounwind);
	return call;
}

LLVMValueRef gen_launder(struct gen *g, LLVMValueRef value)
{
	// A pointer whose bytes have been swapped is a number to the verifier; twice is the same value.
	if (!g->engine->has_verifier)
		return value;
	return inline_asm(g, "$0 = be64 $0\n\t$0 = be64 $0", "=r,0", false, g->i64, value, NULL);
}

LLVMValueRef gen_forget(struct gen *g, LLVMValueRef value)
{
	LLVMValueRef any;

	if (!g->engine->has_verifier)
		return value;
	// What others may change is never known.
	any = gen_load_volatile(g, gen_data(g, offsetof(struct sp_control, max_action)));
	return inline_asm(g, "$0 ^= $2\n\t$0 ^= $2", "=&r,0,r", false, g->i64, value, any);
}

LLVMValueRef gen_keep(struct gen *g, LLVMValueRef value)
{
	return inline_asm(g, "", "=r,0", true, g->i64, value, NULL);
}

LLVMValueRef gen_keep_pointer(struct gen *g, LLVMValueRef ptr)
{
	return inline_asm(g, "", "=r,0", true, g->ptr, ptr, NULL);
}

LLVMValueRef gen_load_direct(struct gen *g, LLVMValueRef ptr, int64_t offset, unsigned bytes)
{
	char text[64];

	if (offset > INT16_MAX) { // in a large record of a handler's rest, which nobody verifies
		ptr = gen_at(g, ptr, (uint64_t)offset);
		offset = 0;
	}
	// An ordinary load may be merged with another one into a load from a computed address, which the verifier
	// refuses for contexts.
	snprintf(text, sizeof(text), "$0 = *(u%u *)($1 + %lld)", bytes * 8, (long long)offset);
	return inline_asm(g, text, "=r,r,~{memory}", true, g->i64, ptr, NULL);
}

LLVMValueRef gen_call(struct gen *g, unsigned helper, unsigned n_args, ...)
{
	LLVMValueRef args[MAX_HELPER_ARGS], fn, call;
	LLVMTypeRef types[MAX_HELPER_ARGS], type;
	va_list list;

	va_start(list, n_args);
	for (unsigned i = 0; i < n_args; i++) {
		args[i] = va_arg(list, LLVMValueRef);
		types[i] = LLVMTypeOf(args[i]);
	}
	va_end(list);
	type = LLVMFunctionType(g->i64, types, n_args, false);
	fn = LLVMConstIntToPtr(gen_i64(g, helper), g->ptr);
	call = LLVMBuildCall2(g->b, type, fn, args, n_args, "");
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, g->nounwind);
	return call;
}

static unsigned attribute(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

LLVMValueRef gen_call_pure(struct gen *g, unsigned helper)
{
	const unsigned kinds[] = { attribute("willreturn"), attribute("memory") ? attribute("memory") : attribute("readnone") }; // before LLVM 16
	LLVMValueRef call = gen_call(g, helper, 0);

	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++)
		LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(g->ctx, kinds[i], 0));
	return call;
}

// ---- control ------------------------------------------------------------------------------------

LLVMBasicBlockRef gen_block(struct gen *g)
{
	return LLVMAppendBasicBlockInContext(g->ctx, g->fn->fn, "");
}

void gen_enter(struct gen *g, LLVMBasicBlockRef block)
{
	LLVMMoveBasicBlockAfter(block, LLVMGetLastBasicBlock(g->fn->fn));
	LLVMPositionBuilderAtEnd(g->b, block);
}

void gen_goto(struct gen *g, LLVMBasicBlockRef block)
{
	LLVMBuildBr(g->b, block);
}

void gen_branch(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise)
{
	LLVMBuildCondBr(g->b, cond, then, otherwise);
}

void gen_leave(struct gen *g, LLVMBasicBlockRef block)
{
	gen_goto(g, block);
	gen_enter(g, gen_block(g));
}

// ---- memory -------------------------------------------------------------------------------------

static LLVMValueRef stack_area(struct gen *g, LLVMTypeRef type)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
	LLVMValueRef area;

	LLVMPositionBuilderAtEnd(g->b, g->fn->entry);
	area = LLVMBuildAlloca(g->b, type, "");
	LLVMSetAlignment(area, 8);
	LLVMPositionBuilderAtEnd(g->b, here);
	return area;
}

LLVMValueRef gen_area(struct gen *g, uint32_t size)
{
	return stack_area(g, LLVMArrayType(g->i8, size));
}

LLVMValueRef gen_variable(struct gen *g)
{
	return stack_area(g, g->i64);
}

LLVMValueRef gen_pointer(struct gen *g)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
	LLVMValueRef variable = stack_area(g, g->ptr);

	LLVMPositionBuilderAtEnd(g->b, g->fn->entry);
	LLVMBuildStore(g->b, LLVMConstNull(g->ptr), variable);
	LLVMPositionBuilderAtEnd(g->b, here);
	return variable;
}

LLVMValueRef gen_closure(struct gen *g, uint32_t size)
{
	return g->engine->fn->closure(g, size);
}

LLVMValueRef gen_temp(struct gen *g, uint32_t size)
{
	struct gen_fn *fn = g->fn;
	uint32_t offset = fn->temps_top;

	fn->temps_top += SP_ALIGN_UP(size, 8);
	fn->temps_size = SP_MAX(fn->temps_size, fn->temps_top);
	return gen_at(g, fn->temps, offset);
}

uint32_t gen_mark(struct gen *g)
{
	return g->fn->temps_top;
}

void gen_release(struct gen *g, uint32_t mark)
{
	g->fn->temps_top = mark;
}

LLVMValueRef gen_slot(struct gen *g, struct plan_slot slot)
{
	switch (slot.kind) {
	case PLAN_SLOT_NONE:
		return NULL;
	case PLAN_SLOT_STACK:
		if (g->frame->stack)
			return gen_at(g, g->frame->stack, slot.offset);
		break;
	case PLAN_SLOT_SCRATCH:
		if (g->fn->scratch)
			return gen_at(g, g->fn->scratch, g->frame->scratch + slot.offset);
		break;
	}
	gen_bug(g, "a slot outside its area");
	return LLVMGetUndef(g->ptr);
}

// ---- globals ------------------------------------------------------------------------------------

LLVMValueRef gen_constant(struct gen *g, const void *bytes, uint32_t len)
{
	uint32_t size = SP_ALIGN_UP(len, 8);
	void **known = sp_hash_insert(&g->literals, bytes, len);
	LLVMValueRef global, init;
	char *padded, name[32];

	if (*known)
		return *known;
	padded = sp_arena_alloc(g->arena, size ? size : 8);
	memcpy(padded, bytes, len);
	init = LLVMConstStringInContext(g->ctx, padded, size, true);
	snprintf(name, sizeof(name), "c%u", g->n_constants++);
	global = LLVMAddGlobal(g->mod, LLVMTypeOf(init), name);
	LLVMSetInitializer(global, init);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, 8);
	LLVMSetSection(global, ".rodata");
	*known = global;
	return global;
}

// The initial values of the script's globals behind the control block and the counters.
// As bytes: each module has the whole data, and LLVM takes as many numbers one by one.
static LLVMValueRef initial_data(struct gen *g)
{
	const struct ir_unit *unit = g->unit;
	uint64_t *words = sp_arena_array(g->arena, uint64_t, g->plan->data_size / 8);

	for (size_t i = 0; i < unit->globals.n; i++) {
		const struct ir_global *global = &unit->globals.v[i];

		if (global->type == IR_STR)
			memcpy((char *)words + g->plan->globals[i], global->init_text ? global->init_text : "",
			       SP_MIN(global->init_len, global->cap - 1));
		else
			words[g->plan->globals[i] / 8] = (uint64_t)global->init;
	}
	((struct sp_control *)words)->max_action = gen_fail_max_action(unit);
	((struct sp_control *)words)->max_user_action = unit->max_user_action ? unit->max_user_action : INT64_MAX;
	((struct sp_control *)words)->max_errors = unit->max_errors;
	return LLVMConstStringInContext(g->ctx, (const char *)words, g->plan->data_size, true);
}

LLVMValueRef gen_data(struct gen *g, uint64_t offset)
{
	if (!g->data) {
		LLVMTypeRef type = LLVMArrayType(g->i8, g->plan->data_size);

		g->data = LLVMAddGlobal(g->mod, type, SP_DATA_SYMBOL);
		LLVMSetAlignment(g->data, 8);
		LLVMSetSection(g->data, SP_DATA_SECTION);
		if (g->engine->defines_data) {
			LLVMSetInitializer(g->data, initial_data(g));
			gen_debug_array(g->debug, g->data, SP_DATA_SYMBOL, g->plan->data_size / 8,
					false);
		}
	}
	return gen_at(g, g->data, offset);
}

LLVMValueRef gen_fixup(struct gen *g, uint32_t fixup)
{
	if (!g->fixups) {
		LLVMTypeRef type = LLVMArrayType(g->i64, g->plan->n_fixups);

		g->fixups = LLVMAddGlobal(g->mod, type, SP_SLOTS_SYMBOL);
		LLVMSetAlignment(g->fixups, 8);
		LLVMSetSection(g->fixups, SP_SLOTS_SECTION);
		LLVMSetGlobalConstant(g->fixups, true);
		if (g->engine->defines_data) {
			LLVMSetInitializer(g->fixups, LLVMConstNull(type));
			gen_debug_array(g->debug, g->fixups, SP_SLOTS_SYMBOL,
					g->plan->n_fixups, true);
		}
	}
	return gen_at(g, g->fixups, (uint64_t)fixup * 8);
}

LLVMValueRef gen_tokens(struct gen *g)
{
	return g->engine->fn->tokens(g);
}
