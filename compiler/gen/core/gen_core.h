// SPDX-License-Identifier: GPL-2.0-or-later
/** What the generator's files share: the module of LLVM that is being made, the BPF function in it, the activation of a script
 *  function in that, and shorthands for LLVM's builder. */
#ifndef SP_GEN_GEN_CORE_H
#define SP_GEN_GEN_CORE_H

#include "compiler/plan/plan.h"
#include "runtime/abi/event.h"
#include "runtime/base/err.h"
#include "runtime/base/hash.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

/** Helpers of the kernel, which are the VM's, too (linux/bpf.h has no names for them that all distributions know). */
enum gen_helper {
	GEN_MAP_LOOKUP = 1,
	GEN_MAP_UPDATE = 2,
	GEN_MAP_DELETE = 3,
	GEN_KTIME_NS = 5,
	GEN_PRANDOM = 7,
	GEN_CPU = 8,
	GEN_PID_TGID = 14,
	GEN_UID_GID = 15,
	GEN_COMM = 16,
	GEN_TASK = 35,
	GEN_PROBE_WRITE_USER = 36,
	GEN_PERF_READ = 55,
	GEN_OVERRIDE_RETURN = 58,
	GEN_GET_STACK = 67,
	GEN_READ_USER = 112,
	GEN_READ_KERNEL = 113,
	GEN_READ_USER_STR = 114,
	GEN_READ_KERNEL_STR = 115,
	GEN_SEND_SIGNAL_THREAD = 117,
	GEN_JIFFIES = 118,
	GEN_RING_OUTPUT = 130,
	GEN_RING_RESERVE = 131,
	GEN_RING_SUBMIT = 132,
	GEN_RING_DISCARD = 133,
	GEN_RING_QUERY = 134,
	GEN_COPY_FROM_USER = 148,
	GEN_TASK_STORAGE = 156,
	GEN_TASK_BTF = 158,
	GEN_FOR_EACH = 164,
	GEN_SNPRINTF = 165,
	GEN_FUNC_IP = 173,
	GEN_ATTACH_COOKIE = 174,
	GEN_TASK_REGS = 175,
	GEN_LOOP = 181,
	GEN_MAP_LOOKUP_PERCPU = 195,
};

/** A string in memory: `cap` bytes, zero behind the NUL. */
struct gen_str {
	LLVMValueRef ptr;
	uint32_t cap;
};

/** Where failures go: a TRY's handler, or the end of the handler. */
struct gen_catch {
	LLVMBasicBlockRef block;
	bool is_try;
	struct gen_str message; // TRY: the local that gets the text; ptr NULL: none
};

/** The activation of a script function, or of the handler itself. */
struct gen_frame {
	const struct ir_func *func; // NULL: the handler
	const struct plan_frame *plan; // its memory
	const struct gen_frame *caller; // it is inlined into; NULL: the BPF function's own
	uint32_t call_place; // where the caller calls it
	LLVMValueRef *locals; // longs: address of the variable; strings: address of the text
	uint32_t *local_caps;
	LLVMValueRef stack; // its area of stack slots; NULL: none
	uint32_t scratch; // where its part of the scratch frame begins
	const struct gen_catch *catch;
	LLVMBasicBlockRef leave; // where RETURN goes
	LLVMValueRef result; // address; NULL: none
	uint32_t result_cap;
	LLVMBasicBlockRef on_break, on_continue;
};

/** One BPF function: a handler, or a script function that is called. */
struct gen_fn {
	const struct ir_prog *prog;
	const struct plan_prog *plan;
	uint32_t prog_index;
	bool is_callee; // a script function, not a handler
	bool is_shared; // by handlers that are alike: it is not made for `prog` alone
	LLVMValueRef fn, ctx;
	LLVMBasicBlockRef entry, body; // allocas go to the end of `entry`, which then goes to `body`
	LLVMBasicBlockRef done; // the epilogue
	LLVMBasicBlockRef aborted; // where a called function goes after an abort()
	LLVMBasicBlockRef told; // where the handler goes when `state` tells of a failure
	LLVMBasicBlockRef failed; // counts the error
	struct gen_catch fail; // the outermost: sends the error record, then goes to `failed`
	LLVMValueRef error; // variable: the address of the record that the failure sends
	LLVMValueRef fault; // memory for a record whose values are not constant; NULL until used
	unsigned callbacks; // how many functions of gen_callback.h the code is in
	unsigned outlined; // how many of these are called once
	uint32_t n_jumps; // of searches (gen_regex.c)
	LLVMValueRef state; // address of a struct plan_state with all members, shared with callees; NULL: nothing is
	LLVMValueRef shared; // of a handler with a `state`: an instruction of its beginning, where it has that
	bool keeps_context; // values of the context are in `state` (gen_context.h)
	LLVMValueRef goes_on; // address: plan_state.goes_on; NULL: nothing sets it
	LLVMValueRef held; // variable: the handler has its lock (gen_lock.h); NULL: it takes none
	bool may_sleep; // a kernel handler, or what it calls, waits for memory of the program (gen_read.h) ...
	unsigned walks; // ... but not in so many walks of arrays that the code is in
	bool begins_exiting; // its beginning has told the others that the script ends (plan_prog.is_one_shot)
	LLVMValueRef match; // address: what the last =~ found (plan_regex.h); NULL: not kept
	LLVMValueRef result; // variable: what an SP_PROG_LSM, SP_PROG_REPLACE or SP_PROG_NETFILTER returns; NULL: the program is of another kind
	LLVMValueRef site; // index among the program's sites; NULL: it has one, or the engine knows
	LLVMValueRef scratch; // the scratch frame behind its head; NULL: none
	uint32_t slots_size; // how much of it the slots take
	LLVMValueRef temps; // memory of gen_temp
	uint32_t temps_top, temps_size; // what is in use now; at most
	union { // what one engine alone remembers
		struct gen_kernel_fn *kernel;
		struct gen_vm_fn *vm;
	};
};

/** How a called function ended; NONE: not yet (gen_coroutine.h). */
enum gen_end { GEN_END_DONE, GEN_END_FAILED, GEN_END_ABORTED, GEN_END_NONE };

/** A script function that the program which is being made calls. */
struct gen_callee {
	uint32_t func;
	uint32_t prog; // that it was made for
	LLVMValueRef fn;
	LLVMValueRef global; // that has it inlined, and is called for it (gen_global.h); NULL: none
};

/** A value that plan_state.context keeps, or is to (gen_context.h): bytes of the context; none: what bpf_get_func_ip says. */
struct gen_context {
	int64_t offset;
	unsigned bytes;
};

/** A function of BPF, and what of the script it is made of. */
struct gen_named {
	LLVMValueRef fn; // gone when LLVM's passes have found that nobody calls it, or have inlined it
	const char *name; // before the passes: NULL
	uint32_t place;
};

struct gen {
	const struct ir_unit *unit;
	const struct plan *plan; // of that unit
	const struct plan_layout *layout; // of the program that is being made
	const struct gen_engine *engine; // what that is made for
	bool is_first; // of the engine's modules
	bool shares; // functions, where they are planned so
	struct sp_arena *arena;
	struct sp_err *err; // the first of our own mistakes
	LLVMContextRef ctx;
	LLVMModuleRef mod;
	LLVMBuilderRef b;
	LLVMTypeRef i1, i8, i16, i32, i64, ptr;
	LLVMAttributeRef nounwind;
	struct gen_debug *debug; // NULL: none
	LLVMValueRef data, fixups; // NULL until used
	LLVMValueRef *maps; // by index; NULL until used
	struct sp_hash literals; // text -> constant
	unsigned n_constants;
	unsigned n_callbacks; // of the program that is being made
	SP_VEC(struct gen_callee) callees;
	SP_VEC(struct gen_callee) shared; // with other programs of the module
	SP_VEC(struct gen_context) context; // that the program's callees want
	SP_VEC(struct gen_named) named; // the module's functions
	uint64_t scratch_size; // of the kernel's frames, head included
	union { // what one engine alone remembers
		struct gen_kernel *kernel;
		struct gen_vm *vm;
	};
	struct gen_fn *fn;
	struct gen_frame *frame;
};

/** What is planned for it. */
static inline const struct plan_expr *gen_plan(const struct gen *g, const struct ir_expr *e)
{
	return &g->layout->exprs[e->id];
}

static inline const struct plan_stmt *gen_plan_stmt(const struct gen *g, const struct ir_stmt *s)
{
	return &g->layout->stmts[s->id];
}

static inline const struct plan_code *gen_plan_code(const struct gen *g, const struct ir_stmt *s)
{
	return &g->plan->codes[s->id];
}

/** Remembers our own mistake; generation goes on and its result is thrown away. */
void gen_bug(struct gen *g, const char *what);

/** Adds a function to the module; messages about it name `place`. */
LLVMValueRef gen_function(struct gen *g, const char *name, LLVMTypeRef type, uint32_t place);
/** One that is called from g->fn alone, or from what that calls. */
LLVMValueRef gen_function_local(struct gen *g, const char *name, LLVMTypeRef type, uint32_t place);

LLVMValueRef gen_i64(struct gen *g, int64_t value);
/** Address `offset` bytes behind `ptr`. */
LLVMValueRef gen_at(struct gen *g, LLVMValueRef ptr, uint64_t offset);
LLVMValueRef gen_at_index(struct gen *g, LLVMValueRef ptr, LLVMValueRef offset);
LLVMValueRef gen_load(struct gen *g, LLVMValueRef ptr);
LLVMValueRef gen_load_volatile(struct gen *g, LLVMValueRef ptr);
void gen_store_volatile(struct gen *g, LLVMValueRef value, LLVMValueRef ptr);
void gen_store(struct gen *g, LLVMValueRef value, LLVMValueRef ptr);
/** Zero- or sign-extended `bytes` at `ptr`. */
LLVMValueRef gen_load_sized(struct gen *g, LLVMValueRef ptr, unsigned bytes, bool is_signed);
void gen_store_sized(struct gen *g, LLVMValueRef value, LLVMValueRef ptr, unsigned bytes);
LLVMValueRef gen_extend(struct gen *g, LLVMValueRef value, unsigned bits, bool is_signed);
/** 1 or 0 of an i1. */
LLVMValueRef gen_bool(struct gen *g, LLVMValueRef cond);
LLVMValueRef gen_is_zero(struct gen *g, LLVMValueRef value);
LLVMValueRef gen_address(struct gen *g, LLVMValueRef ptr);
/** A value of which neither LLVM nor the verifier know that it comes from a pointer. The number is known to the verifier as before. */
LLVMValueRef gen_launder(struct gen *g, LLVMValueRef value);
/** The same number, of which neither LLVM nor the verifier know anything. */
LLVMValueRef gen_forget(struct gen *g, LLVMValueRef number);
/** The same value, but computed here and nowhere else: what was checked of it stays with its register. LLVM knows nothing of it: of
 *  `n % 5` it would leave out the check of an index, and the verifier does not know how large that is. */
LLVMValueRef gen_keep(struct gen *g, LLVMValueRef value);
LLVMValueRef gen_keep_pointer(struct gen *g, LLVMValueRef ptr);
/** *(u64 *)(ptr + offset) and the like as one instruction that no pass takes apart. */
LLVMValueRef gen_load_direct(struct gen *g, LLVMValueRef ptr, int64_t offset, unsigned bytes);

LLVMValueRef gen_call(struct gen *g, unsigned helper, unsigned n_args, ...);
/** Of one that gives the same wherever a handler calls it: LLVM leaves out the second. */
LLVMValueRef gen_call_pure(struct gen *g, unsigned helper);

LLVMBasicBlockRef gen_block(struct gen *g);
void gen_enter(struct gen *g, LLVMBasicBlockRef block);
void gen_goto(struct gen *g, LLVMBasicBlockRef block);
void gen_branch(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef then,
		LLVMBasicBlockRef otherwise);
/** Jumps to `block` and goes on in code that cannot be reached. */
void gen_leave(struct gen *g, LLVMBasicBlockRef block);

/** Memory of the function, for its whole run; contents undefined. */
LLVMValueRef gen_area(struct gen *g, uint32_t size);
/** A long variable of the function, not initialised. */
LLVMValueRef gen_variable(struct gen *g);
/** A pointer variable of the function, NULL where it begins. */
LLVMValueRef gen_pointer(struct gen *g);
/** Memory for pointers that a callback gets: until gen_release, or the next one. */
LLVMValueRef gen_closure(struct gen *g, uint32_t size);
/** Memory until gen_release of an earlier mark, like a stack within the function; contents undefined. */
LLVMValueRef gen_temp(struct gen *g, uint32_t size);
uint32_t gen_mark(struct gen *g);
void gen_release(struct gen *g, uint32_t mark);
/** NULL: there is none. */
LLVMValueRef gen_slot(struct gen *g, struct plan_slot slot);

/** Read-only bytes; `len` is rounded up to 8 with zeros. */
LLVMValueRef gen_constant(struct gen *g, const void *bytes, uint32_t len);
LLVMValueRef gen_data(struct gen *g, uint64_t offset);
LLVMValueRef gen_fixup(struct gen *g, uint32_t fixup);
/** What tokenize() goes on with: the place, then the text. */
LLVMValueRef gen_tokens(struct gen *g);

#endif
