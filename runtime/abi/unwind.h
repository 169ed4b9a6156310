// SPDX-License-Identifier: GPL-2.0-or-later
/** How stacks of programs without frame pointers are walked in the kernel: the runtime makes a table of each mapped file from its
 *  .eh_frame, and the handlers' code (compiler/gen/kernel/gen_unwind.c) looks up in it what is true at an instruction.
 *
 *  A table is a BPF array of 8-byte elements. First come its buckets, one for each 1 << shift bytes of the file: in the low half
 *  the index of the last row at or before the bucket's first byte, in the high half that behind its last row. Then come the
 *  rows, sorted: in the low half where in the file the row begins to hold, in the high half what holds there. */
#ifndef SP_ABI_UNWIND_H
#define SP_ABI_UNWIND_H

#include <stdint.h>

#define SP_MAP_UNWIND_TABLES "spile_unwind" // BPF_MAP_TYPE_ARRAY_OF_MAPS: number of the table to BPF_MAP_TYPE_ARRAY
#define SP_MAP_UNWIND_FILES "spile_unwound" // BPF_MAP_TYPE_HASH, struct sp_unwind_key to struct sp_unwind_file
#define SP_MAP_UNWIND_WANTED "spile_wanted" // BPF_MAP_TYPE_HASH, struct sp_unwind_key to struct sp_unwind_wanted
#define SP_MAP_UNWIND_RULES "spile_rules" // BPF_MAP_TYPE_ARRAY of struct sp_unwind_rule, which only the kernel's programs read

#define SP_UNWIND_RULE_BITS 12 // of the number of rules: 128 KB
#define SP_UNWIND_TABLES 4096 // files with a table
#define SP_UNWIND_FILES 16384
#define SP_UNWIND_WANTED 512
#define SP_UNWIND_PIVOTS 15 // of a node of a maple tree of the kernel (struct maple_range_64)
#define SP_UNWIND_MAX_SHIFT 12 // of buckets; a search among as many rows as bytes, and the one in front, takes one step more

/** What is known of the instructions from the row's first on. Offsets are in words of 8 bytes. CFA: the stack pointer of the caller,
 *  behind the return address. */
enum sp_unwind_kind {
	SP_UNWIND_NONE, // nothing, or what cannot be expressed: a frame pointer is hoped for
	SP_UNWIND_END, // the stack ends
	SP_UNWIND_SP, // CFA is rsp + offset
	SP_UNWIND_BP, // CFA is rbp + offset
	SP_UNWIND_BP_DEREF, // CFA is what is at rbp + offset: the stack was aligned
	SP_UNWIND_PLT, // CFA is rsp + 8, and 8 more from byte `offset` of 16 on
	SP_UNWIND_SIGNAL, // rsp points at the struct ucontext of a signal handler
	SP_UNWIND_R10, // CFA is r10 + offset: where the stack is being aligned, in the innermost function alone
};

#define SP_UNWIND_KIND_BITS 3
#define SP_UNWIND_CFA_BITS 19
#define SP_UNWIND_RBP_SHIFT (SP_UNWIND_KIND_BITS + SP_UNWIND_CFA_BITS)
/** Where the caller's rbp is: so many words below CFA; or these. */
#define SP_UNWIND_RBP_SAME 0u // still in rbp
#define SP_UNWIND_RBP_AT_BP 1023u // at what rbp points to
#define SP_UNWIND_RBP_MAX 1022

#define SP_UNWIND_NEAR 7u // where rbp is among so many words below CFA, it is found together with the return address
#define SP_UNWIND_WINDOW 32u // words of the stack that are read at once: callers' frames are most often near

/** Members of struct ucontext of x86_64, as words. */
#define SP_UNWIND_SIGNAL_RBP 15
#define SP_UNWIND_SIGNAL_RSP 20 // and rip behind it

/** A file as the kernel knows it. */
struct sp_unwind_key {
	uint64_t dev; // super_block.s_dev
	uint64_t inode; // inode.i_ino
};
_Static_assert(sizeof(struct sp_unwind_key) == 16, "abi");

struct sp_unwind_file {
	uint32_t table; // its number; 0: there is none
	uint32_t shift;
	uint64_t n_buckets;
};
_Static_assert(sizeof(struct sp_unwind_file) == 16, "abi");

/** Where a file is mapped of which there was no table. */
struct sp_unwind_wanted {
	uint64_t pid;
	uint64_t start, end;
};
_Static_assert(sizeof(struct sp_unwind_wanted) == 24, "abi");

/** What walks have found to hold at an address of a process. */
struct sp_unwind_rule {
	uint64_t version; // odd: it is being written
	uint64_t process; // mm_context_t.ctx_id
	uint64_t address;
	uint64_t changes_and_info; // mm_struct.mm_lock_seq; in the low half the row's high half
};
_Static_assert(sizeof(struct sp_unwind_rule) == 32, "abi");

struct sp_unwind_mapping {
	uint64_t start, end; // addresses
	uint64_t offset; // of its start in the file, in pages
	struct sp_unwind_key key;
};
_Static_assert(sizeof(struct sp_unwind_mapping) == 40, "abi");

/** What a walk keeps from frame to frame. */
struct sp_unwind_state {
	uint64_t pc, sp, bp;
	uint64_t pending; // struct return_instance: a return address further out that a return probe has replaced; 0: none
	uint64_t r10; // 0: not known, as in all frames but the first
	uint64_t back; // 1: pc is a return address, and the call in front of it counts; else 0
	uint64_t n; // addresses so far
	struct sp_unwind_mapping mapping; // of the last pc; start and end are 0 when there is none
	uint64_t table; // of that; 0: none
	uint64_t shift, n_buckets;
	uint64_t low, high; // of the search
	uint64_t words[2]; // read from the stack
	uint64_t window_start, window[SP_UNWIND_WINDOW]; // the stack from that address on
	uint64_t row; // that the search has found; 0: it is the first that it was given
	uint64_t mm; // the process's struct mm_struct
	uint64_t process, changes; // of its rules; process is 0: the kernel does not tell of changes
	uint64_t node; // of its tree of mappings; then the struct vm_area_struct that was found
	uint64_t pivots[SP_UNWIND_PIVOTS]; // of the node
};
_Static_assert(sizeof(struct sp_unwind_state) == 576, "abi");

#endif
