// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_embed_table.h"

#include "compiler/gen/core/gen_embed_read.h"
#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <string.h>

// The first text stands behind these bytes: place 0 is that of NULL.
#define BEFORE_TEXTS 8

struct settle {
	LLVMBuilderRef b;
	LLVMContextRef ctx;
	LLVMTypeRef i64;
	struct sp_buf texts;
	LLVMValueRef all; // the constant that has them
	SP_VEC(LLVMValueRef) loads, indexed; // instructions: that read the table, that compute an address in it
};

LLVMValueRef gen_embed_add_constant(LLVMModuleRef mod, LLVMValueRef value, const char *name)
{
	LLVMValueRef global = LLVMAddGlobal(mod, LLVMTypeOf(value), name);

	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, 8);
	return global;
}

bool gen_embed_has_address(LLVMValueRef constant)
{
	int n = LLVMGetNumOperands(constant);

	if (LLVMIsAGlobalValue(constant))
		return true;
	for (int i = 0; i < n; i++)
		if (gen_embed_has_address(LLVMGetOperand(constant, (unsigned)i)))
			return true;
	return false;
}

// ---- what may be settled ------------------------------------------------------------------------

static bool is_index(LLVMValueRef value)
{
	return LLVMIsAGetElementPtrInst(value) ||
	       (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static bool is_only_read(struct settle *s, LLVMValueRef address)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsALoadInst(user)) {
			sp_vec_push(&s->loads, user);
			continue;
		}
		if (!is_index(user) || LLVMGetOperand(user, 0) != address || !is_only_read(s, user))
			return false;
		if (LLVMIsAInstruction(user))
			sp_vec_push(&s->indexed, user);
	}
	return true;
}

// NULL: it is none.
static const char *text_of(LLVMValueRef target)
{
	LLVMValueRef init = LLVMIsAGlobalVariable(target) ? LLVMGetInitializer(target) : NULL;
	size_t len;

	if (!init || !LLVMIsGlobalConstant(target) || LLVMGetTypeKind(LLVMTypeOf(init)) != LLVMArrayTypeKind)
		return NULL;
	if (LLVMIsAConstantDataArray(init) && LLVMIsConstantString(init))
		return LLVMGetAsString(init, &len);
	return LLVMIsNull(init) ? "" : NULL;
}

static bool has_only_texts(LLVMValueRef constant)
{
	int n = LLVMGetNumOperands(constant);

	if (LLVMGetTypeKind(LLVMTypeOf(constant)) == LLVMPointerTypeKind)
		return LLVMIsNull(constant) || text_of(constant);
	for (int i = 0; i < n; i++)
		if (!has_only_texts(LLVMGetOperand(constant, (unsigned)i)))
			return false;
	return true;
}

// ---- settling -----------------------------------------------------------------------------------

// The same with numbers for addresses, which have their size.
static LLVMTypeRef number_type(struct settle *s, LLVMTypeRef type)
{
	unsigned n = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;
	LLVMTypeRef *members, ret;

	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return s->i64;
	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		return LLVMArrayType(number_type(s, LLVMGetElementType(type)), LLVMGetArrayLength(type));
	if (!n)
		return type;
	members = sp_calloc(n, sizeof(*members));
	for (unsigned i = 0; i < n; i++)
		members[i] = number_type(s, LLVMStructGetTypeAtIndex(type, i));
	ret = LLVMStructTypeInContext(s->ctx, members, n, LLVMIsPackedStruct(type));
	free(members);
	return ret;
}

static LLVMValueRef place_of(struct settle *s, const char *text)
{
	LLVMValueRef ret = LLVMConstInt(s->i64, s->texts.len, false);

	sp_buf_add(&s->texts, text, strlen(text) + 1);
	return ret;
}

static LLVMValueRef number_of(struct settle *s, LLVMValueRef constant)
{
	LLVMTypeRef type = LLVMTypeOf(constant), number = number_type(s, type);
	int n = LLVMGetNumOperands(constant);
	LLVMValueRef *members, ret;

	if (LLVMIsNull(constant))
		return LLVMConstNull(number);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return place_of(s, text_of(constant));
	if (!n)
		return constant;
	members = sp_calloc((size_t)n, sizeof(LLVMValueRef));
	for (int i = 0; i < n; i++)
		members[i] = number_of(s, LLVMGetOperand(constant, (unsigned)i));
	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		ret = LLVMConstArray(LLVMGetElementType(number), members, (unsigned)n);
	else
		ret = LLVMConstStructInContext(s->ctx, members, (unsigned)n, LLVMIsPackedStruct(type));
	free(members);
	return ret;
}

static LLVMValueRef slot(struct settle *s)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(s->b)), ret;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(s->ctx);

	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
	ret = LLVMBuildAlloca(b, s->i64, "");
	LLVMDisposeBuilder(b);
	return ret;
}

// An address that the verifier, and gen_embed_is_foreign(), take for a number, so that any place may be added to it: reading there may
// fail, and harms nobody. Where the verifier sees the address go, it stays one: it is read as memory.
static LLVMValueRef as_number(struct settle *s, LLVMValueRef constant)
{
	LLVMValueRef address = slot(s), number = slot(s);

	LLVMBuildStore(s->b, constant, address);
	gen_embed_build_read(s->b, number, LLVMConstInt(s->i64, sizeof(uint64_t), false), address);
	return LLVMBuildLoad2(s->b, s->i64, number, "");
}

// What was a load of an address gets a place, and adds it to where the texts are.
static void settle_load(struct settle *s, LLVMValueRef load)
{
	LLVMTypeRef ptr = LLVMTypeOf(load);
	LLVMValueRef place, address, is_null;

	if (LLVMGetTypeKind(ptr) != LLVMPointerTypeKind)
		return;
	LLVMPositionBuilderBefore(s->b, load);
	place = LLVMBuildLoad2(s->b, s->i64, LLVMGetOperand(load, 0), "");
	address = LLVMBuildAdd(s->b, as_number(s, s->all), place, "");
	is_null = LLVMBuildICmp(s->b, LLVMIntEQ, place, LLVMConstNull(s->i64), "");
	address = LLVMBuildSelect(s->b, is_null, LLVMConstNull(s->i64), address, "");
	LLVMReplaceAllUsesWith(load, LLVMBuildIntToPtr(s->b, address, ptr, ""));
	LLVMInstructionEraseFromParent(load);
}

// An index of which the verifier may not know that it is one of the table's.
static void settle_index(struct settle *s, LLVMValueRef index, LLVMValueRef table)
{
	if (LLVMGetOperand(index, 0) != table)
		return;
	LLVMPositionBuilderBefore(s->b, index);
	LLVMSetOperand(index, 0, LLVMBuildIntToPtr(s->b, as_number(s, table), LLVMTypeOf(table), ""));
}

static void settle(struct settle *s, LLVMValueRef table)
{
	LLVMModuleRef mod = LLVMGetGlobalParent(table);
	LLVMValueRef init, numbers;

	sp_buf_fill(&s->texts, '\0', BEFORE_TEXTS);
	init = number_of(s, LLVMGetInitializer(table));
	numbers = gen_embed_add_constant(mod, init, "spile_table");
	s->all = gen_embed_add_constant(mod, LLVMConstStringInContext(s->ctx, s->texts.data, (unsigned)s->texts.len, true), "spile_texts");
	LLVMReplaceAllUsesWith(table, numbers);
	LLVMDeleteGlobal(table);
	sp_vec_each(load, &s->loads)
		settle_load(s, *load);
	sp_vec_each(index, &s->indexed)
		settle_index(s, *index, numbers);
}

bool gen_embed_settle_table(LLVMBuilderRef b, LLVMValueRef table)
{
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(table));
	struct settle s = { .b = b, .ctx = ctx, .i64 = LLVMInt64TypeInContext(ctx) };
	bool ret = has_only_texts(LLVMGetInitializer(table)) && is_only_read(&s, table);

	if (ret)
		settle(&s, table);
	sp_buf_deinit(&s.texts);
	sp_vec_deinit(&s.loads);
	sp_vec_deinit(&s.indexed);
	return ret;
}
