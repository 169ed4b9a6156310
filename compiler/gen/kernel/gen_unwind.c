// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_unwind.h"

#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/kernel/gen_aside.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_state.h"
#include "compiler/gen/kernel/gen_unwind_map.h"
#include "compiler/gen/kernel/gen_unwind_rule.h"

#include <linux/bpf.h>
#include <stdio.h>

#define PT_REGS_RBP 32 // of x86_64's struct pt_regs
#define PT_REGS_R10 56
#define PT_REGS_RIP 128
#define PT_REGS_RSP 152
#define MAX_PENDING 3 // return probes that are looked at for one frame
#define CALL_SIZE 8 // of a return address on the stack
#define NO_WINDOW INT64_MIN // no address of a program is near

// ---- the row ---------------------------------------------------------------------------------------------------------

static LLVMValueRef element(struct gen *g, const struct unwind_frame *f, LLVMValueRef index)
{
	LLVMValueRef found;

	gen_store(g, index, f->key);
	found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, f->table, f->key), g->ptr, "");
	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, found), ""), f->by_pointer);
	return gen_load_volatile(g, found);
}

static LLVMValueRef low_half(struct gen *g, LLVMValueRef value)
{
	return LLVMBuildAnd(g->b, value, gen_i64(g, UINT32_MAX), "");
}

// Of the rows state.low to state.high, which is not one of them, the last that begins at or before the place in the file. Both
// are in memory: the verifier need not follow them from round to round.
static void search(struct gen *g, const struct unwind_frame *f, LLVMValueRef place)
{
	LLVMBasicBlockRef head = gen_block(g), look = gen_block(g), lower = gen_block(g), upper = gen_block(g), more = gen_block(g),
			  done = gen_block(g);
	LLVMValueRef round = gen_variable(g), low, high, middle, row, next;

	gen_store(g, gen_i64(g, 0), round);
	gen_goto(g, head);
	gen_enter(g, head);
	low = unwind_get(g, f, UNWIND(low));
	high = unwind_get(g, f, UNWIND(high));
	middle = LLVMBuildLShr(g->b, LLVMBuildAdd(g->b, low, high, ""), gen_i64(g, 1), "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntUGT, middle, low, ""), look, done);
	gen_enter(g, look);
	row = element(g, f, middle);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, low_half(g, row), place, ""), upper, lower);
	gen_enter(g, upper);
	unwind_set(g, f, UNWIND(low), middle);
	unwind_set(g, f, UNWIND(row), row);
	gen_goto(g, more);
	gen_enter(g, lower);
	unwind_set(g, f, UNWIND(high), middle);
	gen_goto(g, more);
	gen_enter(g, more);
	next = gen_keep(g, LLVMBuildAdd(g->b, gen_load(g, round), gen_i64(g, 1), ""));
	gen_store(g, next, round);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, next, gen_i64(g, SP_UNWIND_MAX_SHIFT + 1), ""), head, done);
	gen_enter(g, done);
}

static void find_row(struct gen *g, struct unwind_frame *f)
{
	LLVMValueRef tables = gen_kernel_def_beside(g, SP_MAP_UNWIND_TABLES, 0, BPF_MAP_TYPE_ARRAY_OF_MAPS, SP_UNWIND_TABLES,
						    sizeof(uint32_t), sizeof(uint32_t));
	LLVMValueRef table = gen_keep(g, unwind_get(g, f, UNWIND(table))), place, bucket, limits;
	LLVMBasicBlockRef first = gen_block(g), found = gen_block(g);

	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, table), ""), f->by_pointer);
	gen_store(g, table, f->key);
	f->table = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, tables, f->key), g->ptr, "");
	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, f->table), ""), f->by_pointer);
	place = LLVMBuildSub(g->b, f->at, unwind_get(g, f, UNWIND(mapping.start)), "");
	place = LLVMBuildAdd(g->b, place, LLVMBuildShl(g->b, unwind_get(g, f, UNWIND(mapping.offset)), gen_i64(g, 12), ""), "");
	bucket = LLVMBuildLShr(g->b, place, LLVMBuildAnd(g->b, unwind_get(g, f, UNWIND(shift)), gen_i64(g, 63), ""), "");
	gen_unwind_frame_only_if(g, LLVMBuildICmp(g->b, LLVMIntULT, bucket, unwind_get(g, f, UNWIND(n_buckets)), ""), f->by_pointer);
	limits = element(g, f, bucket);
	unwind_set(g, f, UNWIND(low), low_half(g, limits));
	unwind_set(g, f, UNWIND(high), LLVMBuildLShr(g->b, limits, gen_i64(g, 32), ""));
	unwind_set(g, f, UNWIND(row), gen_i64(g, 0));
	search(g, f, place);
	gen_branch(g, gen_is_zero(g, unwind_get(g, f, UNWIND(row))), first, found);
	gen_enter(g, first);
	unwind_set(g, f, UNWIND(row), element(g, f, unwind_get(g, f, UNWIND(low))));
	gen_goto(g, found);
	gen_enter(g, found);
	f->info = gen_keep(g, LLVMBuildLShr(g->b, unwind_get(g, f, UNWIND(row)), gen_i64(g, 32), ""));
}

// ---- the caller ------------------------------------------------------------------------------------------------------

// `size` bytes of the stack, to state.words. Where they cannot be read, the stack ends.
static void read_stack(struct gen *g, const struct unwind_frame *f, LLVMValueRef address, unsigned size)
{
	LLVMValueRef result = gen_call(g, GEN_READ_USER, 3, gen_at(g, f->state, UNWIND(words)), gen_i64(g, size), address);

	gen_unwind_frame_only_if(g, unwind_is(g, result, 0), f->end);
}

static LLVMValueRef word(struct gen *g, const struct unwind_frame *f, unsigned n)
{
	return gen_load_volatile(g, gen_at(g, f->state, UNWIND(words) + n * 8));
}

// Where a return probe waits, its trampoline is the return address. The kernel has the right ones in a list, the innermost first,
// with the places on the stack where they were. state.pc becomes the right one.
static void undo_return_probe(struct gen *g, const struct unwind_frame *f)
{
	LLVMBasicBlockRef done = gen_block(g);
	LLVMValueRef place = gen_keep(g, LLVMBuildSub(g->b, unwind_get(g, f, UNWIND(sp)), gen_i64(g, CALL_SIZE), ""));

	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, unwind_get(g, f, UNWIND(back))), ""), done);
	for (unsigned i = 0; i < MAX_PENDING; i++) {
		LLVMBasicBlockRef inner = gen_block(g), replaced = gen_block(g), not_inner = gen_block(g), next = gen_block(g);
		LLVMValueRef pending = gen_keep(g, unwind_get(g, f, UNWIND(pending))), at;

		gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, pending), ""), done);
		at = gen_unwind_frame_member(g, f, pending, PLAN_UNWIND_PENDING_SP, UNWIND(words), 8);
		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, at, place, ""), inner, not_inner);
		gen_enter(g, not_inner);
		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, at, place, ""), replaced, done);
		gen_enter(g, replaced);
		gen_unwind_frame_member(g, f, pending, PLAN_UNWIND_PENDING_PC, UNWIND(pc), 8);
		gen_goto(g, done);
		gen_enter(g, inner);
		gen_unwind_frame_member(g, f, pending, PLAN_UNWIND_PENDING_NEXT, UNWIND(pending), 8);
		gen_goto(g, next);
		gen_enter(g, next);
	}
	gen_goto(g, done);
	gen_enter(g, done);
}

// The return address counts; behind it the caller's stack begins.
static void set_caller(struct gen *g, const struct unwind_frame *f, LLVMValueRef pc, LLVMValueRef sp)
{
	unwind_set(g, f, UNWIND(pc), pc);
	unwind_set(g, f, UNWIND(sp), sp);
	unwind_set(g, f, UNWIND(back), gen_i64(g, 1));
	unwind_set(g, f, UNWIND(r10), gen_i64(g, 0));
	gen_goto(g, f->next);
}

static void call_by_pointer(struct gen *g, const struct unwind_frame *f)
{
	LLVMValueRef bp = gen_keep(g, unwind_get(g, f, UNWIND(bp)));

	gen_unwind_frame_only_if(g, LLVMBuildICmp(g->b, LLVMIntUGE, bp, unwind_get(g, f, UNWIND(sp)), ""), f->end);
	read_stack(g, f, bp, 16);
	unwind_set(g, f, UNWIND(bp), word(g, f, 0));
	set_caller(g, f, word(g, f, 1), LLVMBuildAdd(g->b, bp, gen_i64(g, 16), ""));
}

static void call_by_signal(struct gen *g, const struct unwind_frame *f)
{
	LLVMValueRef context = gen_keep(g, unwind_get(g, f, UNWIND(sp)));

	read_stack(g, f, LLVMBuildAdd(g->b, context, gen_i64(g, SP_UNWIND_SIGNAL_RBP * 8), ""), 8);
	unwind_set(g, f, UNWIND(bp), word(g, f, 0));
	read_stack(g, f, LLVMBuildAdd(g->b, context, gen_i64(g, SP_UNWIND_SIGNAL_RSP * 8), ""), 16);
	unwind_set(g, f, UNWIND(sp), word(g, f, 0));
	unwind_set(g, f, UNWIND(pc), word(g, f, 1));
	unwind_set(g, f, UNWIND(back), gen_i64(g, 0));
	unwind_set(g, f, UNWIND(r10), gen_i64(g, 0));
	gen_goto(g, f->next);
}

static LLVMValueRef kind_of(struct gen *g, const struct unwind_frame *f)
{
	return LLVMBuildAnd(g->b, f->info, gen_i64(g, (1 << SP_UNWIND_KIND_BITS) - 1), "");
}

static LLVMValueRef is_kind(struct gen *g, const struct unwind_frame *f, enum sp_unwind_kind kind)
{
	return unwind_is(g, kind_of(g, f), kind);
}

// CFA of the kinds that have one: state.low.
static void find_cfa(struct gen *g, struct unwind_frame *f)
{
	LLVMBasicBlockRef deref = gen_block(g), done = gen_block(g);
	LLVMValueRef words, base, plt, kind_bp, kind_deref;

	words = LLVMBuildShl(g->b, f->info, gen_i64(g, 64 - SP_UNWIND_RBP_SHIFT), "");
	words = LLVMBuildAShr(g->b, words, gen_i64(g, 64 - SP_UNWIND_CFA_BITS), "");
	kind_bp = is_kind(g, f, SP_UNWIND_BP);
	kind_deref = is_kind(g, f, SP_UNWIND_BP_DEREF);
	base = LLVMBuildSelect(g->b, LLVMBuildOr(g->b, kind_bp, kind_deref, ""), unwind_get(g, f, UNWIND(bp)), unwind_get(g, f, UNWIND(sp)), "");
	base = gen_keep(g, LLVMBuildSelect(g->b, is_kind(g, f, SP_UNWIND_R10), unwind_get(g, f, UNWIND(r10)), base, ""));
	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, base), ""), f->by_pointer);
	plt = LLVMBuildICmp(g->b, LLVMIntUGE, LLVMBuildAnd(g->b, f->at, gen_i64(g, 15), ""), words, "");
	plt = LLVMBuildAdd(g->b, gen_bool(g, plt), gen_i64(g, 1), "");
	words = LLVMBuildSelect(g->b, is_kind(g, f, SP_UNWIND_PLT), plt, words, "");
	unwind_set(g, f, UNWIND(low), LLVMBuildAdd(g->b, base, LLVMBuildShl(g->b, words, gen_i64(g, 3), ""), ""));
	gen_branch(g, kind_deref, deref, done);
	gen_enter(g, deref);
	read_stack(g, f, unwind_get(g, f, UNWIND(low)), 8);
	unwind_set(g, f, UNWIND(low), word(g, f, 0));
	gen_goto(g, done);
	gen_enter(g, done);
	f->cfa = gen_keep(g, unwind_get(g, f, UNWIND(low)));
	gen_unwind_frame_only_if(g, LLVMBuildICmp(g->b, LLVMIntUGT, f->cfa, unwind_get(g, f, UNWIND(sp)), ""), f->end);
}

// The words below CFA, in state.window: gives where the lowest of SP_UNWIND_NEAR is in that, in bytes. Where memory behind them cannot be
// read, code goes to `apart`.
static LLVMValueRef find_window(struct gen *g, const struct unwind_frame *f, LLVMBasicBlockRef apart)
{
	const unsigned size = SP_UNWIND_WINDOW * 8;
	LLVMBasicBlockRef read = gen_block(g), fails = gen_block(g), done = gen_block(g);
	LLVMValueRef low = gen_keep(g, LLVMBuildSub(g->b, f->cfa, gen_i64(g, SP_UNWIND_NEAR * 8), "")), at = gen_variable(g), offset, result;

	offset = gen_keep(g, LLVMBuildSub(g->b, low, unwind_get(g, f, UNWIND(window_start)), ""));
	gen_store(g, offset, at);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, size - SP_UNWIND_NEAR * 8), ""), done, read);
	gen_enter(g, read);
	gen_store(g, gen_i64(g, 0), at);
	unwind_set(g, f, UNWIND(window_start), low);
	result = gen_call(g, GEN_READ_USER, 3, gen_at(g, f->state, UNWIND(window)), gen_i64(g, size), low);
	gen_branch(g, unwind_is(g, result, 0), done, fails);
	gen_enter(g, fails);
	unwind_set(g, f, UNWIND(window_start), gen_i64(g, NO_WINDOW));
	gen_goto(g, apart);
	gen_enter(g, done);
	return gen_load(g, at);
}

static LLVMValueRef window_word(struct gen *g, const struct unwind_frame *f, LLVMValueRef offset)
{
	return gen_load_volatile(g, gen_at_index(g, gen_at(g, f->state, UNWIND(window)), offset));
}

// state.bp becomes the caller's, which is so many words below CFA.
static void read_bp(struct gen *g, const struct unwind_frame *f, LLVMValueRef rbp)
{
	LLVMValueRef at = LLVMBuildSub(g->b, f->cfa, LLVMBuildShl(g->b, rbp, gen_i64(g, 3), ""), "");

	at = LLVMBuildSelect(g->b, unwind_is(g, rbp, SP_UNWIND_RBP_AT_BP), unwind_get(g, f, UNWIND(bp)), at, "");
	unwind_set(g, f, UNWIND(words), gen_i64(g, 0)); // what cannot be read may never be needed
	gen_call(g, GEN_READ_USER, 3, gen_at(g, f->state, UNWIND(words)), gen_i64(g, 8), at);
	unwind_set(g, f, UNWIND(bp), word(g, f, 0));
}

static void call_by_row(struct gen *g, struct unwind_frame *f)
{
	LLVMBasicBlockRef changes = gen_block(g), near = gen_block(g), far = gen_block(g), known = gen_block(g), apart = gen_block(g),
			  apart_bp = gen_block(g), apart_pc = gen_block(g);
	LLVMValueRef rbp = gen_keep(g, LLVMBuildLShr(g->b, f->info, gen_i64(g, SP_UNWIND_RBP_SHIFT), "")), window, below;

	find_cfa(g, f);
	window = gen_keep(g, find_window(g, f, apart));
	unwind_set(g, f, UNWIND(pc), window_word(g, f, LLVMBuildAdd(g->b, window, gen_i64(g, SP_UNWIND_NEAR * 8 - CALL_SIZE), "")));
	gen_branch(g, unwind_is(g, rbp, SP_UNWIND_RBP_SAME), known, changes);
	gen_enter(g, changes);
	below = gen_keep(g, LLVMBuildSub(g->b, gen_i64(g, SP_UNWIND_NEAR * 8), LLVMBuildShl(g->b, rbp, gen_i64(g, 3), ""), ""));
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, below, gen_i64(g, SP_UNWIND_NEAR * 8 - 8), ""), near, far);
	gen_enter(g, near);
	unwind_set(g, f, UNWIND(bp), window_word(g, f, LLVMBuildAdd(g->b, window, below, "")));
	gen_goto(g, known);
	gen_enter(g, far);
	read_bp(g, f, rbp);
	gen_goto(g, known);
	gen_enter(g, known);
	set_caller(g, f, unwind_get(g, f, UNWIND(pc)), f->cfa);
	gen_enter(g, apart);
	gen_branch(g, unwind_is(g, rbp, SP_UNWIND_RBP_SAME), apart_pc, apart_bp);
	gen_enter(g, apart_bp);
	read_bp(g, f, rbp);
	gen_goto(g, apart_pc);
	gen_enter(g, apart_pc);
	read_stack(g, f, LLVMBuildSub(g->b, f->cfa, gen_i64(g, CALL_SIZE), ""), 8);
	set_caller(g, f, word(g, f, 0), f->cfa);
}

static void call(struct gen *g, struct unwind_frame *f)
{
	LLVMBasicBlockRef by_signal = gen_block(g);

	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, is_kind(g, f, SP_UNWIND_END), ""), f->end);
	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, is_kind(g, f, SP_UNWIND_NONE), ""), f->by_pointer);
	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, is_kind(g, f, SP_UNWIND_SIGNAL), ""), by_signal);
	call_by_row(g, f);
	gen_enter(g, by_signal);
	call_by_signal(g, f);
	gen_enter(g, f->by_pointer);
	call_by_pointer(g, f);
}

// ---- the walk --------------------------------------------------------------------------------------------------------

// The first address must have a table: else the kernel's walk knows as much.
static void check_first(struct gen *g, const struct unwind_frame *f, LLVMValueRef index)
{
	LLVMBasicBlockRef none = gen_block(g), some = gen_block(g);
	LLVMValueRef is_unknown = gen_is_zero(g, LLVMBuildOr(g->b, index, unwind_get(g, f, UNWIND(table)), ""));

	gen_branch(g, is_unknown, none, some);
	gen_enter(g, none);
	unwind_set(g, f, UNWIND(n), gen_i64(g, 0));
	gen_goto(g, f->end);
	gen_enter(g, some);
}

// live: the state, the places of the addresses
static LLVMValueRef next_frame(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	struct unwind_frame f = { .state = live[0], .end = gen_block(g), .next = gen_block(g), .by_pointer = gen_block(g) };
	LLVMBasicBlockRef found = gen_block(g), done = gen_block(g);
	LLVMValueRef go = gen_variable(g), info = gen_variable(g), offset, pc;

	(void)arg;
	f.key = gen_area(g, sizeof(struct unwind_key));
	gen_store(g, gen_i64(g, 0), go);
	offset = gen_keep(g, LLVMBuildShl(g->b, index, gen_i64(g, 3), ""));
	gen_unwind_frame_only_if(g, LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, (SP_SYMBOLS_MAX - 1) * 8), ""), done);
	pc = unwind_get(g, &f, UNWIND(pc));
	gen_store(g, pc, gen_at_index(g, live[1], offset));
	unwind_set(g, &f, UNWIND(n), LLVMBuildAdd(g->b, index, gen_i64(g, 1), ""));
	f.at = gen_keep(g, LLVMBuildSub(g->b, pc, unwind_get(g, &f, UNWIND(back)), ""));
	gen_unwind_rule_find(g, &f, info, found);
	gen_unwind_map_find(g, &f, index);
	check_first(g, &f, index);
	find_row(g, &f);
	gen_unwind_rule_keep(g, &f);
	gen_store(g, f.info, info);
	gen_goto(g, found);
	gen_enter(g, found);
	f.info = gen_keep(g, gen_load(g, info));
	call(g, &f);
	gen_enter(g, f.next);
	undo_return_probe(g, &f);
	gen_store(g, gen_bool(g, LLVMBuildNot(g->b, gen_is_zero(g, unwind_get(g, &f, UNWIND(pc))), "")), go);
	gen_goto(g, done);
	gen_enter(g, f.end);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildICmp(g->b, LLVMIntNE, gen_load(g, go), gen_i64(g, 0), "");
}

static LLVMValueRef reg(struct gen *g, LLVMValueRef regs, int64_t offset)
{
	return gen_launder(g, gen_load_direct(g, regs, offset, 8));
}

// A member of what a pointer points at of which the verifier knows the type.
static LLVMValueRef typed_member(struct gen *g, LLVMValueRef base, enum plan_unwind_fixup which, unsigned size)
{
	LLVMValueRef at = LLVMBuildAdd(g->b, base, gen_unwind_frame_offset(g, which), "");

	return gen_load_direct(g, LLVMBuildIntToPtr(g->b, at, g->ptr, ""), 0, size);
}

// Goes on where the kernel has the member: what is there else has another type.
static void only_with(struct gen *g, enum plan_unwind_fixup which, LLVMBasicBlockRef otherwise)
{
	gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, gen_unwind_frame_offset(g, which)), ""), otherwise);
}

// What the process is told by; Linux tells of changes from 6.4 on.
static void know_process(struct gen *g, const struct unwind_frame *f, LLVMValueRef task)
{
	LLVMBasicBlockRef done = gen_block(g);
	LLVMValueRef mm, context;

	unwind_set(g, f, UNWIND(mm), gen_i64(g, 0));
	unwind_set(g, f, UNWIND(process), gen_i64(g, 0));
	only_with(g, PLAN_UNWIND_TASK_MM, done);
	mm = typed_member(g, task, PLAN_UNWIND_TASK_MM, 8);
	unwind_set(g, f, UNWIND(mm), mm);
	only_with(g, PLAN_UNWIND_MM_LOCK_SEQ, done);
	only_with(g, PLAN_UNWIND_MM_CONTEXT, done);
	unwind_set(g, f, UNWIND(changes), typed_member(g, mm, PLAN_UNWIND_MM_LOCK_SEQ, 4));
	context = LLVMBuildAdd(g->b, mm, gen_unwind_frame_offset(g, PLAN_UNWIND_MM_CONTEXT), "");
	unwind_set(g, f, UNWIND(process), typed_member(g, context, PLAN_UNWIND_CTX_ID, 8));
	gen_goto(g, done);
	gen_enter(g, done);
}

static void know_return_probes(struct gen *g, const struct unwind_frame *f, LLVMValueRef task)
{
	LLVMBasicBlockRef done = gen_block(g);

	unwind_set(g, f, UNWIND(pending), gen_i64(g, 0));
	only_with(g, PLAN_UNWIND_UTASK, done);
	unwind_set(g, f, UNWIND(pending), typed_member(g, typed_member(g, task, PLAN_UNWIND_UTASK, 8), PLAN_UNWIND_PENDING, 8));
	gen_goto(g, done);
	gen_enter(g, done);
}

// The registers that the task came into the kernel with: at a uprobe, too, those of the probed place.
static LLVMValueRef walk(struct gen *g, LLVMValueRef state, LLVMValueRef places)
{
	const struct unwind_frame f = { .state = state };
	struct gen_repeat r = { .name = "unwind_frame", .trips = SP_SYMBOLS_MAX, .live = { state, places }, .n_live = 2, .body = next_frame };
	LLVMValueRef task = gen_call(g, GEN_TASK_BTF, 0);
	LLVMValueRef regs = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_TASK_REGS, 1, task), g->ptr, "");

	unwind_set(g, &f, UNWIND(pc), reg(g, regs, PT_REGS_RIP));
	unwind_set(g, &f, UNWIND(sp), reg(g, regs, PT_REGS_RSP));
	unwind_set(g, &f, UNWIND(bp), reg(g, regs, PT_REGS_RBP));
	unwind_set(g, &f, UNWIND(r10), reg(g, regs, PT_REGS_R10));
	unwind_set(g, &f, UNWIND(back), gen_i64(g, 0));
	unwind_set(g, &f, UNWIND(n), gen_i64(g, 0));
	unwind_set(g, &f, UNWIND(window_start), gen_i64(g, NO_WINDOW));
	unwind_set(g, &f, UNWIND(mapping.start), gen_i64(g, 0));
	unwind_set(g, &f, UNWIND(mapping.end), gen_i64(g, 0));
	know_process(g, &f, task);
	know_return_probes(g, &f, task);
	gen_repeat(g, &r);
	return LLVMBuildShl(g->b, unwind_get(g, &f, UNWIND(n)), gen_i64(g, 3), "");
}

// long walk(state, places): global, since the verifier would follow the frames once more for each place that walks, and for each way to
// it through the loops around.
static LLVMValueRef make(struct gen *g)
{
	static const uint32_t sizes[] = { sizeof(struct sp_unwind_state), SP_SYMBOLS_MAX * 8 };
	const LLVMTypeRef params[] = { g->ptr, g->ptr };
	LLVMBasicBlockRef out;
	struct gen_aside aside;
	char name[96];
	LLVMValueRef fn;

	snprintf(name, sizeof(name), "unwind_%s", g->fn->prog->name);
	fn = gen_aside_begin_global(g, &aside, name, params, 2, sizes);
	out = gen_block(g);
	for (unsigned i = 0; i < 2; i++)
		gen_unwind_frame_only_if(g, LLVMBuildNot(g->b, LLVMBuildIsNull(g->b, LLVMGetParam(fn, i), ""), ""), out);
	LLVMBuildRet(g->b, walk(g, LLVMGetParam(fn, 0), LLVMGetParam(fn, 1)));
	gen_enter(g, out);
	LLVMBuildRet(g->b, gen_i64(g, 0)); // is never reached
	gen_aside_end(g, &aside);
	return fn;
}

LLVMValueRef gen_unwind(struct gen *g, LLVMValueRef state, LLVMValueRef places)
{
	LLVMValueRef args[] = { state, places };

	if (!g->kernel->unwind)
		g->kernel->unwind = make(g);
	return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(g->kernel->unwind), g->kernel->unwind, args, 2, "");
}
