// SPDX-License-Identifier: GPL-2.0-or-later
/** Verifier fit: which engine runs what, homes of strings (512 bytes of stack), form of loops, layout of the data area,
 *  features and limits of the target. Reports E6xx with script places where a program cannot fit.
 *
 *  What the code generator may rely on:
 *
 *  - Homes. A string that is a part of a key, the value of MAP_SET, SET, GSET or RETURN, the first operand of CONCAT, a
 *    branch of COND, or an operand of EMIT when neither it nor a later one has effects, has home NONE when it can be
 *    computed straight into the consumer's place (key buffer, value buffer, variable, result, the CONCAT's or COND's
 *    own place, record field): nothing that the expression reads lives there. Every other computed string, so each
 *    operand of SPRINTF and CALL, has a home of its own. Homes of values that are never alive together overlap.
 *    The script's string locals have homes, too. String parameters are addresses of what the caller keeps, and are
 *    never SET (lower makes copies): their home is NONE. String results are written to an address that the caller
 *    passes (the CALL's home, or the consumer's place). Stack areas are at most 256 bytes along any chain of calls; the
 *    rest is scratch. A callee's part of the scratch frame begins where its caller's part ends.
 *  - Engines. in_kernel and in_user of functions follow the call graph.
 *  - Callbacks. A FOREACH, and a LOOP of form CALL, of kernel code is a call of a helper which calls the body back. Where
 *    calls_back is set, the program's scratch part begins with struct plan_state; in such bodies every home is scratch, and
 *    so are the longs that a callback touches. FOREACH has a home `walk` (struct plan_walk); a sorted one has `rows`, the
 *    number of elements that it picks out, which its limit or the array's size bounds.
 *  - Loops of kernel code. UNROLL: `trips` is the trip count (less when a BREAK is taken), at most 32. BOUNDED: the verifier
 *    must see a constant bound; `trips` when it is known, else max_action. CALL: bpf_loop.
 *  - Functions of kernel code that are called, not inlined (is_own_in_kernel): all their homes are in scratch. Their frame,
 *    of plan_frame_head bytes and then the homes, begins where the caller's part of the scratch frame ends.
 *  - Recursion in kernel code: recursive functions, and what they inline, have all homes in scratch. Their frames are behind
 *    the program's scratch part, max_nesting of them; gen knows their size.
 *  - Nesting. In both engines a call that would be nested deeper than max_nesting fails with SP_RT_NESTING at its place.
 *  - MAXACTION. In both engines each round of a loop that is not of form UNROLL takes one from what the handler has
 *    left; at 0 the loop fails with SP_RT_MAXACTION at its place.
 *  - Text. In programs and functions that go through strings byte by byte (ir_walks_text, MATCH), and in those that call or
 *    are called by such, all strings but keys, values of elements and records are in scratch; what walks is computed in
 *    place only in a variable, and has a work area.
 *  - A builtin's arguments are complete: PPID, EUID and EGID in kernel code have two byte offsets, of the pointer in
 *    task_struct (real_parent, cred) and of the number behind it (tgid, euid, egid). PID, TID, UID and the like have none. These never reach the generator: ABORT ERROR EXIT LOG WARN (statements),
 *    KERNEL_STRING USER_STRING (LOADSTR), STRLEN, PP PPFUNC (LITERAL or SITE), TARGET STAP_PID (FIXUP), GETTIMEOFDAY_NS and
 *    GET_CYCLES (KTIME_GET_NS and fixups). */
#ifndef SP_PLAN_PLAN_H
#define SP_PLAN_PLAN_H

#include "compiler/front/diag.h"
#include "compiler/ir/ir.h"
#include "runtime/abi/event.h"
#include "runtime/abi/uservm.h"

#include <stddef.h>

/** What a handler shares with its callbacks and with the functions that it calls. Kernel programs that have some begin
 *  their scratch part with it; those that keep no state have the first two members alone. */
struct plan_state {
	uint64_t budget; // kernel: rounds of loops that are left
	uint64_t exited; // SP_EVENT_LAST behind an exit(), else 0
	uint64_t code, place, value; // of the failure
	uint64_t end; // kernel: how the last call ended
	uint64_t depth; // of calls
	uint64_t level; // kernel: the topmost frame of recursive functions
	uint64_t match; // VM: address: what the last =~ found
	uint64_t site; // kernel: see ir_prog.reads_site
	uint64_t n_calls;
	uint32_t calls[SP_EVENT_CALLS]; // as in struct sp_event_error
	char text[]; // the failure's message: ir_unit.max_string bytes
};

/** With all members. */
static inline uint32_t plan_calls_state_size(const struct ir_unit *unit)
{
	return (uint32_t)sizeof(struct plan_state) + SP_ALIGN_UP(unit->max_string, 8);
}

/** What a program's scratch part begins with. */
static inline uint32_t plan_state_size(const struct ir_unit *unit, const struct ir_prog *prog)
{
	return prog->keeps_state ? plan_calls_state_size(unit) : prog->calls_back ? (uint32_t)offsetof(struct plan_state, code) : 0;
}

/** Bytes that the result and the arguments of a function take in its frame. */
static inline uint32_t plan_frame_slot(enum ir_type type, uint32_t cap)
{
	return type == IR_STR ? cap : type == IR_LONG ? 8 : 0;
}

static inline uint32_t plan_frame_head(const struct ir_func *func)
{
	uint32_t size = plan_frame_slot(func->type, func->cap);

	for (unsigned i = 0; i < func->n_params; i++)
		size += plan_frame_slot(func->locals.v[i].type, func->locals.v[i].cap);
	return size;
}

#define PLAN_MAX_ROWS 128 // elements that a sorted walk in the kernel picks out at most
#define PLAN_MAX_WALK 20000 // bytes of the scratch frame that it may take

/** What a walk of an array in the kernel keeps between elements. Behind it, when it is sorted: `rows` row numbers in
 *  order, then `rows` rows of key and value. */
struct plan_walk {
	uint64_t left; // elements that the limit still allows
	uint64_t n; // rows that are taken
	uint64_t at, row; // where in the order the newest row is, and which it is
};

// Of an aggregate the row has the number that it is sorted by.
static inline uint32_t plan_walk_stride(const struct ir_map *map)
{
	return map->key_size + (map->kind == SP_MAP_STAT ? 8 : map->value_size);
}

/** Whether a FOREACH sorts by @variance: it takes long divisions, for which a walk in the kernel has no room. */
static inline bool plan_sorts_variance(const struct ir_stmt *s)
{
	return s->foreach.sort_dir && s->foreach.sort_key == SP_VM_SORT_STAT + SP_STAT_VARIANCE;
}

/** The most rows that a sorted walk may have. */
static inline uint32_t plan_walk_most(const struct ir_map *map)
{
	return SP_MIN((uint32_t)PLAN_MAX_ROWS, PLAN_MAX_WALK / (8 + plan_walk_stride(map)));
}

static inline uint32_t plan_walk_size(const struct ir_map *map, uint32_t rows)
{
	return (uint32_t)sizeof(struct plan_walk) + rows * (8 + plan_walk_stride(map));
}

void plan_make(struct ir_unit *unit, struct source_map *sources, struct diag_ctx *dc);
/** For programs that are too much for the stack after all: those that are marked is_lean keep nothing there. */
void plan_lean(struct ir_unit *unit);

#endif
