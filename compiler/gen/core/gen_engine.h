// SPDX-License-Identifier: GPL-2.0-or-later
/** An engine: where the code that is made will run, as far as the generator must care.
 *
 *  The problem. The kernel's programs and those of the user-side machine (the VM) are made of the same IR, by the same functions,
 *  and must mean the same. But the kernel has helpers and a verifier; the VM has calls that do more at once, and no verifier.
 *
 *  The idea. What differs is cut where a whole thing is done in two ways: an array is read, a record is sent, a handler begins.
 *  Each way is a function of this table, in kernel/ or in vm/; what is left are limits and facts. Nothing else asks which of
 *  both engines it is.
 *
 *  The invariant. An operation has the same effect on what the script sees in both. What one engine must remember from call to
 *  call is in its own struct (gen_kernel_state.h, gen_vm_state.h), which gen.kernel and gen.vm, gen_fn.kernel and gen_fn.vm point at.
 *
 *  An operation that is NULL has nothing to do; its comment says so. */
#ifndef SP_GEN_GEN_ENGINE_H
#define SP_GEN_GEN_ENGINE_H

#include "compiler/gen/core/gen.h"
#include "compiler/gen/core/gen_core.h"

struct gen_format_arg;
struct gen_module;

/** LLVM's functions of handlers, and of script functions that are called. */
struct gen_engine_fn {
	/** Adds the handler's function to the module. */
	LLVMValueRef (*add)(struct gen *g, const struct ir_prog *prog, uint32_t index);
	/** g->fn is begun: makes what the engine keeps of it ... */
	void (*begin)(struct gen *g);
	/** ... and is complete, with all of its sizes known. */
	void (*end)(struct gen *g);
	/** The code at a handler's beginning, up to g->fn->scratch and g->fn->state. A run that must not take place goes to `out`. */
	void (*enter)(struct gen *g, LLVMBasicBlockRef out);
	/** The code at its end. NULL: there is none. */
	void (*leave)(struct gen *g);
	/** So are its callees: makes the recursive functions that they call. NULL: these are callees. */
	void (*recurse)(struct gen *g, struct gen_fn *handler);
	/** All that it calls is complete, too. */
	void (*finish)(struct gen *g, struct gen_fn *handler);

	/** CALL */
	LLVMValueRef (*call)(struct gen *g, const struct ir_expr *e, const struct gen_str *result);
	/** Where the frame of a function begins that is called here. */
	LLVMValueRef (*callee_frame)(struct gen *g, uint32_t func);
	/** The code at such a function's beginning, which is called with that frame: where its scratch and its gen_temp are, and
	 *  what it has of its handler's through g->fn->state. */
	void (*callee_enter)(struct gen *g, const struct ir_func *func, LLVMValueRef frame);
	/** A script function that is no handler ends so. */
	void (*callee_end)(struct gen *g, enum gen_end end);

	/** A callback (gen_callback.h) of g->fn is begun, or complete: it has a stack of its own. NULL: it shares gen_temp's
	 *  memory with the function around it. */
	void (*callback_begin)(struct gen *g);
	void (*callback_end)(struct gen *g);
	/** Memory for addresses that a callback gets: gen_closure. */
	LLVMValueRef (*closure)(struct gen *g, uint32_t size);

	/** The address of the iterations that MAXACTION leaves. */
	LLVMValueRef (*budget)(struct gen *g);
	/** What tokenize() goes on with (gen_tokens). */
	LLVMValueRef (*tokens)(struct gen *g);
};

/** Statements that say where code goes on. */
struct gen_engine_flow {
	/** LOOP */
	void (*loop)(struct gen *g, const struct ir_stmt *s);
	/** Would these statements be left and entered again in their middle? Then they cannot be outlined. NULL: never. */
	bool (*pauses)(const struct gen *g, const struct ir_stmt *s, uint32_t n);
	/** What is open must be closed where code is left: the VM's iterators. NULL: nothing ever is.
	 *  `leave`: a RETURN leaves the activation; `try_begin`: a TRY begins; `try_caught`: its handler does. */
	void (*leave)(struct gen *g);
	void (*try_begin)(struct gen *g);
	void (*try_caught)(struct gen *g);
};

/** Locks of globals, by number from 0 on (core/gen_lock.h). */
struct gen_engine_lock {
	/** Code goes to `busy` when others have the lock for too long. */
	void (*take)(struct gen *g, uint32_t lock, LLVMBasicBlockRef busy);
	void (*release)(struct gen *g, uint32_t lock);
};

/** Records: what is printed, errors, exit(). */
struct gen_engine_record {
	/** Sends what is in memory. */
	void (*send)(struct gen *g, LLVMValueRef record, LLVMValueRef size);
	/** Memory for a record that `submit` then sends, in `slot` when the engine's records are in the handler's memory. Code
	 *  goes to `full` when there is none. */
	LLVMValueRef (*reserve)(struct gen *g, uint32_t size, struct plan_slot slot, LLVMBasicBlockRef full);
	void (*submit)(struct gen *g, LLVMValueRef record, uint32_t size);
	/** Gives back what was reserved. NULL: it need not be. */
	void (*discard)(struct gen *g, LLVMValueRef record);
};

/** The script's arrays and aggregates. */
struct gen_engine_map {
	/** What stands for the array in code: gen_map_ref makes it once. */
	LLVMValueRef (*define)(struct gen *g, uint32_t map);
	/** The number of a text that is a known part of the array's key (plan_known.h). NULL: keys have texts. */
	LLVMValueRef (*known)(struct gen *g, const struct plan_known *known, const struct ir_expr *e);
	LLVMValueRef (*get)(struct gen *g, const struct ir_expr *e);
	void (*get_str)(struct gen *g, const struct ir_expr *e, struct gen_str dst);
	LLVMValueRef (*has)(struct gen *g, const struct ir_expr *e);
	/** MAP_HAS of an element whose address is kept once it is found: code for the address, which is 0 when there is none. It gives
	 *  NULL for other elements. NULL: no address is kept. */
	LLVMValueRef (*kept)(struct gen *g, const struct ir_expr *e);
	LLVMValueRef (*add)(struct gen *g, const struct ir_expr *e);
	void (*set)(struct gen *g, const struct ir_stmt *s);
	/** The address of the element of an extreme, which begins as `value`. `wanted` (i1): is that to be stored when there is none? Else
	 *  code goes to `none`; NULL: it always is. NULL outside of the kernel: elements that code there sets have locks. */
	LLVMValueRef (*place)(struct gen *g, const struct plan_extreme *x, LLVMValueRef value, LLVMValueRef wanted, LLVMBasicBlockRef none);
	void (*delete)(struct gen *g, const struct ir_stmt *s);
	void (*clear)(struct gen *g, const struct ir_stmt *s);
	void (*foreach)(struct gen *g, const struct ir_stmt *s);
	void (*stat_add)(struct gen *g, const struct ir_stmt *s);
	LLVMValueRef (*stat_get)(struct gen *g, const struct ir_expr *e);
	void (*stat_print)(struct gen *g, const struct ir_stmt *s);
	/** STAT_TEXT. NULL in the kernel, where the plan lets none through. */
	void (*stat_text)(struct gen *g, const struct ir_expr *e, struct gen_str dst);
};

/** A loop over the memory of texts that can be a function. */
struct gen_once {
	const char *what; // its name
	LLVMValueRef ptrs[2]; // each to `size` bytes
	unsigned n;
	uint32_t size;
	const void *arg;
	/** A long; `ptrs` are the function's. */
	LLVMValueRef (*body)(struct gen *g, const struct gen_once *once, const LLVMValueRef *ptrs);
};

/** Text */
struct gen_engine_text {
	uint32_t most_in_place; // longer texts are copied by `copy`
	void (*copy)(struct gen *g, struct gen_str dst, struct gen_str src); // zeros behind it
	/** CONCAT of what is in memory; `a` may be what is at `dst`. */
	void (*concat)(struct gen *g, const struct ir_expr *e, struct gen_str dst, struct gen_str a, struct gen_str b);
	/** gen_str_order */
	LLVMValueRef (*order)(struct gen *g, enum ir_expr_op op, struct gen_str a, struct gen_str b);
	LLVMValueRef (*length)(struct gen *g, struct gen_str s);
	/** The function, which is made when there is none yet. NULL, or a result of NULL: the loop has to be in place. */
	LLVMValueRef (*once)(struct gen *g, const struct gen_once *once);
	/** SPRINTF of these values. */
	void (*sprintf)(struct gen *g, const struct ir_expr *e, const struct gen_format_arg *values, struct gen_str dst);
	/** SITE: what the probe is called that runs. */
	void (*site)(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded);
	/** SYMBOLS that are printed here; in the kernel those that the plan lets through. Behind the text are zeros up to `zeros` bytes
	 *  when it ends in these, else up to its capacity. */
	void (*symbols)(struct gen *g, const struct ir_expr *e, struct gen_str dst, uint32_t zeros);
};

struct gen_engine {
	const char *name; // of LLVM's module
	bool has_verifier; // which follows each path, and what is known of each number on it
	bool has_debug; // its object says which script lines code is of
	bool defines_data; // the script's data is in its object; the other one refers to that
	bool counts_steps; // the machine ends handlers that take too many; so loops and calls put down where they are
	bool has_sections; // a function is in the section of its handler; else internal functions are in .text
	uint32_t max_jumps; // of searches in a function that may be undecided

	bool (*runs)(const struct plan_prog *plan);
	bool (*fails)(const struct plan_prog *plan); // may it end with a failure?
	bool (*has)(const struct gen *g, enum sp_feature feature); // only those that change code
	/** A module is begun; all its handlers are there (NULL: that is all); LLVM's passes are done, so that those of the programs from
	 *  `first` to `end` can be left out of which it is seen what they have too much of (NULL: none has); its object is made
	 *  (NULL: it is right). */
	void (*begin)(struct gen *g);
	void (*complete)(struct gen *g);
	void (*drop)(struct gen *g, uint32_t first, uint32_t end, uint8_t *excess);
	struct sp_err *(*check)(const struct gen *g, const struct gen_module *module);

	/** Which of the program's sites the handler runs for. NULL: the machine knows. */
	LLVMValueRef (*site)(struct gen *g);
	/** REG. NULL: no handler has such a context. */
	LLVMValueRef (*reg)(struct gen *g, uint32_t offset, unsigned size);
	/** LOAD of the current task's memory. */
	LLVMValueRef (*task_member)(struct gen *g, const struct ir_expr *e);
	/** Writes the addresses of the current task's stack in its program, SP_SYMBOLS_MAX at most, by unwind tables, and gives their
	 *  bytes; 0: that could not be done. `state`: memory for a struct sp_unwind_state. NULL: there are no tables. */
	LLVMValueRef (*unwind)(struct gen *g, LLVMValueRef state, LLVMValueRef places);
	LLVMValueRef (*const *builtins)(struct gen *g, const struct ir_expr *e); // by enum builtin; NULL: no difference

	const struct gen_engine_fn *fn;
	struct gen_engine_flow flow;
	const struct gen_engine_lock *lock;
	const struct gen_engine_record *record;
	const struct gen_engine_map *map;
	const struct gen_engine_text *text;
};

#endif
