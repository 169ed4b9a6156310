// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_cfi.h"

#include "compiler/debug/dwarf/dw_loc.h"

#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

static Dwarf_CFI *find_rules(struct dw_file *file, uint64_t pc, Dwarf_Frame **ret)
{
	Dwarf_CFI *cfi = dwarf_getcfi(file->dwarf); // .debug_frame

	if (cfi && dwarf_cfi_addrframe(cfi, pc, ret) == 0)
		return cfi;
	if (!file->eh_cfi)
		file->eh_cfi = dwarf_getcfi_elf(file->elf); // .eh_frame
	if (file->eh_cfi && dwarf_cfi_addrframe(file->eh_cfi, pc, ret) == 0)
		return file->eh_cfi;
	return NULL;
}

bool dw_cfi_frame(struct dw_file *file, uint64_t pc, Dwarf_Frame **ret)
{
	return find_rules(file, pc, ret) != NULL;
}

// Is the CFA "register plus offset"? In all code that compilers make it is.
static bool is_reg_plus(const Dwarf_Op *ops, size_t n, int *reg_ret, int64_t *offset_ret)
{
	if (n != 1)
		return false;
	if (ops[0].atom == DW_OP_bregx) {
		*reg_ret = (int)ops[0].number;
		*offset_ret = (int64_t)ops[0].number2;
		return true;
	}
	if (ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_breg31)
		return false;
	*reg_ret = ops[0].atom - DW_OP_breg0;
	*offset_ret = (int64_t)ops[0].number;
	return true;
}

bool dw_cfi_is_of_caller(struct dw_file *file, uint64_t pc, int dwarf_reg, int64_t off)
{
	Dwarf_Frame *frame;
	int64_t cfa;
	size_t n;
	bool is;
	Dwarf_Op *ops;
	int reg;

	if (!dw_cfi_frame(file, pc, &frame))
		return false;
	is = dwarf_frame_cfa(frame, &ops, &n) == 0 && is_reg_plus(ops, n, &reg, &cfa) && reg == dwarf_reg && off >= cfa;
	free(frame);
	return is;
}

bool dw_cfi_sp_is_fixed(struct dw_file *file, uint64_t low, uint64_t high)
{
	for (uint64_t pc = low; pc < high;) {
		Dwarf_Addr start, end = pc;
		int64_t offset = 0;
		Dwarf_Frame *frame;
		bool is_signal;
		Dwarf_Op *ops;
		int reg = -1;
		size_t n;

		if (!dw_cfi_frame(file, pc, &frame))
			return false;
		bool ok = dwarf_frame_info(frame, &start, &end, &is_signal) >= 0 &&
			  dwarf_frame_cfa(frame, &ops, &n) == 0 && is_reg_plus(ops, n, &reg, &offset) &&
			  reg == file->abi->sp_dwarf && offset == file->abi->return_address_size;
		free(frame);
		if (!ok || end <= pc)
			return false;
		pc = end;
	}
	return true;
}

// ---- unwinding, as one expression ------------------------------------------------------------------------------------

// Makes one expression of the rules of all frames. What a register held in frame i follows from the rules of frame i - 1, and so
// on down to frame 0, whose registers the probe sees.
struct unwinder {
	struct dw_file *file;
	const struct dw_cfi_chain *chain;
	SP_VEC(struct loc_op) ops;
	const char *why; // set: given up
};

static bool push_caller_value(struct unwinder *u, int reg, unsigned frame);

static bool fail(struct unwinder *u, const char *why)
{
	u->why = why;
	return false;
}

static bool emit(struct unwinder *u, enum loc_op_kind kind, int64_t a)
{
	sp_vec_push(&u->ops, ((struct loc_op){ .kind = kind, .a = a }));
	return true;
}

static bool add(struct unwinder *u, int64_t offset)
{
	return !offset || (emit(u, LOC_CONST, offset) && emit(u, LOC_ADD, 0));
}

// What register `reg` holds in a frame of the chain.
static bool push_value(struct unwinder *u, int reg, unsigned frame)
{
	if (frame)
		return push_caller_value(u, reg, frame - 1);
	if (!abi_reg_dwarf(u->file->abi, reg))
		return fail(u, "a register of the frame cannot be read by probes");
	return emit(u, LOC_REG, reg);
}

// At a function's entry the ABI says where its frame and return address are; a search of a kernel's .debug_frame takes long.
static bool is_known_entry(const struct unwinder *u, unsigned frame)
{
	return frame == 0 && u->chain->at_entry;
}

static bool rules_at(struct unwinder *u, unsigned frame, Dwarf_Frame **ret)
{
	uint64_t pc = u->chain->pcs[frame];

	// A call may be the last instruction of its function, and then the address behind it is another function's.
	return dw_cfi_frame(u->file, frame ? pc - 1 : pc, ret) ||
	       fail(u, "there is no call frame information for a function on the way");
}

static bool push_cfa(struct unwinder *u, unsigned frame)
{
	Dwarf_Frame *rules;
	int64_t offset = 0;
	Dwarf_Op *ops;
	int reg = -1;
	size_t n;

	if (is_known_entry(u, frame))
		return push_value(u, u->file->abi->sp_dwarf, 0) && add(u, u->file->abi->return_address_size);
	if (!rules_at(u, frame, &rules))
		return false;
	bool ok = dwarf_frame_cfa(rules, &ops, &n) == 0 && is_reg_plus(ops, n, &reg, &offset);
	free(rules);
	if (!ok)
		return fail(u, "the frame of a function on the way is no register plus a number");
	return push_value(u, reg, frame) && add(u, offset);
}

// A register's rule, as libdw gives it: "saved at CFA plus offset", "is CFA plus offset", "is in another register", or nothing:
// unchanged.
static bool push_by_rule(struct unwinder *u, const Dwarf_Op *ops, size_t n, bool is_undefined, int reg, unsigned frame)
{
	int64_t offset = n > 1 && ops[1].atom == DW_OP_plus_uconst ? (int64_t)ops[1].number : 0;
	bool is_value = n > 1 && ops[n - 1].atom == DW_OP_stack_value;

	if (is_undefined)
		return fail(u, "a function on the way does not keep a register that its caller's frame depends on");
	if (n == 0)
		return push_value(u, reg, frame);
	if (n == 1 && ops[0].atom == DW_OP_regx)
		return push_value(u, (int)ops[0].number, frame);
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_value(u, ops[0].atom - DW_OP_reg0, frame);
	if (ops[0].atom != DW_OP_call_frame_cfa || n != 1 + (offset != 0) + (is_value ? 1u : 0u))
		return fail(u, "a register of a function on the way is kept in a place that is computed");
	return push_cfa(u, frame) && add(u, offset) && (is_value || emit(u, LOC_DEREF, u->file->abi->word_size));
}

// What register `reg` held in the caller of a frame when it called.
static bool push_caller_value(struct unwinder *u, int reg, unsigned frame)
{
	Dwarf_Op memory[3], *ops;
	Dwarf_Frame *rules;
	size_t n;

	if (reg == u->file->abi->sp_dwarf) // by the definition of the CFA
		return push_cfa(u, frame);
	if (is_known_entry(u, frame))
		return push_value(u, reg, frame);
	if (!rules_at(u, frame, &rules))
		return false;
	bool ok = dwarf_frame_register(rules, reg, memory, &ops, &n) == 0 ?
			  push_by_rule(u, ops, n, n == 0 && ops, reg, frame) :
			  fail(u, "the call frame information of a function on the way is broken");
	free(rules);
	return ok;
}

static bool push_return_address(struct unwinder *u, unsigned frame)
{
	Dwarf_Addr start, end;
	Dwarf_Frame *rules;
	bool is_signal;

	if (is_known_entry(u, frame) && u->file->abi->link_dwarf >= 0)
		return push_value(u, u->file->abi->link_dwarf, 0);
	if (is_known_entry(u, frame))
		return push_value(u, u->file->abi->sp_dwarf, 0) && emit(u, LOC_DEREF, u->file->abi->word_size);
	if (!rules_at(u, frame, &rules))
		return false;
	int reg = dwarf_frame_info(rules, &start, &end, &is_signal);
	free(rules);
	return reg >= 0 ? push_caller_value(u, reg, frame) : fail(u, "the call frame information is broken");
}

const struct loc *dw_cfi_called_from(struct dw_file *file, const struct dw_cfi_chain *chain, const uint64_t *returns,
				     unsigned n_returns, const char **why_ret)
{
	struct unwinder u = { .file = file, .chain = chain };
	struct sp_arena *arena = &file->arena;
	struct loc_piece *piece;
	struct loc *loc;
	bool ok = push_return_address(&u, chain->n - 1);

	emit(&u, LOC_CONST, 0);
	for (unsigned i = 0; i < n_returns; i++) {
		emit(&u, LOC_PICK, 1); // the return address
		sp_vec_push(&u.ops, dw_loc_address_op(file, returns[i]));
		emit(&u, LOC_EQ, 0);
		emit(&u, LOC_OR, 0);
	}
	emit(&u, LOC_SWAP, 0);
	emit(&u, LOC_DROP, 0);
	*why_ret = u.why;
	if (!ok) {
		sp_vec_deinit(&u.ops);
		return NULL;
	}
	piece = sp_arena_new(arena, struct loc_piece);
	piece->where = LOC_IS_VALUE;
	piece->ops = sp_arena_memdup(arena, u.ops.v, u.ops.n * sizeof(*u.ops.v));
	piece->n_ops = (unsigned)u.ops.n;
	sp_vec_deinit(&u.ops);
	loc = sp_arena_new(arena, struct loc);
	*loc = (struct loc){ .pieces = piece, .n_pieces = 1 };
	return loc;
}
