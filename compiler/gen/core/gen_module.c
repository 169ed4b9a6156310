// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_module.h"

#include "compiler/gen/core/gen_core.h"
#include "compiler/gen/core/gen_cost.h"
#include "compiler/gen/core/gen_embed.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_join.h"
#include "compiler/gen/core/gen_near.h"
#include "runtime/base/cleanup.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

// LLVM ends the process when a jump is too far for 16 bits. An instruction of its own becomes less than
// two of BPF's.
#define MAX_SIZE 15000

#define TRIPLE "bpfel"
#define CPU "v3"
#define LAYOUT "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"

// Inlines what gen_global.h says. Makes numbers in variables into values and takes away what that leaves. Strings stay in memory: as
// values they would take all registers. Nothing that moves code between branches, unrolls, or builds
// tables, which the verifier would have to follow. -u does not switch it off: the verifier follows
// each path, and code that is not simplified has too many.
#define PASSES                                                                                     \
	"always-inline,function(mem2reg,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,early-cse,"        \
	"simplifycfg,adce),globaldce"
#define PASSES_15                                                                                  \
	"always-inline,function(mem2reg,early-cse,simplifycfg,instcombine,early-cse,simplifycfg,adce),globaldce"

// ---- LLVM ---------------------------------------------------------------------------------------

static void keep_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	struct gen *g = ctx;
	char *text;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	text = LLVMGetDiagInfoDescription(info);
	if (!strstr(text, "stack limit")) // the engine's check knows more of it
		gen_bug(g, text);
	LLVMDisposeMessage(text);
}

void gen_module_init(void)
{
	LLVMInitializeBPFTargetInfo();
	LLVMInitializeBPFTarget();
	LLVMInitializeBPFTargetMC();
	LLVMInitializeBPFAsmPrinter();
	LLVMInitializeBPFAsmParser();
}

static struct sp_err *create_machine(LLVMTargetMachineRef *ret)
{
	LLVMTargetRef target;
	struct sp_err *err;
	char *text = NULL;

	if (LLVMGetTargetFromTriple(TRIPLE, &target, &text)) {
		err = sp_err_new(SP_ERR_BUG, "this LLVM cannot make BPF code: %s", text);
		LLVMDisposeMessage(text);
		return err;
	}
	*ret = LLVMCreateTargetMachine(target, TRIPLE, CPU, "", LLVMCodeGenLevelDefault, LLVMRelocDefault,
				       LLVMCodeModelDefault);
	return NULL;
}

// instcombine makes a relaxed atomic load of an atomic addition of 0, which LLVM 15 to 18 have no BPF instruction for. A
// plain one of 8 aligned bytes does the same.
static void make_loads_plain(struct gen *g)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsALoadInst(i))
					LLVMSetOrdering(i, LLVMAtomicOrderingNotAtomic);
}

static struct sp_err *optimize(struct gen *g, LLVMTargetMachineRef machine)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef failed = LLVMRunPasses(g->mod, PASSES, machine, options);
	struct sp_err *err;
	char *text;

	if (failed) { // LLVM 15 to 17 know no parameters of instcombine
		LLVMConsumeError(failed);
		failed = LLVMRunPasses(g->mod, PASSES_15, machine, options);
	}
	LLVMDisposePassBuilderOptions(options);
	if (!failed) {
		make_loads_plain(g);
		gen_join(g);
		gen_near(g);
		return NULL;
	}
	text = LLVMGetErrorMessage(failed);
	err = sp_err_new(SP_ERR_BUG, "LLVM's passes: %s", text);
	LLVMDisposeErrorMessage(text);
	return err;
}

// Before any of LLVM's passes, which delete functions.
static void keep_names(struct gen *g)
{
	size_t len;

	sp_vec_each(named, &g->named)
		named->name = sp_arena_strdup(g->arena, LLVMGetValueName2(named->fn, &len));
}

static struct sp_err *check_sizes(struct gen *g)
{
	sp_vec_each(named, &g->named) {
		sp_cleanup(sp_buf_deinit) struct sp_buf lines = { 0 };
		LLVMValueRef fn = LLVMGetNamedFunction(g->mod, named->name);
		unsigned n = fn ? gen_cost_count(fn, NULL) : 0;
		const struct ir_place *at;

		if (n <= MAX_SIZE || named->place >= g->unit->places.n)
			continue;
		at = &g->unit->places.v[named->place];
		gen_cost_count(fn, &lines);
		return sp_err_new(SP_ERR_SCRIPT,
				  "%s:%u:%u: what begins here is too large (about %u instructions, %u can be had): write it in "
				  "several statements%s%s",
				  at->file, at->line, at->column, n, MAX_SIZE, lines.len ? ". Most come from " : "",
				  sp_buf_str(&lines));
	}
	return NULL;
}

// For relaxed operations LLVM 20 and later make the instructions that give no value, also where it is used.
static void order_atomics(LLVMModuleRef mod)
{
	if (LLVM_VERSION_MAJOR < 20)
		return;
	for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsAAtomicRMWInst(i) && LLVMGetFirstUse(i))
					LLVMSetOrdering(i, LLVMAtomicOrderingSequentiallyConsistent);
}

static struct sp_err *emit(struct gen *g, LLVMTargetMachineRef machine, struct sp_buf *ret)
{
	LLVMMemoryBufferRef memory;
	struct sp_err *err;
	char *text = NULL;

	order_atomics(g->mod);
	if (LLVMTargetMachineEmitToMemoryBuffer(machine, g->mod, LLVMObjectFile, &text, &memory)) {
		err = sp_err_new(SP_ERR_BUG, "LLVM made no object: %s", text);
		LLVMDisposeMessage(text);
		return err;
	}
	sp_buf_add(ret, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
	LLVMDisposeMemoryBuffer(memory);
	return NULL;
}

static struct sp_err *verify(struct gen *g)
{
	struct sp_err *err = NULL;
	char *text = NULL;

	if (LLVMVerifyModule(g->mod, LLVMReturnStatusAction, &text))
		err = sp_err_new(SP_ERR_BUG, "internal error in the code generator: %s", text);
	LLVMDisposeMessage(text);
	return err;
}

// ---- modules ------------------------------------------------------------------------------------

static LLVMAttributeRef attribute(struct gen *g, const char *name)
{
	return LLVMCreateEnumAttribute(g->ctx, LLVMGetEnumAttributeKindForName(name, strlen(name)),
				       0);
}

static void module_begin(struct gen *g)
{
	g->ctx = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(g->ctx, keep_diagnostic, g);
	g->b = LLVMCreateBuilderInContext(g->ctx);
	g->i1 = LLVMInt1TypeInContext(g->ctx);
	g->i8 = LLVMInt8TypeInContext(g->ctx);
	g->i16 = LLVMInt16TypeInContext(g->ctx);
	g->i32 = LLVMInt32TypeInContext(g->ctx);
	g->i64 = LLVMInt64TypeInContext(g->ctx);
	g->ptr = LLVMPointerTypeInContext(g->ctx, 0);
	g->nounwind = attribute(g, "nounwind");
	g->mod = LLVMModuleCreateWithNameInContext(g->engine->name, g->ctx);
	LLVMSetTarget(g->mod, TRIPLE);
	LLVMSetDataLayout(g->mod, LAYOUT);
	g->maps = sp_arena_array(g->arena, LLVMValueRef, g->unit->maps.n + 1);
	sp_hash_init(&g->literals);
	g->engine->begin(g);
}

static void module_end(struct gen *g)
{
	sp_hash_deinit(&g->literals);
	sp_vec_deinit(&g->named);
	sp_vec_deinit(&g->callees);
	sp_vec_deinit(&g->shared);
	sp_vec_deinit(&g->context);
	sp_err_free(g->err);
	LLVMDisposeModule(g->mod);
	LLVMDisposeBuilder(g->b);
	LLVMContextDispose(g->ctx);
}

// From the whole module to an object.
static struct sp_err *finish_module(struct gen *g, LLVMTargetMachineRef machine, struct gen_module *module)
{
	struct sp_err *err = verify(g);

	if (!err)
		err = optimize(g, machine);
	if (!err)
		err = check_sizes(g);
	if (!err && module->opts->llvm_ir) {
		char *text = LLVMPrintModuleToString(g->mod);

		sp_buf_printf(&module->llvm_ir, "%s\n", text);
		LLVMDisposeMessage(text);
	}
	if (!err && g->engine->drop && module->opts->excess)
		g->engine->drop(g, module->first, module->end, module->opts->excess);
	// Without ours, what clang knows of embedded C is of no use; and LLVM before 17 stumbles over functions without any.
	if (!g->engine->has_debug)
		LLVMStripModuleDebugInfo(g->mod);
	if (!err)
		err = emit(g, machine, &module->object);
	return err ? err : sp_take(g->err);
}

static void make_handler(struct gen *g, uint32_t index)
{
	size_t before = g->named.n;

	gen_fn_handler(g, index);
	for (size_t i = before; i < g->named.n && g->plan->progs[index].is_stackless; i++)
		gen_near_note(g, g->named.v[i].fn);
}

static struct sp_err *make(struct gen *g, LLVMTargetMachineRef machine, struct gen_module *module)
{
	struct sp_err *err;

	for (uint32_t i = module->first; i < module->end; i++)
		if (gen_module_makes(g->plan, module->opts, g->engine, i))
			make_handler(g, i);
	if (g->engine->complete)
		g->engine->complete(g);
	err = sp_take(g->err);
	keep_names(g);
	if (!err)
		err = gen_embed_link(g, machine);
	if (!err)
		err = finish_module(g, machine, module);
	if (!err && g->engine->check)
		err = g->engine->check(g, module);
	return err;
}

void gen_module_make(struct gen_module *module)
{
	sp_cleanup(sp_arena_deinit) struct sp_arena arena = { 0 };
	struct gen g = {
		.unit = module->plan->unit,
		.plan = module->plan,
		.engine = module->engine,
		.arena = &arena,
		.scratch_size = module->plan->scratch_size,
		.is_first = module->first == 0,
		// What a program costs is told by the names of its functions, which are its own then.
		.shares = module->engine->has_verifier && !module->opts->cost && target_has(&module->plan->unit->target, SP_FEATURE_BOUNDED_LOOPS),
	};
	LLVMTargetMachineRef machine = NULL;

	module->err = create_machine(&machine);
	if (module->err)
		return;
	module_begin(&g);
	module->err = make(&g, machine, module);
	module->scratch_size = (uint32_t)g.scratch_size;
	module_end(&g);
	LLVMDisposeTargetMachine(machine);
}

void gen_module_deinit(struct gen_module *module)
{
	sp_buf_deinit(&module->object);
	sp_buf_deinit(&module->llvm_ir);
	sp_err_free(module->err);
}
