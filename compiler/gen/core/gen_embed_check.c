// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_embed_check.h"

#include "compiler/gen/core/gen.h"
#include "compiler/gen/core/gen_embed_format.h"
#include "compiler/gen/core/gen_loops.h"
#include "compiler/gen/core/gen_narrow.h"
#include "compiler/gen/core/gen_embed_read.h"
#include "compiler/gen/core/gen_embed_table.h"
#include "compiler/ir/embed_text.h"

#include <linux/bpf.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Transforms/PassBuilder.h>

#define MAX_USES 16 // from a value to one that has a place
#define MAX_STEPS 8 // from an address to the variable that it is in

// ---- what cannot become BPF ---------------------------------------------------------------------

struct scan {
	const struct ir_unit *unit;
	struct embedded *embedded;
	const struct gen_refusal *refusal;
	LLVMContextRef ctx;
	LLVMBuilderRef b;
	struct embedded_piece *piece; // that is looked at
};

// The file is "" when it has none.
static struct ir_place place_of(struct scan *s, LLVMValueRef at)
{
	unsigned len = 0;
	const char *file = LLVMGetDebugLocFilename(at, &len);

	return (struct ir_place){ sp_arena_strndup(&s->embedded->arena, file ? file : "", file ? len : 0), LLVMGetDebugLocLine(at),
				  LLVMIsAInstruction(at) ? LLVMGetDebugLocColumn(at) : 0, "" };
}

// Of what has none itself: where the first that has one takes it.
static struct ir_place place_of_use(struct scan *s, LLVMValueRef value)
{
	struct ir_place place = place_of(s, value);
	LLVMUseRef use = LLVMGetFirstUse(value);

	for (unsigned n = 0; !*place.file && use && n < MAX_USES; n++) {
		value = LLVMGetUser(use);
		place = place_of(s, value);
		use = LLVMGetFirstUse(value);
	}
	return place;
}

static void refuse(struct scan *s, LLVMValueRef at, const char *what)
{
	struct ir_place place = place_of(s, at);

	s->refusal->report(s->refusal->ctx, place.file, place.line, place.column, what);
}

// Helpers that the VM has, too, for the task that is stopped or for the runtime itself.
static bool is_in_vm(uint64_t helper)
{
	switch (helper) {
	case BPF_FUNC_ktime_get_ns:
	case BPF_FUNC_ktime_get_boot_ns:
	case BPF_FUNC_ktime_get_coarse_ns:
	case BPF_FUNC_jiffies64:
	case BPF_FUNC_get_prandom_u32:
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_get_current_pid_tgid:
	case BPF_FUNC_get_current_uid_gid:
	case BPF_FUNC_get_current_comm:
	case BPF_FUNC_probe_read:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_user:
	case BPF_FUNC_probe_read_user_str:
	case BPF_FUNC_probe_write_user:
	case BPF_FUNC_snprintf:
		return true;
	}
	return false;
}

// Helpers that the VM has for the handlers of the runtime, and for rests of handlers, whose task the record tells.
static bool is_of_runtime(uint64_t helper)
{
	return helper == BPF_FUNC_get_current_task || helper == BPF_FUNC_get_current_task_btf ||
	       helper == BPF_FUNC_probe_read_kernel || helper == BPF_FUNC_probe_read_kernel_str;
}

static const char *helper_name(uint64_t id)
{
#define HELPER_NAME(name) "bpf_" #name
	static const char *const names[] = { __BPF_FUNC_MAPPER(HELPER_NAME) };
#undef HELPER_NAME

	return id < SP_ARRAY_SIZE(names) ? names[id] : "a helper";
}

static void note_helper(struct scan *s, LLVMValueRef call, uint64_t id)
{
	s->piece->formats |= id == BPF_FUNC_snprintf;
	if (is_in_vm(id) || (s->piece->kernel_helper && (!s->piece->is_of_runtime || is_of_runtime(id))))
		return;
	s->piece->kernel_helper = helper_name(id);
	s->piece->is_of_runtime = is_of_runtime(id);
	s->piece->helper_place = place_of(s, call);
}

bool gen_embed_is_member(LLVMValueRef value)
{
	const char *name;
	size_t len;

	if (!LLVMIsAGlobalVariable(value) || !LLVMIsDeclaration(value))
		return false;
	name = LLVMGetValueName2(value, &len);
	return sp_starts_with(name, "llvm.") && strchr(name, '$');
}

// The number of the helper that is called; 0: it is none.
static uint64_t helper_of(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;

	if (!callee || !LLVMIsAConstantExpr(callee) || LLVMGetConstOpcode(callee) != LLVMIntToPtr)
		return 0;
	return LLVMConstIntGetZExtValue(LLVMGetOperand(callee, 0));
}

// Assembler without an instruction: barrier().
static bool is_barrier(LLVMValueRef assembler)
{
	char *text = LLVMPrintValueToString(assembler); // asm sideeffect "nop", ...
	const char *code = strchr(text, '"');
	bool is_empty = code && code[1] == '"';

	LLVMDisposeMessage(text);
	return is_empty;
}

static void check_call(struct scan *s, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name;
	size_t len;

	if (helper_of(call)) {
		note_helper(s, call, helper_of(call));
		return;
	}
	if (LLVMIsAInlineAsm(callee)) {
		if (!is_barrier(callee) && !sp_starts_with(place_of(s, call).file, EMBED_OWN_FILE))
			refuse(s, call, "this is assembler code, which handlers do not have");
		return;
	}
	if (!LLVMIsAFunction(callee)) {
		refuse(s, call, "a function is called through a pointer: BPF programs cannot call functions of the kernel");
		return;
	}
	name = LLVMGetValueName2(callee, &len);
	if (LLVMGetIntrinsicID(callee))
		return;
	refuse(s, call,
	       sp_arena_printf(&s->embedded->arena,
			       LLVMIsDeclaration(callee) ? "%s() is declared, but the code does not have it"
							 : "%s() calls itself",
			       name));
}

static bool is_float(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);

	return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
	       kind == LLVMX86_FP80TypeKind || kind == LLVMFP128TypeKind;
}

// The address that is written to; NULL: none is.
static LLVMValueRef written(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t len;

	if (LLVMIsAStoreInst(i))
		return LLVMGetOperand(i, 1);
	if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
		return LLVMGetOperand(i, 0);
	return callee && LLVMIsAFunction(callee) && sp_starts_with(LLVMGetValueName2(callee, &len), "llvm.mem") ? LLVMGetOperand(i, 0) : NULL;
}

static void check_instruction(struct scan *s, LLVMValueRef i)
{
	LLVMValueRef to = written(i);

	if (LLVMGetInstructionOpcode(i) == LLVMLoad && !s->piece->has_members && gen_embed_is_member(LLVMGetOperand(i, 0))) {
		s->piece->has_members = true;
		s->piece->members_place = place_of_use(s, i);
	}
	if (to && gen_embed_is_foreign(to))
		refuse(s, i, "this writes to memory of the kernel, which BPF programs cannot");
	if (is_float(LLVMTypeOf(i)))
		refuse(s, i, "this computes with floating point, which BPF does not have");
	else if (LLVMGetInstructionOpcode(i) == LLVMCall)
		check_call(s, i);
}

// BPF divides without a sign.
static void divide(LLVMBuilderRef b, LLVMValueRef i, bool remainder)
{
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1), value;
	LLVMTypeRef type = LLVMTypeOf(i);
	LLVMValueRef last = LLVMConstInt(type, LLVMGetIntTypeWidth(type) - 1, false), sign, sign_y;

	LLVMPositionBuilderBefore(b, i);
	sign = LLVMBuildAShr(b, x, last, "");
	sign_y = LLVMBuildAShr(b, y, last, "");
	x = LLVMBuildSub(b, LLVMBuildXor(b, x, sign, ""), sign, "");
	y = LLVMBuildSub(b, LLVMBuildXor(b, y, sign_y, ""), sign_y, "");
	value = remainder ? LLVMBuildURem(b, x, y, "") : LLVMBuildUDiv(b, x, y, "");
	if (!remainder)
		sign = LLVMBuildXor(b, sign, sign_y, "");
	value = LLVMBuildSub(b, LLVMBuildXor(b, value, sign, ""), sign, "");
	LLVMReplaceAllUsesWith(i, value);
	LLVMInstructionEraseFromParent(i);
}

// In a variable of C, or in a member of it?
static bool is_in_variable(LLVMValueRef address, unsigned depth)
{
	if (LLVMIsAAllocaInst(address) || !depth)
		return LLVMIsAAllocaInst(address);
	if (LLVMIsAGetElementPtrInst(address))
		return is_in_variable(LLVMGetOperand(address, 0), depth - 1);
	if (LLVMIsASelectInst(address))
		return is_in_variable(LLVMGetOperand(address, 1), depth - 1) || is_in_variable(LLVMGetOperand(address, 2), depth - 1);
	for (unsigned i = 0; LLVMIsAPHINode(address) && i < LLVMCountIncoming(address); i++)
		if (is_in_variable(LLVMGetIncomingValue(address, i), depth - 1))
			return true;
	return false;
}

static bool has_index(LLVMValueRef gep)
{
	for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(gep, i)))
			return true;
	return false;
}

// LLVM makes `|` of an index behind a variable that is aligned, which the verifier refuses on pointers: then it must not know that.
static void hide_alignment(LLVMBuilderRef b, LLVMValueRef gep)
{
	static const char constraints[] = "=r,0";
	LLVMValueRef base = LLVMGetOperand(gep, 0), code;
	LLVMTypeRef ptr = LLVMTypeOf(base), type = LLVMFunctionType(ptr, &ptr, 1, false);

	if (!has_index(gep) || !is_in_variable(base, MAX_STEPS))
		return;
	code = LLVMGetInlineAsm(type, (char *)"", 0, (char *)constraints, strlen(constraints), false, false, LLVMInlineAsmDialectATT, false);
	LLVMPositionBuilderBefore(b, gep);
	LLVMSetOperand(gep, 0, LLVMBuildCall2(b, type, code, &base, 1, ""));
}

static void fit_formats(struct scan *s, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef next;

		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
			const char *wrong = NULL;

			next = LLVMGetNextInstruction(i);
			if (helper_of(i) == BPF_FUNC_snprintf)
				wrong = gen_embed_fit_format(&s->embedded->arena, s->b, i);
			if (wrong)
				refuse(s, i, wrong);
		}
	}
}

static void scan_function(struct scan *s, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef next;

		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
			LLVMOpcode op = LLVMGetInstructionOpcode(i);

			next = LLVMGetNextInstruction(i);
			check_instruction(s, i);
			if (op == LLVMSDiv || op == LLVMSRem)
				divide(s->b, i, op == LLVMSRem);
			else if (op == LLVMGetElementPtr)
				hide_alignment(s->b, i);
		}
	}
}

// ---- variables ----------------------------------------------------------------------------------

static void settle_tables(struct scan *s, LLVMModuleRef mod)
{
	LLVMValueRef next;

	for (LLVMValueRef global = LLVMGetFirstGlobal(mod); global; global = next) {
		next = LLVMGetNextGlobal(global);
		if (!LLVMIsDeclaration(global) && LLVMIsGlobalConstant(global) && gen_embed_has_address(LLVMGetInitializer(global)))
			gen_embed_settle_table(s->b, global);
	}
}

// Constants go where those of the script are. Variables of C would be the handlers' of all engines: they are not.
static void scan_globals(struct scan *s, LLVMModuleRef mod)
{
	for (LLVMValueRef global = LLVMGetFirstGlobal(mod); global; global = LLVMGetNextGlobal(global)) {
		size_t len;
		const char *name = LLVMGetValueName2(global, &len);

		if (LLVMIsDeclaration(global))
			continue; // what clang notes of accesses to kernel structures
		if (LLVMIsGlobalConstant(global) && gen_embed_has_address(LLVMGetInitializer(global))) {
			refuse(s, global,
			       sp_arena_printf(&s->embedded->arena, "'%s' has addresses, of which BPF programs can only have those of "
					       "constant texts, to be read", name));
			continue;
		}
		if (LLVMIsGlobalConstant(global)) {
			LLVMSetSection(global, ".rodata");
			LLVMSetLinkage(global, LLVMInternalLinkage);
			LLVMSetUnnamedAddress(global, LLVMNoUnnamedAddr);
			continue;
		}
		refuse(s, global,
		       sp_arena_printf(&s->embedded->arena,
				       "variable '%s' of C would not be shared by the handlers: use a global of the "
				       "script, with /* pragma:read:x */ and /* pragma:write:x */",
				       name));
	}
}

// ---- reading ------------------------------------------------------------------------------------

LLVMModuleRef gen_embed_parse(LLVMContextRef ctx, const struct sp_buf *bitcode)
{
	LLVMMemoryBufferRef memory =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode->data, bitcode->len, "embedded C");
	LLVMModuleRef mod = NULL;

	if (LLVMParseBitcodeInContext2(ctx, memory, &mod))
		mod = NULL;
	LLVMDisposeMemoryBuffer(memory);
	return mod;
}

struct sp_err *gen_embed_inline(LLVMModuleRef mod, LLVMTargetMachineRef machine)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef failed = LLVMRunPasses(mod, "always-inline,globaldce", machine, options);
	struct sp_err *err = NULL;

	LLVMDisposePassBuilderOptions(options);
	if (failed) {
		char *text = LLVMGetErrorMessage(failed);

		err = sp_err_new(SP_ERR_BUG, "LLVM's passes: %s", text);
		LLVMDisposeErrorMessage(text);
	}
	return err;
}

static unsigned kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static struct embedded_piece *piece_of(const struct scan *s, LLVMValueRef fn)
{
	size_t len;
	const char *name = LLVMGetValueName2(fn, &len);
	unsigned long index;

	if (!sp_starts_with(name, EMBED_FUNCTION) || LLVMIsDeclaration(fn))
		return NULL;
	index = strtoul(name + strlen(EMBED_FUNCTION), NULL, 10);
	return index < s->unit->embeds.n ? &s->embedded->pieces[index] : NULL;
}

// What the pieces give for their context goes where functions that are inlined into them ask for it.
static void settle_context(LLVMModuleRef mod)
{
	LLVMValueRef asked = LLVMGetNamedFunction(mod, "spile_context"), given = LLVMGetNamedFunction(mod, "spile_give_context");
	LLVMUseRef next;

	for (LLVMUseRef give = given ? LLVMGetFirstUse(given) : NULL; give; give = next) {
		LLVMValueRef giver = LLVMGetUser(give), fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(giver));
		LLVMUseRef next_ask;

		next = LLVMGetNextUse(give);
		for (LLVMUseRef ask = asked ? LLVMGetFirstUse(asked) : NULL; ask; ask = next_ask) {
			LLVMValueRef asker = LLVMGetUser(ask);

			next_ask = LLVMGetNextUse(ask);
			if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(asker)) != fn)
				continue;
			LLVMReplaceAllUsesWith(asker, LLVMGetOperand(giver, 0));
			LLVMInstructionEraseFromParent(asker);
		}
		LLVMInstructionEraseFromParent(giver);
	}
}

// Everything is inlined: in the kernel, where a call costs checks of its arguments, as in the VM.
static void mark_inline(const struct scan *s, LLVMModuleRef mod)
{
	static const char *const unwanted[] = { "noinline", "optnone", "naked" };
	static const char *const choices[] = { "target-cpu", "target-features" };

	for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
		LLVMAttributeRef always = LLVMCreateEnumAttribute(LLVMGetModuleContext(mod), kind_of("alwaysinline"), 0);

		if (LLVMIsDeclaration(fn))
			continue;
		for (size_t i = 0; i < SP_ARRAY_SIZE(unwanted); i++)
			LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind_of(unwanted[i]));
		for (size_t i = 0; i < SP_ARRAY_SIZE(choices); i++)
			LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, choices[i],
							 (unsigned)strlen(choices[i]));
		LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, always);
		if (!piece_of(s, fn))
			LLVMSetLinkage(fn, LLVMInternalLinkage);
	}
}

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	(void)info, (void)ctx;
}

// What a variable of a loop has before the first round is not always set, and the verifier lets nobody copy a register that is not.
static void set_unset(LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
			for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
				if (LLVMIsUndef(LLVMGetIncomingValue(phi, i)))
					LLVMSetOperand(phi, i, LLVMConstNull(LLVMTypeOf(phi)));
}

static struct sp_err *prepare(struct scan *s, LLVMModuleRef mod)
{
	LLVMMemoryBufferRef memory;

	mark_inline(s, mod);
	SP_TRY(gen_embed_inline(mod, NULL));
	settle_context(mod);
	for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
		fit_formats(s, fn);
	settle_tables(s, mod);
	scan_globals(s, mod);
	for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
		s->piece = piece_of(s, fn);
		if (!s->piece)
			continue;
		gen_embed_guard_reads(s->b, fn);
		scan_function(s, fn);
		set_unset(fn);
		s->piece->is_unbounded = gen_loops_are_unbounded(s->b, fn);
		gen_narrow_widen_checked(s->b, fn);
	}
	memory = LLVMWriteBitcodeToMemoryBuffer(mod);
	sp_buf_clear(&s->embedded->bitcode);
	sp_buf_add(&s->embedded->bitcode, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
	LLVMDisposeMemoryBuffer(memory);
	return NULL;
}

struct sp_err *gen_embed_prepare(const struct ir_unit *unit, struct embedded *embedded, const struct gen_refusal *refusal,
				 bool *is_readable_ret)
{
	struct scan s = { .unit = unit, .embedded = embedded, .refusal = refusal, .ctx = LLVMContextCreate() };
	struct sp_err *err = NULL;
	LLVMModuleRef mod;

	embedded->pieces = sp_arena_array(&embedded->arena, struct embedded_piece, unit->embeds.n);
	LLVMContextSetDiagnosticHandler(s.ctx, ignore_diagnostic, NULL);
	s.b = LLVMCreateBuilderInContext(s.ctx);
	mod = gen_embed_parse(s.ctx, &embedded->bitcode);
	*is_readable_ret = mod != NULL;
	if (mod) {
		err = prepare(&s, mod);
		LLVMDisposeModule(mod);
	}
	LLVMDisposeBuilder(s.b);
	LLVMContextDispose(s.ctx);
	return err;
}
