// SPDX-License-Identifier: GPL-2.0-or-later
/** The plan: every decision about how code is made of a unit, beside the IR, which says what the script does.
 *
 *  The problem. A kernel's verifier takes 512 bytes of stack for a whole chain of calls, less than one string of a script;
 *  loops whose end it can see, or a helper that goes round; jumps of 32,767 instructions; and helpers that its release has.
 *  Whether a string can be on the stack, a loop be unrolled or a function be called depends on the whole unit: who calls
 *  whom, where it runs, what the target can do.
 *
 *  The idea. One pass looks at the whole unit and decides; its tables go by the index of a program, function, map, global or
 *  pattern, and by the id that ir_number gave an expression or a statement. The generator reads them and decides nothing, so
 *  the order in which it makes code means nothing. The IR stays as it is: the same unit can be planned once more, with other
 *  wishes.
 *
 *  The limit. Sizes are estimates, in instructions of LLVM. How much stack LLVM takes by itself is known when machine code
 *  has been made: where that was too much, the driver plans once more (plan_opts.stackless).
 *
 *  What the generator may rely on (plan_verify checks what can be checked):
 *
 *  - Slots. A string that is a part of a key, the value of MAP_SET, SET, GSET or RETURN, the first operand of CONCAT, a
 *    branch of COND, or an operand of EMIT when neither it nor a later one has effects, has no slot when it can be computed
 *    straight into the consumer's place (key buffer, value buffer, variable, result, the CONCAT's or COND's own place,
 *    record field): nothing that the expression reads lives there. Every other computed string, so each operand of SPRINTF
 *    and CALL, has a slot. Slots of values that are never alive together overlap. The script's string locals have slots,
 *    too. String parameters are addresses of what the caller keeps, and are never SET (lower makes copies): they have no
 *    slot. String results are written to an address that the caller passes (the CALL's slot, or the consumer's place). Stack
 *    slots are at most 256 bytes along any chain of calls; the rest is in the scratch frame. A callee's part of the scratch
 *    frame begins where its caller's part ends.
 *  - Engines. in_kernel and in_user of functions follow the call graph.
 *  - Callbacks. A FOREACH, and a LOOP of form CALL, of kernel code is a call of a helper which calls the body back. Where
 *    calls_back is set, the program's scratch part begins with struct plan_state; in such bodies every slot is in scratch,
 *    and the longs that a callback touches have one. FOREACH has a slot `walk` (struct plan_walk); a sorted one has `rows`,
 *    the number of elements that it picks out, which its limit or the array's size bounds.
 *  - Loops of kernel code. UNROLL: `trips` is the trip count (less when a BREAK is taken), at most 32. BOUNDED: the verifier
 *    must see a constant bound; `trips` when it is known, else max_action. CALL: bpf_loop.
 *  - Functions of kernel code that are called, not inlined (is_called_in_kernel): all their slots are in scratch. Their
 *    frame, of plan_frame_head bytes and then the slots, begins where the caller's part of the scratch frame ends.
 *  - Recursion in kernel code: recursive functions, and what they inline, have all slots in scratch. Their frames are behind
 *    the program's scratch part, max_nesting of them; gen knows their size.
 *  - Nesting. In both engines a call that would be nested deeper than max_nesting fails with SP_RT_NESTING at its place.
 *  - MAXACTION. In both engines each round of a loop that is not of form UNROLL takes one from what the handler has
 *    left; at 0 the loop fails with SP_RT_MAXACTION at its place.
 *  - Locks (plan_lock.h). Statements with `locks` and `unlocks` are of programs, in no loop and no TRY of kernel code; each way from
 *    one to the end of the program meets an `unlocks`, or leaves the program. Who changes a map that has a lock holds it.
 *  - Text. In programs and functions that go through strings byte by byte (ir_walks_text, MATCH), and in those that call or
 *    are called by such, all strings but keys, values of elements and records are in scratch; what walks is computed in
 *    place only in a variable, and has a work area.
 *  - A builtin's arguments are complete: PPID, EUID and EGID in kernel code have two byte offsets, of the pointer in
 *    task_struct (real_parent, cred) and of the number behind it (tgid, euid, egid); COMPAT_TASK has one, in task_struct. PID, TID, UID and the like have none.
 *    These never reach the generator: ABORT ERROR EXIT LOG WARN (statements), KERNEL_STRING USER_STRING (LOADSTR), STRLEN,
 *    PP PPFUNC (LITERAL or SITE), TARGET STAP_PID (FIXUP), GETTIMEOFDAY_NS and GET_CYCLES (KTIME_GET_NS and fixups). */
#ifndef SP_PLAN_PLAN_H
#define SP_PLAN_PLAN_H

#include "compiler/front/diag.h"
#include "compiler/ir/embedded.h"
#include "compiler/ir/ir_runtime.h"
#include "compiler/model/regex_dfa.h"
#include "runtime/abi/event.h"
#include "runtime/abi/uservm.h"

#include <stddef.h>

/** Stacks at a probe that code asks for. */
enum plan_stacks { PLAN_STACK_KERNEL = 1, PLAN_STACK_USER = 2 };

/** Where a value is while it is used. */
struct plan_slot {
	enum plan_slot_kind {
		PLAN_SLOT_NONE, // nothing is stored (literal, variable), or it is computed where its consumer keeps it
		PLAN_SLOT_STACK, // bytes `offset`.. of the one stack area of the program or function, of its stack_size
		PLAN_SLOT_SCRATCH, // bytes `offset`.. of its own part of the scratch frame
	} kind;
	uint32_t offset; // a multiple of 8
};

struct plan_expr {
	struct plan_slot result; // strings: `cap` bytes
	struct plan_slot key; // MAP_*, STAT_*: key_size bytes; SPRINTF: as for EMIT
	struct plan_slot work; // ir_work_size bytes, in scratch
};

struct plan_stmt {
	struct plan_slot walk; // FOREACH in kernel code: what the walk keeps between elements (struct plan_walk)
	struct plan_slot value; // MAP_SET: value_size bytes; FOREACH: the value that is read
	struct plan_slot key; // MAP_SET, MAP_DEL, STAT_*, FOREACH: key_size bytes; EMIT: 8 bytes for each argument, in
			      // stackless programs, where LLVM must not put them on the stack; NONE: LLVM chooses
};

/** A body's own memory. */
struct plan_frame {
	struct plan_slot *locals; // strings; longs that a callback's body touches
	uint32_t stack_size, scratch_size;
	uint32_t whole_size; // of functions: of scratch, with what it calls and, when it is called itself, with its plan_frame_head
};

/** Slots of all bodies. Most programs have strings on the stack; a stackless one has none, nor have the functions that it
 *  inlines, which is another layout of the same functions. */
struct plan_layout {
	struct plan_expr *exprs; // by id
	struct plan_stmt *stmts; // by id
	struct plan_frame *funcs, *progs; // by index; a program's frame is filled in for the layout that it uses
};

enum plan_loop_form { PLAN_LOOP_NONE, PLAN_LOOP_UNROLL, PLAN_LOOP_BOUNDED, PLAN_LOOP_CALL };

/** IF: `if (x > most) most = x`, with any order, done as one operation on `most`. */
struct plan_extreme {
	enum ir_expr_op op; // of the comparison
	const struct ir_expr *value;
	const struct ir_expr *most; // GLOBAL, or MAP_GET of an array that is_lasting
	bool most_first; // `most < x`
	bool or_absent; // `!(k in a) || ` before it
	const struct ir_stmt *set;
};

/** A statement's code, the same in all layouts. */
struct plan_code {
	enum plan_loop_form form; // LOOP in kernel programs
	uint32_t outlined; // how many statements, beginning with this one, are a BPF function of their own; 0: none
	uint32_t trips; // LOOP: number of rounds, when it is known; 0: MAXACTION bounds it
	uint32_t rows; // sorted FOREACH in kernel code: the most elements that it sorts
	const struct plan_extreme *extreme; // IF: it is one; else NULL
	bool locks, unlocks; // of a program's own: its lock is taken before it; released behind it, before a jump
	bool lets_go; // TRY of one outside of the kernel: where it catches, the lock is released
	bool asks; // IF and LOOP of one outside of the kernel: the lock is held for the condition
};

struct plan_func {
	bool in_kernel, in_user; // who calls it
	bool is_recursive; // or kernel code that a recursive one calls, too large for its place there, that calls one itself
	bool recurses; // it is recursive, or it calls one that is
	bool fails_in_kernel, fails_in_user; // may leave with a failure: no TRY of its own gets it
	bool is_called_in_kernel, is_called_in_user; // programs there call it; else they inline it. Recursive ones of kernel code
						     // are neither: gen_coroutine.h
	bool is_followed_once; // by the verifier, though many places call it (gen_global.h), unless it needs the context itself
	bool keeps_context; // it is, or such a one calls it: what it wants of the context is in the state (gen_context.h)
	bool is_shared; // is_called_in_kernel: its code is the same in all handlers that are alike, and several call it, so one copy is enough
	bool is_beside_recursion; // is_called_in_kernel, by a recursive function, too: there its frame is at the end of the program's scratch part
	uint8_t stacks; // enum plan_stacks: that it asks for, with what it calls
	bool has_outlined; // some of its statements are a BPF function of their own
	bool reads_site; // as for programs
	bool is_walked; // called from the body of a FOREACH, itself or by others
	bool calls_back; // kernel code: it, or what it calls, has outlined statements or a loop whose body a helper calls
	uint32_t n_places; // in one kernel program: how many copies of its code there would be if it were inlined
	uint32_t size; // instructions of LLVM, about, with what it calls
	const struct embedded_piece *kernel_piece; // C of it, or of what it calls, that only the kernel can run; NULL: none
};

struct plan_prog {
	bool in_kernel, in_user;
	bool has_outlined, calls_back; // as for functions
	bool outlines_in_user; // it, or a function that the VM's handler inlines, has outlined statements
	bool keeps_state; // kernel: calls functions, recursive ones included: has a whole struct plan_state
	bool keeps_state_in_user; // so has the VM's handler, for the same reason
	bool recurses; // calls a recursive function, itself or through others
	bool is_stackless; // keeps nothing on the stack, of which LLVM needs all
	bool has_texts_in_place; // kernel: the loops over its texts are no functions that the verifier follows once, which take a frame of the stack
	bool reads_site; // has SITE, or a record that tells it, itself or in a function, so needs the attach cookie
	bool shares_link; // its kprobes may: of the attach cookie the lower half is its own (SP_PROG_SHARES)
	bool tells_site; // its errors, or its record for the rest, ask for the attach cookie
	bool can_exit; // has EXIT or ABORT, itself or in a function
	bool sends_again; // kernel: sends more than one record
	bool goes_on; // and the script may end meanwhile: what it has begun to print is printed whole
	bool fails_in_kernel, fails_in_user; // may end with a failure
	bool is_one_shot; // kernel: every run ends the script, so only the first may run: without a guard, handlers that begin on
			  // other CPUs before the first has ended would print, too
	bool keeps_match; // has matched() and the like or a MATCH for them, itself or in a function
	bool reads_counters; // reads perf counters, itself or in a function
	bool reads_user; // reads memory of the probed program, itself or in a function
	bool embeds; // C of the script is in it, itself or in a function
	bool may_sleep; // kernel: it waits for that memory when it is not there yet (plan_sleep.h)
	uint32_t lock; // the lock that it takes, from 1 on (plan_lock.h); 0: none
	bool locks_all; // it does so before its first statement, and releases it at its end
	uint32_t size; // instructions of LLVM, about, with what is inlined
	uint32_t scratch_size; // with all callees, without the head of the frame; 0: needs no frame
	bool is_too_large; // that is more than the kernel has: to be lowered again, with all of it outside
	const struct embedded_piece *kernel_piece; // as for functions
};

/** Numbers that stand for texts: their places in this list, which is sorted. */
struct plan_known {
	const char **texts;
	uint32_t n;
};

struct plan_map {
	const struct plan_known *known; // of the texts among the parts of its key (plan_known.h); NULL: they are texts
	uint32_t kernel_key_size; // of the kernel's map: a known text takes 8 bytes there
	bool is_direct; // there is no such map: kernel code has the numbers by their texts in spile_data, ...
	uint32_t n_places; // ... as struct sp_direct[]; a power of two
	bool is_split; // its keys end in a text which most often is short: the kernel has a map for those alone, too (SP_MAP_SHORT)
	uint32_t data_offset; // in spile_data: of the places, when it is direct; of the number of elements, when it is split
	bool is_lasting; // an array of numbers: once an element is there, nothing deletes or moves it, so that its address stays valid
	bool is_deleted_from;
	bool is_filled_late; // the kernel takes memory for elements when they come: they may be many large ones, and only uprobes add any
	bool is_of_thread; // the kernel keeps its elements, of struct sp_direct, with the threads that are their keys (plan_thread.h)
	bool is_apart; // an aggregate that kernel code uses and user-side handlers add to
	bool is_ordered_for_user; // it wraps, kernel code uses it, and user-side handlers change it
	uint32_t lock; // that all who change it hold, from 1 on (plan_lock.h); 0: none
};

struct plan_regex {
	unsigned n_groups; // with group 0
	struct regex_dfa dfa;
};

/** Offsets in the kernel's structures that a walk by unwind tables needs: as many fixups, in this order. */
enum plan_unwind_fixup {
	PLAN_UNWIND_VM_START, PLAN_UNWIND_VM_PGOFF, PLAN_UNWIND_VM_FILE, PLAN_UNWIND_VM_MM, PLAN_UNWIND_F_INODE, PLAN_UNWIND_I_SB,
	PLAN_UNWIND_I_INO, PLAN_UNWIND_S_DEV, PLAN_UNWIND_MM_CONTEXT, PLAN_UNWIND_VDSO, PLAN_UNWIND_F_MODE, PLAN_UNWIND_FILE_SIZE,
	PLAN_UNWIND_D_INODE, PLAN_UNWIND_TASK_MM, PLAN_UNWIND_MM_MT, PLAN_UNWIND_MA_ROOT, PLAN_UNWIND_MR_PIVOT, PLAN_UNWIND_MR_SLOT,
	PLAN_UNWIND_MA_SLOT, PLAN_UNWIND_UTASK, PLAN_UNWIND_PENDING, PLAN_UNWIND_PENDING_SP, PLAN_UNWIND_PENDING_PC,
	PLAN_UNWIND_PENDING_NEXT, PLAN_UNWIND_CTX_ID, PLAN_UNWIND_MM_LOCK_SEQ,
	PLAN_UNWIND_FIXUPS
};

struct plan {
	const struct ir_unit *unit; // the caller's
	const struct embedded *embedded; // the caller's
	struct sp_arena arena;
	uint64_t features; // what the kernel programs need
	uint32_t max_nesting; // of calls; never 0
	uint32_t needed_nesting; // of the longest chain of calls, each function once
	bool can_end; // some program exits or fails, so those of the kernel look whether the script has ended
	bool starts_at_once; // there are several hooks, so those of the kernel look whether all are attached
	struct plan_prog *progs;
	struct plan_func *funcs;
	struct plan_code *codes; // by id of the statement
	struct plan_layout layouts[2]; // without and with is_stackless
	struct plan_map *maps;
	struct plan_regex *regexes;
	uint32_t *globals; // offsets in spile_data
	uint32_t *global_locks; // as plan_map.lock
	const char **lock_causes; // why it has one: by global, then by map; NULL: it has none
	uint32_t n_locks, locks_offset; // struct sp_lock[], in spile_data
	uint64_t shared_size; // instructions of LLVM, about, of all functions that are is_shared
	bool shares; // some function is_shared
	bool reads_cpus; // kernel code goes through the records of all CPUs
	const char *why_pointers; // kernel code walks stacks of programs by frame pointers alone: why; else NULL
	bool unwinds; // kernel code walks stacks of programs by unwind tables (runtime/abi/unwind.h)
	uint32_t unwind_backing; // then: the bits of struct file.f_mode that tell of a file of another file system below
	uint32_t unwind_fixup; // then: the first of enum plan_unwind_fixup
	const struct ir_fixup *fixups; // the unit's, then SP_FIX_CPUS when reads_cpus, then those of unwind tables
	uint32_t n_fixups;
	uint8_t stacks; // enum plan_stacks: that functions of kernel code find in the state
	uint32_t match_size; // of the place that plan_regex.h describes; 0: not used
	uint32_t data_size, losses_offset;
	uint32_t tracer_offset; // of two addresses, when the unit has stacks of tracepoints: gen_tracer.h
	uint32_t order_offset, order_size; // of struct sp_order, in spile_data; 0: none
	uint32_t tokens_size; // of what tokenize() keeps between calls: the rest of the text; 0: nobody calls it
	uint32_t tokens_offset; // where user-side handlers have it, in spile_data; the others in the frame
	uint32_t scratch_size; // of a frame, head included; 0: none
	uint32_t scratch_levels; // frames that a CPU has
};

struct plan_opts {
	const struct embedded *embedded; // NULL: the unit has none
	const bool *stackless, *texts_in_place; // by program, or NULL: which are too much for the stack after all
};

/** `unit` must be numbered, and must outlive the plan. Programs that do not fit the target are reported (E6xx), with their places. */
struct plan *plan_make(const struct ir_unit *unit, const struct plan_opts *opts, const struct source_map *sources,
		       struct diag_ctx *dc);
void plan_destroy(struct plan *plan);
/** Checks that slots lie within their frames, that loops have a form, and that ranges of statements are whole. NULL, or a
 *  description of the first fault, which belongs to the plan. */
const char *plan_verify(struct plan *plan);
/** The IR, with what is planned for it. */
void plan_dump(struct sp_buf *out, const struct plan *plan);
/** The globals of a lock, and why they have one: "n (a handler reads and sets it), m (...)". */
void plan_lock_print(struct sp_buf *out, const struct plan *plan, uint32_t lock);

static inline const struct plan_layout *plan_layout(const struct plan *plan, uint32_t prog)
{
	return &plan->layouts[plan->progs[prog].is_stackless];
}

// ---- memory that the generator and the plan lay out together -----------------------------------------------------------

#define PLAN_EXITED (1ull << 32) // beside SP_EVENT_GOES_ON
#define PLAN_CONTEXT_VALUES 40 // more than an architecture has registers

/** What a handler shares with its callbacks and with the functions that it calls. Kernel programs that have some begin
 *  their scratch part with it; those that keep no state have the first two members alone. */
struct plan_state {
	uint64_t budget; // kernel: rounds of loops that are left
	uint64_t goes_on; // SP_EVENT_GOES_ON when heads of records have that; PLAN_EXITED: exit() was called
	uint64_t code, place, value; // of the failure
	uint64_t end; // kernel: how the last call ended
	uint64_t depth; // of calls
	uint64_t level; // kernel: the topmost frame of recursive functions
	union {
		uint64_t match; // VM: address: what the last =~ found
		uint64_t scratch; // kernel: the number of the scratch frame in its map
	};
	uint64_t site; // kernel: see plan_prog.reads_site
	uint64_t prog; // kernel: the handler's number, for functions that are shared
	uint64_t context[PLAN_CONTEXT_VALUES]; // kernel: values of it, for functions that have none (gen_context.h)
	uint64_t n_calls;
	uint32_t calls[SP_EVENT_CALLS]; // as in struct sp_event_error
	char text[]; // the failure's message: ir_unit.max_string bytes; then a struct plan_stack for each of plan.stacks
};

/** A stack that functions which have no context find behind the state (gen_context.h). */
struct plan_stack {
	uint64_t size; // of the addresses in bytes; less than 0: there is none; 0: nobody has asked yet
	uint64_t addresses[SP_SYMBOLS_PLACES];
};

/** Where in the state it is; of the first that is not kept, the state's size. */
static inline uint32_t plan_stack_offset(const struct plan *plan, unsigned stack)
{
	uint32_t n = !!(plan->stacks & (stack - 1) & PLAN_STACK_KERNEL) + !!(plan->stacks & (stack - 1) & PLAN_STACK_USER);

	return (uint32_t)sizeof(struct plan_state) + SP_ALIGN_UP(plan->unit->max_string, 8) + n * (uint32_t)sizeof(struct plan_stack);
}

/** With all members. */
static inline uint32_t plan_calls_state_size(const struct plan *plan)
{
	return plan_stack_offset(plan, PLAN_STACK_USER << 1);
}

/** What a program's scratch part begins with. */
static inline uint32_t plan_state_size(const struct plan *plan, const struct plan_prog *prog)
{
	return prog->keeps_state ? plan_calls_state_size(plan) : prog->calls_back ? (uint32_t)offsetof(struct plan_state, code) : 0;
}

/** Bytes that the result and the arguments of a function take in its frame. */
static inline uint32_t plan_frame_value(enum ir_type type, uint32_t cap)
{
	return type == IR_STR ? cap : type == IR_LONG ? 8 : 0;
}

static inline uint32_t plan_frame_head(const struct ir_func *func)
{
	uint32_t size = plan_frame_value(func->type, func->cap);

	for (unsigned i = 0; i < func->n_params; i++)
		size += plan_frame_value(func->locals.v[i].type, func->locals.v[i].cap);
	return size;
}

/** What a walk of an array in the kernel keeps between elements. Behind it, when it is sorted: `rows` row numbers in
 *  order, then `rows` rows of key and value. */
struct plan_walk {
	uint64_t left; // elements that the limit still allows
	uint64_t n; // rows that are taken
	uint64_t at, row; // where in the order the newest row is, and which it is
};

static inline uint32_t plan_walk_size(const struct ir_map *map, uint32_t rows)
{
	return (uint32_t)sizeof(struct plan_walk) + rows * (8 + ir_walk_stride(map));
}

#endif
