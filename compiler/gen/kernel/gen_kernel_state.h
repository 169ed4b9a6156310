// SPDX-License-Identifier: GPL-2.0-or-later
/** What the kernel's engine remembers while it makes a module and a function of it. */
#ifndef SP_GEN_GEN_KERNEL_STATE_H
#define SP_GEN_GEN_KERNEL_STATE_H

#include "compiler/gen/core/gen_core.h"

/** Of the module. */
struct gen_kernel {
	LLVMValueRef events, scratch, family, counters, since, counts; // maps of our own; NULL until used
	LLVMValueRef unwind; // the walk by unwind tables (gen_unwind.c); NULL until used
	SP_VEC(LLVMValueRef) cpu_calls; // which CPU is it: for scratch memory that is too large for the kernel's per-CPU arrays
	struct gen_coroutine *coroutine; // of the handler that is being made; NULL: not used yet
};

/** The element that the current thread or process has in an array whose elements last. */
struct gen_kept {
	uint32_t map;
	unsigned builtin; // what its key is
	LLVMValueRef variable; // of a pointer, NULL while it is not known
};

/** What a function around a callback goes on with behind it. */
struct gen_kernel_outer {
	LLVMValueRef stack, variables, temps;
	uint32_t temps_top, temps_size;
};

/** Of a function. */
struct gen_kernel_fn {
	LLVMValueRef stack; // a byte array whose size is known at the end: gen_temp's memory or, in a coroutine, closures'
	SP_VEC(struct gen_kernel_outer) outer;
	LLVMValueRef budget; // address: rounds that MAXACTION leaves; NULL until a loop wants it
	SP_VEC(struct gen_kept) kept;
	LLVMValueRef call_number; // of the system call, below SP_SYSCALLS, in the handler's own code; NULL: the hook is another
	// In a coroutine:
	struct gen_coroutine *coroutine; // this is its code
	LLVMValueRef variables; // memory in its frame for what outlives a pause (gen_spill.h); NULL in a callback
	uint32_t variables_size, closure_size;
};

/** The variable of an element that is kept: gen_kept of it, which is made when there is none yet. */
LLVMValueRef gen_kernel_state_kept(struct gen *g, uint32_t map, unsigned builtin);
/** Does the code that is made now keep elements? A callback is a function of its own, which does not have the variable; a coroutine would
 *  lose it in a pause. */
bool gen_kernel_state_keeps(const struct gen *g);
/** Code at the beginning of a function that is called, or of a coroutine: what it has of its handler's through g->fn->state. */
void gen_kernel_state_take(struct gen *g);

#endif
