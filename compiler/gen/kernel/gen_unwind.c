// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_unwind.h"

#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_unwind_rule.h"
#include "runtime/abi/unwind.h"

#include <linux/bpf.h>

#define PT_REGS_RBP 32 // of x86_64's struct pt_regs
#define PT_REGS_R10 56
#define PT_REGS_RIP 128
#define PT_REGS_RSP 152
#define PATH_DENTRY 8 // of struct path
#define MAX_PENDING 3 // return probes that are looked at for one frame
#define CALL_SIZE 8 // of a return address on the stack
#define NO_WINDOW INT64_MIN // no address of a program is near
#define MAX_LEVELS 8 // of a maple tree: 65,530 mappings have 7

// A pointer to a node of a maple tree: nodes are aligned, and the bits below tell the type.
#define NODE_BITS 255
#define NODE_TYPE_SHIFT 3
#define NODE_TYPE_MASK 15
#define NODE_RANGE 2 // enum maple_type: below are leaves
#define NODE_ARANGE 3

#define MEMBER(name) offsetof(struct sp_unwind_state, name)

// One round: a frame.
struct frame {
	LLVMValueRef state;
	LLVMValueRef at; // the instruction that the frame is at
	LLVMValueRef table; // of the file that holds it
	LLVMValueRef info; // the row
	LLVMValueRef cfa;
	LLVMBasicBlockRef end, next; // the stack ends here; the caller is known
	LLVMBasicBlockRef by_pointer; // a frame pointer is hoped for
};

static LLVMValueRef get(struct gen *g, const struct frame *f, uint64_t member)
{
	return gen_load(g, gen_at(g, f->state, member));
}

static void set(struct gen *g, const struct frame *f, uint64_t member, LLVMValueRef value)
{
	gen_store(g, value, gen_at(g, f->state, member));
}

// Code goes on where the condition holds, else to `otherwise`.
static void only_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef otherwise)
{
	LLVMBasicBlockRef then = gen_block(g);

	gen_branch(g, cond, then, otherwise);
	gen_enter(g, then);
}

static LLVMValueRef is(struct gen *g, LLVMValueRef value, int64_t number)
{
	return LLVMBuildICmp(g->b, LLVMIntEQ, value, gen_i64(g, number), "");
}

// ---- what is mapped --------------------------------------------------------------------------------------------------

static LLVMValueRef offset_in_kernel(struct gen *g, enum plan_unwind_fixup which)
{
	return gen_load_volatile(g, gen_fixup(g, g->plan->unwind_fixup + which));
}

// Reads a member of a structure of the kernel; what it gives is 0 when it cannot be read.
static LLVMValueRef kernel_member(struct gen *g, const struct frame *f, LLVMValueRef base, enum plan_unwind_fixup which, uint64_t to,
				  unsigned size)
{
	LLVMValueRef place = gen_at(g, f->state, to);

	gen_call(g, GEN_READ_KERNEL, 3, place, gen_i64(g, size), LLVMBuildAdd(g->b, base, offset_in_kernel(g, which), ""));
	return gen_load_volatile(g, place);
}

// The inode that /proc/PID/maps tells. Where a file system lies over others, what is mapped is a file of theirs; behind its struct
// file is then the path by which it was opened.
static LLVMValueRef inode_of(struct gen *g, const struct frame *f, LLVMValueRef file)
{
	const uint64_t word = MEMBER(words);
	LLVMBasicBlockRef over = gen_block(g), plain = gen_block(g), done = gen_block(g);
	LLVMValueRef inode = gen_variable(g), mode, dentry;

	gen_store(g, gen_i64(g, 0), gen_at(g, f->state, word));
	mode = kernel_member(g, f, file, PLAN_UNWIND_F_MODE, word, 4);
	gen_branch(g, gen_is_zero(g, LLVMBuildAnd(g->b, mode, gen_i64(g, g->plan->unwind_backing), "")), plain, over);
	gen_enter(g, over);
	dentry = kernel_member(g, f, LLVMBuildAdd(g->b, file, gen_i64(g, PATH_DENTRY), ""), PLAN_UNWIND_FILE_SIZE, word, 8);
	gen_store(g, kernel_member(g, f, dentry, PLAN_UNWIND_D_INODE, word, 8), inode);
	gen_goto(g, done);
	gen_enter(g, plain);
	gen_store(g, kernel_member(g, f, file, PLAN_UNWIND_F_INODE, word, 8), inode);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, inode);
}

static void look_at_mapping(struct gen *g, const struct frame *f, LLVMValueRef vma)
{
	const uint64_t word = MEMBER(words);
	LLVMBasicBlockRef with_file = gen_block(g), without = gen_block(g), done = gen_block(g);
	LLVMValueRef file, inode, super, mm, vdso, start;

	kernel_member(g, f, vma, PLAN_UNWIND_VM_START, MEMBER(mapping.start), 16); // and vm_end, which is behind it
	kernel_member(g, f, vma, PLAN_UNWIND_VM_PGOFF, MEMBER(mapping.offset), 8);
	file = kernel_member(g, f, vma, PLAN_UNWIND_VM_FILE, word, 8);
	gen_branch(g, gen_is_zero(g, file), without, with_file);
	gen_enter(g, with_file);
	inode = inode_of(g, f, file);
	super = kernel_member(g, f, inode, PLAN_UNWIND_I_SB, word, 8);
	kernel_member(g, f, inode, PLAN_UNWIND_I_INO, MEMBER(mapping.key.inode), 8);
	kernel_member(g, f, super, PLAN_UNWIND_S_DEV, MEMBER(mapping.key.dev), 4);
	gen_goto(g, done);
	gen_enter(g, without);
	mm = kernel_member(g, f, vma, PLAN_UNWIND_VM_MM, word, 8);
	vdso = kernel_member(g, f, LLVMBuildAdd(g->b, mm, offset_in_kernel(g, PLAN_UNWIND_MM_CONTEXT), ""), PLAN_UNWIND_VDSO, word, 8);
	start = get(g, f, MEMBER(mapping.start));
	set(g, f, MEMBER(mapping.offset), gen_i64(g, 0));
	set(g, f, MEMBER(mapping.key.inode), gen_bool(g, LLVMBuildICmp(g->b, LLVMIntEQ, start, vdso, "")));
	gen_goto(g, done);
	gen_enter(g, done);
}

// Which slot of a node is that of the address: that behind all pivots below it. A pivot is the last address of its slot; 0 behind the
// first is none, and behind the fewer pivots of an inner node are pointers, which are above all addresses of programs.
static LLVMValueRef slot_of(struct gen *g, const struct frame *f)
{
	LLVMValueRef slot = gen_i64(g, 0), below = gen_i64(g, 1);

	for (uint64_t i = 0; i < SP_UNWIND_PIVOTS; i++) {
		LLVMValueRef pivot = gen_launder(g, get(g, f, MEMBER(pivots) + i * 8));
		LLVMValueRef less = LLVMBuildAnd(g->b, LLVMBuildSub(g->b, pivot, f->at, ""), LLVMBuildNot(g->b, pivot, ""), "");

		if (i)
			less = LLVMBuildAnd(g->b, less, LLVMBuildNeg(g->b, pivot, ""), "");
		below = LLVMBuildAnd(g->b, below, LLVMBuildLShr(g->b, less, gen_i64(g, 63), ""), "");
		slot = gen_launder(g, LLVMBuildAdd(g->b, slot, below, ""));
	}
	return slot;
}

// Makes state.node the vm_area_struct at the address, or 0. The process's maple tree is read as it is: bpf_find_vma takes a lock, and
// can do so once in a handler that has interrupted the kernel. What is read while another thread changes the tree may be another
// mapping; the caller looks at its addresses.
static void find_vma(struct gen *g, const struct frame *f)
{
	LLVMBasicBlockRef head = gen_block(g), look = gen_block(g), inner = gen_block(g), deep = gen_block(g), done = gen_block(g);
	LLVMValueRef round = gen_variable(g), tree, node, type, slots, next;

	tree = LLVMBuildAdd(g->b, get(g, f, MEMBER(mm)), offset_in_kernel(g, PLAN_UNWIND_MM_MT), "");
	kernel_member(g, f, tree, PLAN_UNWIND_MA_ROOT, MEMBER(node), 8);
	gen_store(g, gen_i64(g, 0), round);
	gen_goto(g, head);
	gen_enter(g, head);
	gen_branch(g, gen_is_zero(g, get(g, f, MEMBER(node))), done, look);
	gen_enter(g, look);
	node = gen_keep(g, get(g, f, MEMBER(node)));
	type = LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, node, gen_i64(g, NODE_TYPE_SHIFT), ""), gen_i64(g, NODE_TYPE_MASK), "");
	type = gen_keep(g, type);
	node = gen_keep(g, LLVMBuildAnd(g->b, node, gen_i64(g, ~(uint64_t)NODE_BITS), ""));
	kernel_member(g, f, node, PLAN_UNWIND_MR_PIVOT, MEMBER(pivots), SP_UNWIND_PIVOTS * 8);
	slots = LLVMBuildSelect(g->b, is(g, type, NODE_ARANGE), offset_in_kernel(g, PLAN_UNWIND_MA_SLOT),
				offset_in_kernel(g, PLAN_UNWIND_MR_SLOT), "");
	slots = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, node, slots, ""), LLVMBuildShl(g->b, slot_of(g, f), gen_i64(g, 3), ""), "");
	gen_call(g, GEN_READ_KERNEL, 3, gen_at(g, f->state, MEMBER(node)), gen_i64(g, 8), slots);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, type, gen_i64(g, NODE_RANGE), ""), done, inner);
	gen_enter(g, inner);
	next = gen_keep(g, LLVMBuildAdd(g->b, gen_load(g, round), gen_i64(g, 1), ""));
	gen_store(g, next, round);
	gen_branch(g, is(g, next, MAX_LEVELS), deep, head);
	gen_enter(g, deep);
	set(g, f, MEMBER(node), gen_i64(g, 0));
	gen_goto(g, done);
	gen_enter(g, done);
}

// Wakes the reader: a record that is discarded is no event.
static void wake_reader(struct gen *g)
{
	LLVMValueRef record = gen_call(g, GEN_RING_RESERVE, 3, gen_kernel_def_events(g), gen_i64(g, 8), gen_i64(g, 0));
	LLVMBasicBlockRef there = gen_block(g), done = gen_block(g);

	gen_branch(g, gen_is_zero(g, record), done, there);
	gen_enter(g, there);
	gen_call(g, GEN_RING_DISCARD, 2, LLVMBuildIntToPtr(g->b, record, g->ptr, ""), gen_i64(g, BPF_RB_FORCE_WAKEUP));
	gen_goto(g, done);
	gen_enter(g, done);
}

// There is no table of that file yet: the runtime is told where it finds the file. The next walk will come soon, so it is told at once.
static void want(struct gen *g, const struct frame *f, LLVMValueRef key)
{
	LLVMBasicBlockRef first = gen_block(g), done = gen_block(g);
	LLVMValueRef map = gen_kernel_def_beside(g, SP_MAP_UNWIND_WANTED, 0, BPF_MAP_TYPE_HASH, SP_UNWIND_WANTED,
						 sizeof(struct sp_unwind_key), sizeof(struct sp_unwind_wanted));
	LLVMValueRef pid = LLVMBuildLShr(g->b, gen_call_pure(g, GEN_PID_TGID), gen_i64(g, 32), "");

	set(g, f, MEMBER(wanted.pid), pid);
	set(g, f, MEMBER(wanted.start), get(g, f, MEMBER(mapping.start)));
	set(g, f, MEMBER(wanted.end), get(g, f, MEMBER(mapping.end)));
	gen_branch(g, gen_is_zero(g, gen_call(g, GEN_MAP_UPDATE, 4, map, key, gen_at(g, f->state, MEMBER(wanted)),
					      gen_i64(g, BPF_NOEXIST))), first, done);
	gen_enter(g, first);
	wake_reader(g);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void find_file(struct gen *g, const struct frame *f)
{
	LLVMValueRef key = gen_at(g, f->state, MEMBER(mapping.key)), found;
	LLVMValueRef map = gen_kernel_def_beside(g, SP_MAP_UNWIND_FILES, 0, BPF_MAP_TYPE_HASH, SP_UNWIND_FILES,
						 sizeof(struct sp_unwind_key), sizeof(struct sp_unwind_file));
	LLVMBasicBlockRef known = gen_block(g), unknown = gen_block(g), look = gen_block(g), done = gen_block(g);

	gen_branch(g, gen_is_zero(g, get(g, f, MEMBER(mapping.key.inode))), done, look);
	gen_enter(g, look);
	found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, map, key), g->ptr, "");
	gen_branch(g, gen_is_zero(g, found), unknown, known);
	gen_enter(g, unknown);
	want(g, f, key);
	gen_goto(g, done);
	gen_enter(g, known);
	set(g, f, MEMBER(table), gen_load_sized(g, gen_at(g, found, offsetof(struct sp_unwind_file, table)), 4, false));
	set(g, f, MEMBER(shift), gen_load_sized(g, gen_at(g, found, offsetof(struct sp_unwind_file, shift)), 4, false));
	set(g, f, MEMBER(n_buckets), gen_load(g, gen_at(g, found, offsetof(struct sp_unwind_file, n_buckets))));
	gen_goto(g, done);
	gen_enter(g, done);
}

static LLVMValueRef holds(struct gen *g, const struct frame *f, LLVMValueRef address)
{
	LLVMValueRef start = get(g, f, MEMBER(mapping.start));
	LLVMValueRef size = LLVMBuildSub(g->b, get(g, f, MEMBER(mapping.end)), start, "");

	return LLVMBuildICmp(g->b, LLVMIntULT, LLVMBuildSub(g->b, address, start, ""), size, "");
}

// Makes state.mapping and state.table those of the instruction. An address at which no code is mapped is no part of the stack: where
// the stack itself is mapped, a walk by frame pointers has met a value that is no address of code.
static void find_table(struct gen *g, const struct frame *f, LLVMValueRef index)
{
	LLVMBasicBlockRef find = gen_block(g), look = gen_block(g), nothing = gen_block(g), mapped = gen_block(g), code = gen_block(g),
			  have = gen_block(g);
	LLVMValueRef has_trees;

	gen_branch(g, holds(g, f, f->at), have, find);
	gen_enter(g, find);
	set(g, f, MEMBER(mapping.start), gen_i64(g, 0));
	set(g, f, MEMBER(mapping.end), gen_i64(g, 0));
	set(g, f, MEMBER(mapping.key.inode), gen_i64(g, 0));
	set(g, f, MEMBER(mapping.key.dev), gen_i64(g, 0));
	set(g, f, MEMBER(table), gen_i64(g, 0));
	has_trees = LLVMBuildNot(g->b, gen_is_zero(g, offset_in_kernel(g, PLAN_UNWIND_MR_PIVOT)), "");
	gen_branch(g, has_trees, look, have);
	gen_enter(g, look);
	find_vma(g, f);
	look_at_mapping(g, f, gen_keep(g, get(g, f, MEMBER(node))));
	gen_branch(g, holds(g, f, f->at), mapped, nothing);
	gen_enter(g, nothing);
	set(g, f, MEMBER(n), index);
	gen_goto(g, f->end);
	gen_enter(g, mapped);
	gen_branch(g, holds(g, f, get(g, f, MEMBER(sp))), nothing, code);
	gen_enter(g, code);
	find_file(g, f);
	gen_goto(g, have);
	gen_enter(g, have);
}

// ---- the row ---------------------------------------------------------------------------------------------------------

static LLVMValueRef element(struct gen *g, const struct frame *f, LLVMValueRef index)
{
	LLVMValueRef key = gen_at(g, f->state, MEMBER(words)), found;

	gen_store(g, index, key);
	found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, f->table, key), g->ptr, "");
	only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, found), ""), f->by_pointer);
	return gen_load_volatile(g, found);
}

static LLVMValueRef low_half(struct gen *g, LLVMValueRef value)
{
	return LLVMBuildAnd(g->b, value, gen_i64(g, UINT32_MAX), "");
}

// Of the rows state.low to state.high, which is not one of them, the last that begins at or before the place in the file. Both
// are in memory: the verifier need not follow them from round to round.
static void search(struct gen *g, const struct frame *f, LLVMValueRef place)
{
	LLVMBasicBlockRef head = gen_block(g), look = gen_block(g), lower = gen_block(g), upper = gen_block(g), more = gen_block(g),
			  done = gen_block(g);
	LLVMValueRef round = gen_variable(g), low, high, middle, row, next;

	gen_store(g, gen_i64(g, 0), round);
	gen_goto(g, head);
	gen_enter(g, head);
	low = get(g, f, MEMBER(low));
	high = get(g, f, MEMBER(high));
	middle = LLVMBuildLShr(g->b, LLVMBuildAdd(g->b, low, high, ""), gen_i64(g, 1), "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntUGT, middle, low, ""), look, done);
	gen_enter(g, look);
	row = element(g, f, middle);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, low_half(g, row), place, ""), upper, lower);
	gen_enter(g, upper);
	set(g, f, MEMBER(low), middle);
	set(g, f, MEMBER(row), row);
	gen_goto(g, more);
	gen_enter(g, lower);
	set(g, f, MEMBER(high), middle);
	gen_goto(g, more);
	gen_enter(g, more);
	next = gen_keep(g, LLVMBuildAdd(g->b, gen_load(g, round), gen_i64(g, 1), ""));
	gen_store(g, next, round);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, next, gen_i64(g, SP_UNWIND_MAX_SHIFT + 1), ""), head, done);
	gen_enter(g, done);
}

static void find_row(struct gen *g, struct frame *f)
{
	LLVMValueRef tables = gen_kernel_def_beside(g, SP_MAP_UNWIND_TABLES, 0, BPF_MAP_TYPE_ARRAY_OF_MAPS, SP_UNWIND_TABLES,
						    sizeof(uint32_t), sizeof(uint32_t));
	LLVMValueRef key = gen_at(g, f->state, MEMBER(table)), place, bucket, limits;
	LLVMBasicBlockRef first = gen_block(g), found = gen_block(g);

	only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, key)), ""), f->by_pointer);
	f->table = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, tables, key), g->ptr, "");
	only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, f->table), ""), f->by_pointer);
	place = LLVMBuildSub(g->b, f->at, get(g, f, MEMBER(mapping.start)), "");
	place = LLVMBuildAdd(g->b, place, LLVMBuildShl(g->b, get(g, f, MEMBER(mapping.offset)), gen_i64(g, 12), ""), "");
	bucket = LLVMBuildLShr(g->b, place, LLVMBuildAnd(g->b, get(g, f, MEMBER(shift)), gen_i64(g, 63), ""), "");
	only_if(g, LLVMBuildICmp(g->b, LLVMIntULT, bucket, get(g, f, MEMBER(n_buckets)), ""), f->by_pointer);
	limits = element(g, f, bucket);
	set(g, f, MEMBER(low), low_half(g, limits));
	set(g, f, MEMBER(high), LLVMBuildLShr(g->b, limits, gen_i64(g, 32), ""));
	set(g, f, MEMBER(row), gen_i64(g, 0));
	search(g, f, place);
	gen_branch(g, gen_is_zero(g, get(g, f, MEMBER(row))), first, found);
	gen_enter(g, first);
	set(g, f, MEMBER(row), element(g, f, get(g, f, MEMBER(low))));
	gen_goto(g, found);
	gen_enter(g, found);
	f->info = gen_keep(g, LLVMBuildLShr(g->b, get(g, f, MEMBER(row)), gen_i64(g, 32), ""));
}

// ---- the caller ------------------------------------------------------------------------------------------------------

// `size` bytes of the stack, to state.words. Where they cannot be read, the stack ends.
static void read_stack(struct gen *g, const struct frame *f, LLVMValueRef address, unsigned size)
{
	LLVMValueRef result = gen_call(g, GEN_READ_USER, 3, gen_at(g, f->state, MEMBER(words)), gen_i64(g, size), address);

	only_if(g, is(g, result, 0), f->end);
}

static LLVMValueRef word(struct gen *g, const struct frame *f, unsigned n)
{
	return gen_load_volatile(g, gen_at(g, f->state, MEMBER(words) + n * 8));
}

// Where a return probe waits, its trampoline is the return address. The kernel has the right ones in a list, the innermost first,
// with the places on the stack where they were. state.pc becomes the right one.
static void undo_return_probe(struct gen *g, const struct frame *f)
{
	LLVMBasicBlockRef done = gen_block(g);
	LLVMValueRef place = gen_keep(g, LLVMBuildSub(g->b, get(g, f, MEMBER(sp)), gen_i64(g, CALL_SIZE), ""));

	only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, get(g, f, MEMBER(back))), ""), done);
	for (unsigned i = 0; i < MAX_PENDING; i++) {
		LLVMBasicBlockRef inner = gen_block(g), replaced = gen_block(g), not_inner = gen_block(g), next = gen_block(g);
		LLVMValueRef pending = gen_keep(g, get(g, f, MEMBER(pending))), at;

		only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, pending), ""), done);
		at = kernel_member(g, f, pending, PLAN_UNWIND_PENDING_SP, MEMBER(words), 8);
		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, at, place, ""), inner, not_inner);
		gen_enter(g, not_inner);
		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, at, place, ""), replaced, done);
		gen_enter(g, replaced);
		kernel_member(g, f, pending, PLAN_UNWIND_PENDING_PC, MEMBER(pc), 8);
		gen_goto(g, done);
		gen_enter(g, inner);
		kernel_member(g, f, pending, PLAN_UNWIND_PENDING_NEXT, MEMBER(pending), 8);
		gen_goto(g, next);
		gen_enter(g, next);
	}
	gen_goto(g, done);
	gen_enter(g, done);
}

// The return address counts; behind it the caller's stack begins.
static void set_caller(struct gen *g, const struct frame *f, LLVMValueRef pc, LLVMValueRef sp)
{
	set(g, f, MEMBER(pc), pc);
	set(g, f, MEMBER(sp), sp);
	set(g, f, MEMBER(back), gen_i64(g, 1));
	set(g, f, MEMBER(r10), gen_i64(g, 0));
	gen_goto(g, f->next);
}

static void call_by_pointer(struct gen *g, const struct frame *f)
{
	LLVMValueRef bp = gen_keep(g, get(g, f, MEMBER(bp)));

	only_if(g, LLVMBuildICmp(g->b, LLVMIntUGE, bp, get(g, f, MEMBER(sp)), ""), f->end);
	read_stack(g, f, bp, 16);
	set(g, f, MEMBER(bp), word(g, f, 0));
	set_caller(g, f, word(g, f, 1), LLVMBuildAdd(g->b, bp, gen_i64(g, 16), ""));
}

static void call_by_signal(struct gen *g, const struct frame *f)
{
	LLVMValueRef context = gen_keep(g, get(g, f, MEMBER(sp)));

	read_stack(g, f, LLVMBuildAdd(g->b, context, gen_i64(g, SP_UNWIND_SIGNAL_RBP * 8), ""), 8);
	set(g, f, MEMBER(bp), word(g, f, 0));
	read_stack(g, f, LLVMBuildAdd(g->b, context, gen_i64(g, SP_UNWIND_SIGNAL_RSP * 8), ""), 16);
	set(g, f, MEMBER(sp), word(g, f, 0));
	set(g, f, MEMBER(pc), word(g, f, 1));
	set(g, f, MEMBER(back), gen_i64(g, 0));
	set(g, f, MEMBER(r10), gen_i64(g, 0));
	gen_goto(g, f->next);
}

static LLVMValueRef kind_of(struct gen *g, const struct frame *f)
{
	return LLVMBuildAnd(g->b, f->info, gen_i64(g, (1 << SP_UNWIND_KIND_BITS) - 1), "");
}

static LLVMValueRef is_kind(struct gen *g, const struct frame *f, enum sp_unwind_kind kind)
{
	return is(g, kind_of(g, f), kind);
}

// CFA of the kinds that have one: state.low.
static void find_cfa(struct gen *g, struct frame *f)
{
	LLVMBasicBlockRef deref = gen_block(g), done = gen_block(g);
	LLVMValueRef words, base, plt, kind_bp, kind_deref;

	words = LLVMBuildShl(g->b, f->info, gen_i64(g, 64 - SP_UNWIND_RBP_SHIFT), "");
	words = LLVMBuildAShr(g->b, words, gen_i64(g, 64 - SP_UNWIND_CFA_BITS), "");
	kind_bp = is_kind(g, f, SP_UNWIND_BP);
	kind_deref = is_kind(g, f, SP_UNWIND_BP_DEREF);
	base = LLVMBuildSelect(g->b, LLVMBuildOr(g->b, kind_bp, kind_deref, ""), get(g, f, MEMBER(bp)), get(g, f, MEMBER(sp)), "");
	base = gen_keep(g, LLVMBuildSelect(g->b, is_kind(g, f, SP_UNWIND_R10), get(g, f, MEMBER(r10)), base, ""));
	only_if(g, LLVMBuildNot(g->b, gen_is_zero(g, base), ""), f->by_pointer);
	plt = LLVMBuildICmp(g->b, LLVMIntUGE, LLVMBuildAnd(g->b, f->at, gen_i64(g, 15), ""), words, "");
	plt = LLVMBuildAdd(g->b, gen_bool(g, plt), gen_i64(g, 1), "");
	words = LLVMBuildSelect(g->b, is_kind(g, f, SP_UNWIND_PLT), plt, words, "");
	set(g, f, MEMBER(low), LLVMBuildAdd(g->b, base, LLVMBuildShl(g->b, words, gen_i64(g, 3), ""), ""));
	gen_branch(g, kind_deref, deref, done);
	gen_enter(g, deref);
	read_stack(g, f, get(g, f, MEMBER(low)), 8);
	set(g, f, MEMBER(low), word(g, f, 0));
	gen_goto(g, done);
	gen_enter(g, done);
	f->cfa = gen_keep(g, get(g, f, MEMBER(low)));
	only_if(g, LLVMBuildICmp(g->b, LLVMIntUGT, f->cfa, get(g, f, MEMBER(sp)), ""), f->end);
}

// The words below CFA, in state.window: gives where the lowest of SP_UNWIND_NEAR is in that, in bytes. Where memory behind them cannot be
// read, code goes to `apart`.
static LLVMValueRef find_window(struct gen *g, const struct frame *f, LLVMBasicBlockRef apart)
{
	const unsigned size = SP_UNWIND_WINDOW * 8;
	LLVMBasicBlockRef read = gen_block(g), fails = gen_block(g), done = gen_block(g);
	LLVMValueRef low = gen_keep(g, LLVMBuildSub(g->b, f->cfa, gen_i64(g, SP_UNWIND_NEAR * 8), "")), at = gen_variable(g), offset, result;

	offset = gen_keep(g, LLVMBuildSub(g->b, low, get(g, f, MEMBER(window_start)), ""));
	gen_store(g, offset, at);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, size - SP_UNWIND_NEAR * 8), ""), done, read);
	gen_enter(g, read);
	gen_store(g, gen_i64(g, 0), at);
	set(g, f, MEMBER(window_start), low);
	result = gen_call(g, GEN_READ_USER, 3, gen_at(g, f->state, MEMBER(window)), gen_i64(g, size), low);
	gen_branch(g, is(g, result, 0), done, fails);
	gen_enter(g, fails);
	set(g, f, MEMBER(window_start), gen_i64(g, NO_WINDOW));
	gen_goto(g, apart);
	gen_enter(g, done);
	return gen_load(g, at);
}

static LLVMValueRef window_word(struct gen *g, const struct frame *f, LLVMValueRef offset)
{
	return gen_load_volatile(g, gen_at_index(g, gen_at(g, f->state, MEMBER(window)), offset));
}

// state.bp becomes the caller's, which is so many words below CFA.
static void read_bp(struct gen *g, const struct frame *f, LLVMValueRef rbp)
{
	LLVMValueRef at = LLVMBuildSub(g->b, f->cfa, LLVMBuildShl(g->b, rbp, gen_i64(g, 3), ""), "");

	at = LLVMBuildSelect(g->b, is(g, rbp, SP_UNWIND_RBP_AT_BP), get(g, f, MEMBER(bp)), at, "");
	set(g, f, MEMBER(words), gen_i64(g, 0)); // what cannot be read may never be needed
	gen_call(g, GEN_READ_USER, 3, gen_at(g, f->state, MEMBER(words)), gen_i64(g, 8), at);
	set(g, f, MEMBER(bp), word(g, f, 0));
}

static void call_by_row(struct gen *g, struct frame *f)
{
	LLVMBasicBlockRef changes = gen_block(g), near = gen_block(g), far = gen_block(g), known = gen_block(g), apart = gen_block(g),
			  apart_bp = gen_block(g), apart_pc = gen_block(g);
	LLVMValueRef rbp = gen_keep(g, LLVMBuildLShr(g->b, f->info, gen_i64(g, SP_UNWIND_RBP_SHIFT), "")), window, below;

	find_cfa(g, f);
	window = gen_keep(g, find_window(g, f, apart));
	set(g, f, MEMBER(pc), window_word(g, f, LLVMBuildAdd(g->b, window, gen_i64(g, SP_UNWIND_NEAR * 8 - CALL_SIZE), "")));
	gen_branch(g, is(g, rbp, SP_UNWIND_RBP_SAME), known, changes);
	gen_enter(g, changes);
	below = gen_keep(g, LLVMBuildSub(g->b, gen_i64(g, SP_UNWIND_NEAR * 8), LLVMBuildShl(g->b, rbp, gen_i64(g, 3), ""), ""));
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, below, gen_i64(g, SP_UNWIND_NEAR * 8 - 8), ""), near, far);
	gen_enter(g, near);
	set(g, f, MEMBER(bp), window_word(g, f, LLVMBuildAdd(g->b, window, below, "")));
	gen_goto(g, known);
	gen_enter(g, far);
	read_bp(g, f, rbp);
	gen_goto(g, known);
	gen_enter(g, known);
	set_caller(g, f, get(g, f, MEMBER(pc)), f->cfa);
	gen_enter(g, apart);
	gen_branch(g, is(g, rbp, SP_UNWIND_RBP_SAME), apart_pc, apart_bp);
	gen_enter(g, apart_bp);
	read_bp(g, f, rbp);
	gen_goto(g, apart_pc);
	gen_enter(g, apart_pc);
	read_stack(g, f, LLVMBuildSub(g->b, f->cfa, gen_i64(g, CALL_SIZE), ""), 8);
	set_caller(g, f, word(g, f, 0), f->cfa);
}

static void call(struct gen *g, struct frame *f)
{
	LLVMBasicBlockRef by_signal = gen_block(g);

	only_if(g, LLVMBuildNot(g->b, is_kind(g, f, SP_UNWIND_END), ""), f->end);
	only_if(g, LLVMBuildNot(g->b, is_kind(g, f, SP_UNWIND_NONE), ""), f->by_pointer);
	only_if(g, LLVMBuildNot(g->b, is_kind(g, f, SP_UNWIND_SIGNAL), ""), by_signal);
	call_by_row(g, f);
	gen_enter(g, by_signal);
	call_by_signal(g, f);
	gen_enter(g, f->by_pointer);
	call_by_pointer(g, f);
}

// ---- the walk --------------------------------------------------------------------------------------------------------

// The first address must have a table: else the kernel's walk knows as much.
static void check_first(struct gen *g, const struct frame *f, LLVMValueRef index)
{
	LLVMBasicBlockRef none = gen_block(g), some = gen_block(g);
	LLVMValueRef is_unknown = gen_is_zero(g, LLVMBuildOr(g->b, index, get(g, f, MEMBER(table)), ""));

	gen_branch(g, is_unknown, none, some);
	gen_enter(g, none);
	set(g, f, MEMBER(n), gen_i64(g, 0));
	gen_goto(g, f->end);
	gen_enter(g, some);
}

// live: the state, the places of the addresses
static LLVMValueRef next_frame(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	struct frame f = { .state = live[0], .end = gen_block(g), .next = gen_block(g), .by_pointer = gen_block(g) };
	LLVMBasicBlockRef found = gen_block(g), done = gen_block(g);
	LLVMValueRef go = gen_variable(g), info = gen_variable(g), offset, pc;

	(void)arg;
	gen_store(g, gen_i64(g, 0), go);
	offset = gen_keep(g, LLVMBuildShl(g->b, index, gen_i64(g, 3), ""));
	only_if(g, LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, (SP_SYMBOLS_MAX - 1) * 8), ""), done);
	pc = get(g, &f, MEMBER(pc));
	gen_store(g, pc, gen_at_index(g, live[1], offset));
	set(g, &f, MEMBER(n), LLVMBuildAdd(g->b, index, gen_i64(g, 1), ""));
	f.at = gen_keep(g, LLVMBuildSub(g->b, pc, get(g, &f, MEMBER(back)), ""));
	gen_unwind_rule_find(g, f.state, f.at, info, found);
	find_table(g, &f, index);
	check_first(g, &f, index);
	find_row(g, &f);
	gen_unwind_rule_keep(g, f.state, f.at, f.info);
	gen_store(g, f.info, info);
	gen_goto(g, found);
	gen_enter(g, found);
	f.info = gen_keep(g, gen_load(g, info));
	call(g, &f);
	gen_enter(g, f.next);
	undo_return_probe(g, &f);
	gen_store(g, gen_bool(g, LLVMBuildNot(g->b, gen_is_zero(g, get(g, &f, MEMBER(pc))), "")), go);
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

// Linux tells of changes from 6.4 on.
static void know_process(struct gen *g, const struct frame *f)
{
	LLVMValueRef changes = offset_in_kernel(g, PLAN_UNWIND_MM_LOCK_SEQ), context;
	LLVMBasicBlockRef counts = gen_block(g), done = gen_block(g);

	set(g, f, MEMBER(process), gen_i64(g, 0));
	set(g, f, MEMBER(changes), gen_i64(g, 0));
	gen_branch(g, gen_is_zero(g, changes), done, counts);
	gen_enter(g, counts);
	kernel_member(g, f, get(g, f, MEMBER(mm)), PLAN_UNWIND_MM_LOCK_SEQ, MEMBER(changes), 4);
	context = LLVMBuildAdd(g->b, get(g, f, MEMBER(mm)), offset_in_kernel(g, PLAN_UNWIND_MM_CONTEXT), "");
	kernel_member(g, f, context, PLAN_UNWIND_CTX_ID, MEMBER(process), 8);
	gen_goto(g, done);
	gen_enter(g, done);
}

// The registers that the task came into the kernel with: at a uprobe, too, those of the probed place.
LLVMValueRef gen_unwind(struct gen *g, LLVMValueRef state, LLVMValueRef places)
{
	const struct frame f = { .state = state };
	struct gen_repeat r = { .name = "unwind_frame", .trips = SP_SYMBOLS_MAX, .live = { state, places }, .n_live = 2, .body = next_frame };
	LLVMValueRef regs = gen_call(g, GEN_TASK_REGS, 1, gen_call(g, GEN_TASK_BTF, 0)), pending;

	regs = LLVMBuildIntToPtr(g->b, regs, g->ptr, "");
	set(g, &f, MEMBER(pc), reg(g, regs, PT_REGS_RIP));
	set(g, &f, MEMBER(sp), reg(g, regs, PT_REGS_RSP));
	set(g, &f, MEMBER(bp), reg(g, regs, PT_REGS_RBP));
	set(g, &f, MEMBER(r10), reg(g, regs, PT_REGS_R10));
	pending = kernel_member(g, &f, gen_call(g, GEN_TASK, 0), PLAN_UNWIND_UTASK, MEMBER(pending), 8);
	kernel_member(g, &f, pending, PLAN_UNWIND_PENDING, MEMBER(pending), 8);
	set(g, &f, MEMBER(back), gen_i64(g, 0));
	set(g, &f, MEMBER(n), gen_i64(g, 0));
	set(g, &f, MEMBER(window_start), gen_i64(g, NO_WINDOW));
	set(g, &f, MEMBER(mapping.start), gen_i64(g, 0));
	set(g, &f, MEMBER(mapping.end), gen_i64(g, 0));
	kernel_member(g, &f, gen_call(g, GEN_TASK, 0), PLAN_UNWIND_TASK_MM, MEMBER(mm), 8);
	know_process(g, &f);
	gen_repeat(g, &r);
	return LLVMBuildShl(g->b, get(g, &f, MEMBER(n)), gen_i64(g, 3), "");
}
