// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_embed_read.h"

#include "runtime/base/util.h"
#include "runtime/base/vec.h"

#include <linux/bpf.h>
#include <string.h>

// ---- whose memory it is -------------------------------------------------------------------------

// Values that were looked at: a pointer that a loop moves on comes from itself, too.
struct walk {
	SP_VEC(LLVMValueRef) seen;
};

static bool is_foreign(struct walk *w, LLVMValueRef value);

static LLVMOpcode opcode_of(LLVMValueRef value)
{
	return LLVMIsAInstruction(value)    ? LLVMGetInstructionOpcode(value)
	       : LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value)
					    : LLVMRet;
}

// LLVM's own functions that give the address of a member.
static LLVMValueRef base_of_member(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name;
	size_t len;

	if (!LLVMIsAFunction(callee))
		return NULL;
	name = LLVMGetValueName2(callee, &len);
	if (sp_starts_with(name, "llvm.bpf.passthrough."))
		return LLVMGetOperand(call, 1);
	return sp_starts_with(name, "llvm.preserve.") ? LLVMGetOperand(call, 0) : NULL;
}

// The address that another one of the same memory was computed from; NULL: none.
static LLVMValueRef base_of(LLVMValueRef address)
{
	switch ((int)opcode_of(address)) {
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze:
		return LLVMGetOperand(address, 0);
	case LLVMCall:
		return base_of_member(address);
	}
	return NULL;
}

// Does a variable hold an address of the code's own?
static bool holds_own(struct walk *w, LLVMValueRef variable)
{
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use), value;

		if (base_of(user) == variable && holds_own(w, user))
			return true;
		if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable)
			continue;
		value = LLVMGetOperand(user, 0);
		if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind && !LLVMIsAConstantPointerNull(value) &&
		    !is_foreign(w, value))
			return true;
	}
	return false;
}

static bool comes_from_foreign_memory(struct walk *w, LLVMValueRef address)
{
	LLVMValueRef first = address;

	while (base_of(first))
		first = base_of(first);
	return LLVMIsAAllocaInst(first) ? !holds_own(w, first) : is_foreign(w, address);
}

static bool is_seen(struct walk *w, LLVMValueRef value)
{
	sp_vec_each(seen, &w->seen)
		if (*seen == value)
			return true;
	sp_vec_push(&w->seen, value);
	return false;
}

// Does a number hold an address of the code's own, moved by others?
static bool is_own_number(struct walk *w, LLVMValueRef number)
{
	LLVMOpcode op = opcode_of(number);
	int n = op == LLVMPHI ? LLVMGetNumOperands(number) : 2;

	if (op == LLVMPtrToInt)
		return !is_foreign(w, LLVMGetOperand(number, 0));
	if ((op != LLVMAdd && op != LLVMSub && op != LLVMAnd && op != LLVMOr && op != LLVMPHI) || is_seen(w, number))
		return false;
	for (int i = 0; i < n; i++)
		if (is_own_number(w, LLVMGetOperand(number, (unsigned)i)))
			return true;
	return false;
}

// Is the address that many elements or bytes behind another one, as the code finds out when it runs?
static bool is_moved(LLVMValueRef address)
{
	bool is_call = LLVMIsACallInst(address); // of llvm.preserve.array.access.index(base, dimension, index)
	int n = LLVMGetNumOperands(address) - (is_call ? 1 : 0);

	if (!is_call && opcode_of(address) != LLVMGetElementPtr)
		return false;
	for (int i = is_call ? 2 : 1; i < n; i++)
		if (!LLVMIsAConstant(LLVMGetOperand(address, (unsigned)i)))
			return true;
	return false;
}

static bool gives_current(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), number;

	if (!LLVMIsAConstantExpr(callee) || LLVMGetConstOpcode(callee) != LLVMIntToPtr)
		return false;
	number = LLVMGetOperand(callee, 0);
	return LLVMIsAConstantInt(number) && LLVMConstIntGetZExtValue(number) == BPF_FUNC_get_current_task_btf;
}

// Does the verifier know which structure of the kernel is there? Then it follows members by itself, but no distance that it does not know.
static bool is_typed(LLVMValueRef address)
{
	for (;;) {
		if (base_of(address))
			address = base_of(address);
		else if (LLVMIsALoadInst(address))
			address = LLVMGetOperand(address, 0);
		else
			return LLVMIsACallInst(address) && gives_current(address);
	}
}

static bool is_any_foreign(struct walk *w, LLVMValueRef value, int first, int n)
{
	for (int i = first; i < n; i++)
		if (is_foreign(w, LLVMGetOperand(value, (unsigned)i)))
			return true;
	return false;
}

static bool is_foreign(struct walk *w, LLVMValueRef value)
{
	if (is_seen(w, value))
		return false;
	if (base_of(value))
		return (is_moved(value) && is_typed(base_of(value))) || is_foreign(w, base_of(value));
	switch ((int)opcode_of(value)) {
	case LLVMIntToPtr:
		return !is_own_number(w, LLVMGetOperand(value, 0));
	case LLVMLoad:
		return comes_from_foreign_memory(w, LLVMGetOperand(value, 0));
	case LLVMPHI:
		return is_any_foreign(w, value, 0, LLVMGetNumOperands(value));
	case LLVMSelect:
		return is_any_foreign(w, value, 1, 3);
	}
	return false;
}

bool gen_embed_is_foreign(LLVMValueRef address)
{
	struct walk w = { 0 };
	bool ret = is_foreign(&w, address);

	sp_vec_deinit(&w.seen);
	return ret;
}

// ---- reading ------------------------------------------------------------------------------------

static bool is_copy(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t len;

	return callee && LLVMIsAFunction(callee) && (sp_starts_with(LLVMGetValueName2(callee, &len), "llvm.memcpy.") ||
						     sp_starts_with(LLVMGetValueName2(callee, &len), "llvm.memmove."));
}

void gen_embed_build_read(LLVMBuilderRef b, LLVMValueRef to, LLVMValueRef size, LLVMValueRef from)
{
	LLVMTypeRef ptr = LLVMTypeOf(to), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(ptr));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(ptr));
	LLVMTypeRef args[] = { ptr, i32, ptr };
	LLVMTypeRef type = LLVMFunctionType(i64, args, SP_ARRAY_SIZE(args), false);
	LLVMValueRef helper = LLVMConstIntToPtr(LLVMConstInt(i64, BPF_FUNC_probe_read, false), ptr);
	LLVMValueRef values[] = { to, LLVMBuildIntCast2(b, size, i32, false, ""), from };

	LLVMBuildCall2(b, type, helper, values, SP_ARRAY_SIZE(values), "");
}

static LLVMValueRef size_of(LLVMTypeRef type)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
	unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;

	return LLVMConstInt(i32, (bits + 7) / 8, false);
}

// `buffer` is one for all: what was read is taken at once.
static void guard(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef buffer)
{
	LLVMPositionBuilderBefore(b, i);
	if (is_copy(i)) {
		gen_embed_build_read(b, LLVMGetOperand(i, 0), LLVMGetOperand(i, 2), LLVMGetOperand(i, 1));
	} else {
		LLVMValueRef value;

		gen_embed_build_read(b, buffer, size_of(LLVMTypeOf(i)), LLVMGetOperand(i, 0));
		value = LLVMBuildLoad2(b, LLVMTypeOf(i), buffer, "");
		LLVMReplaceAllUsesWith(i, value);
	}
	LLVMInstructionEraseFromParent(i);
}

static bool is_guarded(LLVMValueRef i)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));

	if (is_copy(i))
		return gen_embed_is_foreign(LLVMGetOperand(i, 1));
	return LLVMIsALoadInst(i) && (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind) &&
	       gen_embed_is_foreign(LLVMGetOperand(i, 0));
}

void gen_embed_guard_reads(LLVMBuilderRef b, LLVMValueRef fn)
{
	SP_VEC(LLVMValueRef) found = { 0 };
	LLVMValueRef buffer;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
			if (is_guarded(i))
				sp_vec_push(&found, i);
	if (found.n) {
		LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
		buffer = LLVMBuildAlloca(b, LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(fn))), "");
		LLVMSetAlignment(buffer, 8);
	}
	sp_vec_each(i, &found)
		guard(b, *i, buffer);
	sp_vec_deinit(&found);
}
