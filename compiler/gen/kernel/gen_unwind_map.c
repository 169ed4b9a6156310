// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_unwind_map.h"

#include "compiler/gen/kernel/gen_kernel_def.h"

#include <linux/bpf.h>

#define PATH_DENTRY 8 // of struct path
#define MAX_LEVELS 8 // of a maple tree: 65,530 mappings have 7

// A pointer to a node of a maple tree: nodes are aligned, and the bits below tell the type.
#define NODE_BITS 255
#define NODE_TYPE_SHIFT 3
#define NODE_TYPE_MASK 15
#define NODE_RANGE 2 // enum maple_type: below are leaves
#define NODE_ARANGE 3

// The inode that /proc/PID/maps tells. Where a file system lies over others, what is mapped is a file of theirs; behind its struct
// file is then the path by which it was opened.
static LLVMValueRef inode_of(struct gen *g, const struct unwind_frame *f, LLVMValueRef file)
{
	const uint64_t word = UNWIND(words);
	LLVMBasicBlockRef over = gen_block(g), plain = gen_block(g), done = gen_block(g);
	LLVMValueRef inode = gen_variable(g), mode, dentry;

	gen_store(g, gen_i64(g, 0), gen_at(g, f->state, word));
	mode = gen_unwind_frame_member(g, f, file, PLAN_UNWIND_F_MODE, word, 4);
	gen_branch(g, gen_is_zero(g, LLVMBuildAnd(g->b, mode, gen_i64(g, g->plan->unwind_backing), "")), plain, over);
	gen_enter(g, over);
	dentry = gen_unwind_frame_member(g, f, LLVMBuildAdd(g->b, file, gen_i64(g, PATH_DENTRY), ""), PLAN_UNWIND_FILE_SIZE, word, 8);
	gen_store(g, gen_unwind_frame_member(g, f, dentry, PLAN_UNWIND_D_INODE, word, 8), inode);
	gen_goto(g, done);
	gen_enter(g, plain);
	gen_store(g, gen_unwind_frame_member(g, f, file, PLAN_UNWIND_F_INODE, word, 8), inode);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, inode);
}

static void look_at_mapping(struct gen *g, const struct unwind_frame *f, LLVMValueRef vma)
{
	const uint64_t word = UNWIND(words);
	LLVMBasicBlockRef with_file = gen_block(g), without = gen_block(g), done = gen_block(g);
	LLVMValueRef file, inode, super, mm, vdso, start;

	gen_unwind_frame_member(g, f, vma, PLAN_UNWIND_VM_START, UNWIND(mapping.start), 16); // and vm_end, which is behind it
	gen_unwind_frame_member(g, f, vma, PLAN_UNWIND_VM_PGOFF, UNWIND(mapping.offset), 8);
	file = gen_unwind_frame_member(g, f, vma, PLAN_UNWIND_VM_FILE, word, 8);
	gen_branch(g, gen_is_zero(g, file), without, with_file);
	gen_enter(g, with_file);
	inode = inode_of(g, f, file);
	super = gen_unwind_frame_member(g, f, inode, PLAN_UNWIND_I_SB, word, 8);
	gen_unwind_frame_member(g, f, inode, PLAN_UNWIND_I_INO, UNWIND(mapping.key.inode), 8);
	gen_unwind_frame_member(g, f, super, PLAN_UNWIND_S_DEV, UNWIND(mapping.key.dev), 4);
	gen_goto(g, done);
	gen_enter(g, without);
	mm = gen_unwind_frame_member(g, f, vma, PLAN_UNWIND_VM_MM, word, 8);
	vdso = gen_unwind_frame_member(g, f, LLVMBuildAdd(g->b, mm, gen_unwind_frame_offset(g, PLAN_UNWIND_MM_CONTEXT), ""), PLAN_UNWIND_VDSO, word, 8);
	start = unwind_get(g, f, UNWIND(mapping.start));
	unwind_set(g, f, UNWIND(mapping.offset), gen_i64(g, 0));
	unwind_set(g, f, UNWIND(mapping.key.inode), gen_bool(g, LLVMBuildICmp(g->b, LLVMIntEQ, start, vdso, "")));
	gen_goto(g, done);
	gen_enter(g, done);
}

// Which slot of a node is that of the address: that behind all pivots below it. A pivot is the last address of its slot; 0 behind the
// first is none, and behind the fewer pivots of an inner node are pointers, which are above all addresses of programs. One is looked at
// behind the other: LLVM would load them all first, and keep them on the stack.
static LLVMValueRef slot_of(struct gen *g, const struct unwind_frame *f)
{
	LLVMValueRef slot = gen_i64(g, 0), below = gen_i64(g, 1);

	for (uint64_t i = 0; i < SP_UNWIND_PIVOTS; i++) {
		LLVMValueRef pivot = gen_keep(g, gen_forget(g, gen_load_volatile(g, gen_at(g, f->state, UNWIND(pivots) + i * 8))));
		LLVMValueRef less = LLVMBuildAnd(g->b, LLVMBuildSub(g->b, pivot, f->at, ""), LLVMBuildNot(g->b, pivot, ""), "");

		if (i)
			less = LLVMBuildAnd(g->b, less, LLVMBuildNeg(g->b, pivot, ""), "");
		below = LLVMBuildAnd(g->b, below, LLVMBuildLShr(g->b, less, gen_i64(g, 63), ""), "");
		slot = gen_keep(g, gen_forget(g, LLVMBuildAdd(g->b, slot, below, "")));
	}
	return slot;
}

// Makes state.node the vm_area_struct at the address, or 0. The process's maple tree is read as it is: bpf_find_vma takes a lock, and
// can do so once in a handler that has interrupted the kernel. What is read while another thread changes the tree may be another
// mapping; the caller looks at its addresses.
static void find_vma(struct gen *g, const struct unwind_frame *f)
{
	LLVMBasicBlockRef head = gen_block(g), look = gen_block(g), inner = gen_block(g), deep = gen_block(g), done = gen_block(g);
	LLVMValueRef round = gen_variable(g), tree, node, type, slots, next;

	tree = LLVMBuildAdd(g->b, unwind_get(g, f, UNWIND(mm)), gen_unwind_frame_offset(g, PLAN_UNWIND_MM_MT), "");
	gen_unwind_frame_member(g, f, tree, PLAN_UNWIND_MA_ROOT, UNWIND(node), 8);
	gen_store(g, gen_i64(g, 0), round);
	gen_goto(g, head);
	gen_enter(g, head);
	gen_branch(g, gen_is_zero(g, unwind_get(g, f, UNWIND(node))), done, look);
	gen_enter(g, look);
	node = gen_keep(g, unwind_get(g, f, UNWIND(node)));
	type = LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, node, gen_i64(g, NODE_TYPE_SHIFT), ""), gen_i64(g, NODE_TYPE_MASK), "");
	type = gen_keep(g, type);
	node = gen_keep(g, LLVMBuildAnd(g->b, node, gen_i64(g, ~(uint64_t)NODE_BITS), ""));
	gen_unwind_frame_member(g, f, node, PLAN_UNWIND_MR_PIVOT, UNWIND(pivots), SP_UNWIND_PIVOTS * 8);
	slots = LLVMBuildSelect(g->b, unwind_is(g, type, NODE_ARANGE), gen_unwind_frame_offset(g, PLAN_UNWIND_MA_SLOT),
				gen_unwind_frame_offset(g, PLAN_UNWIND_MR_SLOT), "");
	slots = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, node, slots, ""), LLVMBuildShl(g->b, slot_of(g, f), gen_i64(g, 3), ""), "");
	gen_call(g, GEN_READ_KERNEL, 3, gen_at(g, f->state, UNWIND(node)), gen_i64(g, 8), slots);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, type, gen_i64(g, NODE_RANGE), ""), done, inner);
	gen_enter(g, inner);
	next = gen_keep(g, LLVMBuildAdd(g->b, gen_load(g, round), gen_i64(g, 1), ""));
	gen_store(g, next, round);
	gen_branch(g, unwind_is(g, next, MAX_LEVELS), deep, head);
	gen_enter(g, deep);
	unwind_set(g, f, UNWIND(node), gen_i64(g, 0));
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
static void want(struct gen *g, const struct unwind_frame *f)
{
	LLVMBasicBlockRef first = gen_block(g), done = gen_block(g);
	LLVMValueRef map = gen_kernel_def_beside(g, SP_MAP_UNWIND_WANTED, 0, BPF_MAP_TYPE_HASH, SP_UNWIND_WANTED,
						 sizeof(struct sp_unwind_key), sizeof(struct sp_unwind_wanted));
	LLVMValueRef pid = LLVMBuildLShr(g->b, gen_call_pure(g, GEN_PID_TGID), gen_i64(g, 32), "");
	LLVMValueRef value = gen_at(g, f->key, offsetof(struct unwind_key, wanted));

	gen_store(g, pid, gen_at(g, value, offsetof(struct sp_unwind_wanted, pid)));
	gen_store(g, unwind_get(g, f, UNWIND(mapping.start)), gen_at(g, value, offsetof(struct sp_unwind_wanted, start)));
	gen_store(g, unwind_get(g, f, UNWIND(mapping.end)), gen_at(g, value, offsetof(struct sp_unwind_wanted, end)));
	gen_branch(g, gen_is_zero(g, gen_call(g, GEN_MAP_UPDATE, 4, map, f->key, value, gen_i64(g, BPF_NOEXIST))), first, done);
	gen_enter(g, first);
	wake_reader(g);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void find_file(struct gen *g, const struct unwind_frame *f)
{
	LLVMValueRef inode = gen_keep(g, unwind_get(g, f, UNWIND(mapping.key.inode))), found;
	LLVMValueRef map = gen_kernel_def_beside(g, SP_MAP_UNWIND_FILES, 0, BPF_MAP_TYPE_HASH, SP_UNWIND_FILES,
						 sizeof(struct sp_unwind_key), sizeof(struct sp_unwind_file));
	LLVMBasicBlockRef known = gen_block(g), unknown = gen_block(g), look = gen_block(g), done = gen_block(g);

	gen_branch(g, gen_is_zero(g, inode), done, look);
	gen_enter(g, look);
	gen_store(g, inode, gen_at(g, f->key, offsetof(struct sp_unwind_key, inode)));
	gen_store(g, unwind_get(g, f, UNWIND(mapping.key.dev)), gen_at(g, f->key, offsetof(struct sp_unwind_key, dev)));
	found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, map, f->key), g->ptr, "");
	gen_branch(g, gen_is_zero(g, found), unknown, known);
	gen_enter(g, unknown);
	want(g, f);
	gen_goto(g, done);
	gen_enter(g, known);
	unwind_set(g, f, UNWIND(table), gen_load_sized(g, gen_at(g, found, offsetof(struct sp_unwind_file, table)), 4, false));
	unwind_set(g, f, UNWIND(shift), gen_load_sized(g, gen_at(g, found, offsetof(struct sp_unwind_file, shift)), 4, false));
	unwind_set(g, f, UNWIND(n_buckets), gen_load(g, gen_at(g, found, offsetof(struct sp_unwind_file, n_buckets))));
	gen_goto(g, done);
	gen_enter(g, done);
}

static LLVMValueRef holds(struct gen *g, const struct unwind_frame *f, LLVMValueRef address)
{
	LLVMValueRef start = unwind_get(g, f, UNWIND(mapping.start));
	LLVMValueRef size = LLVMBuildSub(g->b, unwind_get(g, f, UNWIND(mapping.end)), start, "");

	return LLVMBuildICmp(g->b, LLVMIntULT, LLVMBuildSub(g->b, address, start, ""), size, "");
}

void gen_unwind_map_find(struct gen *g, const struct unwind_frame *f, LLVMValueRef index)
{
	LLVMBasicBlockRef find = gen_block(g), look = gen_block(g), nothing = gen_block(g), mapped = gen_block(g), code = gen_block(g),
			  have = gen_block(g);
	LLVMValueRef has_trees;

	gen_branch(g, holds(g, f, f->at), have, find);
	gen_enter(g, find);
	unwind_set(g, f, UNWIND(mapping.start), gen_i64(g, 0));
	unwind_set(g, f, UNWIND(mapping.end), gen_i64(g, 0));
	unwind_set(g, f, UNWIND(mapping.key.inode), gen_i64(g, 0));
	unwind_set(g, f, UNWIND(mapping.key.dev), gen_i64(g, 0));
	unwind_set(g, f, UNWIND(table), gen_i64(g, 0));
	has_trees = LLVMBuildNot(g->b, gen_is_zero(g, gen_unwind_frame_offset(g, PLAN_UNWIND_MR_PIVOT)), "");
	gen_branch(g, has_trees, look, have);
	gen_enter(g, look);
	find_vma(g, f);
	look_at_mapping(g, f, gen_keep(g, unwind_get(g, f, UNWIND(node))));
	gen_branch(g, holds(g, f, f->at), mapped, nothing);
	gen_enter(g, nothing);
	unwind_set(g, f, UNWIND(n), index);
	gen_goto(g, f->end);
	gen_enter(g, mapped);
	gen_branch(g, holds(g, f, unwind_get(g, f, UNWIND(sp))), nothing, code);
	gen_enter(g, code);
	find_file(g, f);
	gen_goto(g, have);
	gen_enter(g, have);
}
