// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_expr.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_cfi.h"
#include "compiler/debug/dwarf/dw_stack.h"
#include "compiler/debug/dwarf/dw_tls.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_NESTING 8

static bool run_ops(struct dw_stack *c, const Dwarf_Op *ops, size_t n);

// Translates another expression, the frame base or the CFA, which must leave one value on the stack.
static bool run_nested(struct dw_stack *c, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n)
{
	Dwarf_Attribute *outer_attr = c->attr;
	int outer_where = c->where;
	unsigned depth = c->depth;
	bool ok;

	if (c->nesting == MAX_NESTING)
		return dw_stack_broken(c, "its location refers to itself");
	c->nesting++;
	c->attr = attr;
	ok = run_ops(c, ops, n);
	c->attr = outer_attr;
	c->where = outer_where;
	c->nesting--;
	if (ok && c->depth != depth + 1)
		return dw_stack_fail(c, "its frame base is not one value");
	return ok;
}

static bool push_cfa(struct dw_stack *c)
{
	const struct abi *abi = c->site->file->abi;
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t n;

	// At the entry the ABI says where the CFA is; a search of a kernel's .debug_frame takes longer than all the rest.
	if (c->site->at_entry)
		return dw_stack_push_reg(c, abi->sp_dwarf, abi->return_address_size);
	if (!dw_cfi_frame(c->site->file, c->site->pc, &frame))
		return dw_stack_fail(c, "there is no call frame information for 0x%llx", (unsigned long long)c->site->pc);
	bool ok = dwarf_frame_cfa(frame, &ops, &n) == 0 && n > 0;
	if (ok)
		ok = run_nested(c, NULL, ops, n);
	else
		dw_stack_fail(c, "the call frame information for 0x%llx is broken", (unsigned long long)c->site->pc);
	free(frame);
	return ok;
}

static bool push_frame_base(struct dw_stack *c)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!c->site->function || !dw_attr_place(c->site->function, DW_AT_frame_base, &attr))
		return dw_stack_fail(c, "its function has no frame base");
	if (dwarf_getlocation_addr(&attr, c->site->pc, &ops, &n, 1) != 1)
		return dw_stack_fail(c, "its function has no frame base at 0x%llx", (unsigned long long)c->site->pc);
	return run_nested(c, &attr, ops, n);
}

// The type of a register that the expression of an entry value names.
static bool entry_type(struct dw_stack *c, Dwarf_Attribute *attr, const Dwarf_Op *op, struct dw_value_type *ret)
{
	Dwarf_Attribute *outer = c->attr;
	bool ok;

	c->attr = attr;
	ok = dw_stack_base_type(c, op, op->number2, ret);
	c->attr = outer;
	return ok;
}

// DW_OP_entry_value: the value that a register had when the function was entered. Memory as it was at the entry is not kept.
static bool push_entry_value(struct dw_stack *c, const Dwarf_Op *op)
{
	struct dw_value_type type = dw_generic;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!c->attr || dwarf_getlocation_attr(c->attr, op, &attr) != 0 || dwarf_getlocation(&attr, &ops, &n) != 0)
		return dw_stack_broken(c, "an entry value in its location cannot be read");
	bool is_typed = n == 1 && (ops[0].atom == DW_OP_regval_type || ops[0].atom == DW_OP_GNU_regval_type);
	uint64_t reg;
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		reg = ops[0].atom - DW_OP_reg0;
	else if (is_typed || (n == 1 && ops[0].atom == DW_OP_regx))
		reg = ops[0].number;
	else
		return dw_stack_fail(c, "DW_OP_entry_value of something else than a register is not supported");
	if (is_typed && !entry_type(c, &attr, &ops[0], &type))
		return false;
	return dw_stack_emit(c, c->site->at_entry ? LOC_REG : LOC_ENTRY_REG, (int64_t)reg) &&
	       dw_stack_push(c, type) && dw_stack_extend(c, type);
}

static bool emit_address(struct dw_stack *c, uint64_t addr)
{
	struct loc_op op = dw_loc_address_op(c->site->file, addr);

	if (!dw_stack_emit(c, LOC_ADDR, op.a))
		return false;
	c->ops.v[c->ops.n - 1].section = op.section;
	return true;
}

static bool push_indexed(struct dw_stack *c, const Dwarf_Op *op)
{
	bool is_addr;
	uint64_t value;

	if (!c->attr || !dw_attr_indexed(c->attr, op, &is_addr, &value))
		return dw_stack_broken(c, "an indexed address in its location cannot be read");
	return (is_addr ? emit_address(c, value) : dw_stack_emit(c, LOC_CONST, (int64_t)value)) &&
	       dw_stack_push(c, dw_generic);
}

// DW_OP_form_tls_address: turns the offset on the stack, within the file's block of thread-local variables, into an address.
static bool thread_local(struct dw_stack *c)
{
	struct loc_op ops[DW_TLS_MAX_OPS];
	const char *why;
	unsigned n;

	if (!dw_stack_need(c, 1))
		return false;
	if (c->ops.n && c->ops.v[c->ops.n - 1].kind == LOC_CONST)
		c->ops.v[c->ops.n - 1].a = (int64_t)dw_tls_offset(c->site->file, (uint64_t)c->ops.v[c->ops.n - 1].a);
	n = dw_tls_block(c->site->file, ops, &why);
	for (unsigned i = 0; i < n; i++)
		sp_vec_push(&c->ops, ops[i]);
	return n ? dw_stack_emit(c, LOC_ADD, 0) : dw_stack_fail(c, "%s", why);
}

static bool end_piece(struct dw_stack *c, uint64_t bit_size, uint64_t bit_off)
{
	struct sp_arena *arena = c->site->arena;
	struct loc_piece piece = c->known;

	piece.where = c->where;
	piece.bit_size = bit_size;
	piece.bit_off = bit_off;
	if (c->n_pending)
		return dw_stack_broken(c, "a branch in its location leads from one piece to another");
	if (bit_size > UINT32_MAX || bit_off > UINT32_MAX)
		return dw_stack_fail(c, "its location has a piece of %llu bits", (unsigned long long)bit_size);
	if (piece.where == LOC_IN_MEMORY && c->depth == 0)
		piece.where = LOC_ABSENT;
	if (piece.where == LOC_IN_MEMORY || piece.where == LOC_IS_VALUE) {
		if (!dw_stack_need(c, 1) || (piece.where == LOC_IN_MEMORY && !dw_stack_wrap(c)))
			return false;
		piece.ops = sp_arena_memdup(arena, c->ops.v, c->ops.n * sizeof(*c->ops.v));
		piece.n_ops = c->ops.n;
	}
	sp_vec_push(&c->pieces, piece);
	c->ops.n = 0;
	c->depth = 0;
	c->where = LOC_IN_MEMORY;
	c->known = (struct loc_piece){ 0 };
	return true;
}

static bool implicit_value(struct dw_stack *c, const Dwarf_Op *op)
{
	Dwarf_Block block;

	if (!c->attr || dwarf_getlocation_implicit_value(c->attr, op, &block) != 0 || block.length > 4096)
		return dw_stack_broken(c, "its constant value cannot be read");
	c->where = LOC_IS_BYTES;
	c->known.bytes = sp_arena_memdup(c->site->arena, block.data, block.length);
	c->known.n_bytes = (unsigned)block.length;
	return true;
}

static bool operand_die(struct dw_stack *c, const Dwarf_Op *op, Dwarf_Die *ret)
{
	return c->attr && dwarf_getlocation_die(c->attr, op, ret) == 0 && dwarf_tag(ret) != DW_TAG_invalid;
}

// DWARF 5 section 2.6.1.1.4: the pointer was optimised out, but another DIE describes what it would point to.
static bool implicit_pointer(struct dw_stack *c, const Dwarf_Op *op)
{
	struct dw_loc_site site = *c->site;
	const char *why = NULL;
	Dwarf_Die pointee;

	if (!operand_die(c, op, &pointee))
		return dw_stack_broken(c, "what it points to cannot be read");
	if (site.n_pointers++ == MAX_NESTING)
		return dw_stack_broken(c, "its location refers to itself");
	c->known.pointee = dw_loc_of(&site, &pointee, &why);
	if (!c->known.pointee)
		return dw_stack_fail(c, "%s%s", c->site->n_pointers ? "" : "the pointer was optimised out, and what it points to: ",
				     why);
	c->where = LOC_POINTS_TO;
	c->known.pointee_off = (int64_t)op->number2; // libdw reads it unsigned: no compiler points before the object
	return true;
}

// DW_OP_call*: runs the location of another DIE on the same stack.
static bool call(struct dw_stack *c, const Dwarf_Op *op)
{
	Dwarf_Attribute *caller = c->attr, attr;
	Dwarf_Die callee;
	Dwarf_Op *ops;
	size_t n;

	if (!operand_die(c, op, &callee))
		return dw_stack_broken(c, "an expression that its location calls cannot be read");
	if (!dw_attr_place(&callee, DW_AT_location, &attr))
		return true; // DWARF 5 section 2.5.1.5: no effect
	if (dwarf_getlocation_addr(&attr, c->site->pc, &ops, &n, 1) != 1)
		return dw_stack_fail(c, "an expression that its location calls does not hold here");
	if (c->nesting == MAX_NESTING)
		return dw_stack_broken(c, "its location refers to itself");
	c->nesting++;
	c->attr = &attr;
	bool ok = run_ops(c, ops, n);
	c->attr = caller;
	c->nesting--;
	return ok;
}

static bool in_register(struct dw_stack *c, uint64_t reg)
{
	c->where = LOC_IS_VALUE;
	return dw_stack_push_reg(c, reg, 0);
}

// Operations that push a value: constants, addresses, registers plus an offset, the frame.
static bool push_op(struct dw_stack *c, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_addr:
		return emit_address(c, op->number) && dw_stack_push(c, dw_generic);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return dw_stack_push_const(c, (int64_t)op->number);
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		return push_indexed(c, op);
	case DW_OP_bregx:
		return dw_stack_push_reg(c, op->number, (int64_t)op->number2);
	case DW_OP_fbreg:
		if (!push_frame_base(c))
			return false;
		return !op->number || (dw_stack_emit(c, LOC_CONST, (int64_t)op->number) && dw_stack_emit(c, LOC_ADD, 0));
	case DW_OP_call_frame_cfa:
		return push_cfa(c);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(c, op);
	default:
		return dw_stack_op(c, op);
	}
}

// Operations that say what the value on the stack means: the variable's value rather than its address, one piece of the variable,
// a pointer that was optimised out.
static bool describe_op(struct dw_stack *c, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_regx:
		return in_register(c, op->number);
	case DW_OP_stack_value:
		c->where = LOC_IS_VALUE;
		return dw_stack_need(c, 1);
	case DW_OP_implicit_value:
		return implicit_value(c, op);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return implicit_pointer(c, op);
	case DW_OP_GNU_parameter_ref:
		return dw_stack_fail(c, "the compiler has removed the parameter (only the function's callers know it)");
	case DW_OP_piece:
		return end_piece(c, op->number * 8, 0);
	case DW_OP_bit_piece:
		return end_piece(c, op->number, op->number2);
	default:
		return push_op(c, op);
	}
}

static bool run_op(struct dw_stack *c, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return dw_stack_push_const(c, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return in_register(c, op->atom - DW_OP_reg0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return dw_stack_push_reg(c, op->atom - DW_OP_breg0, (int64_t)op->number);
	switch (op->atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_deref:
		return dw_stack_deref(c, c->site->file->abi->word_size, dw_generic);
	case DW_OP_deref_size:
		return dw_stack_deref(c, op->number, dw_generic);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return thread_local(c);
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return dw_stack_typed(c, op);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return dw_stack_convert(c, op);
	case DW_OP_call2:
	case DW_OP_call4:
		return call(c, op);
	default:
		return describe_op(c, op);
	}
}

// ---- branches -------------------------------------------------------------------------------------------------------

// A branch to an operation that has not been reached yet.
struct branch {
	Dwarf_Word target; // offset of that operation
	size_t op; // LOC_BRANCH or LOC_SKIP in c->ops
	struct dw_value_type stack[DW_STACK_MAX];
	unsigned depth;
	int where;
};

struct flow {
	SP_VEC(struct branch) branches;
	bool is_reached; // false: behind a DW_OP_skip, until a branch lands
};

static bool jump(struct dw_stack *c, struct flow *flow, const Dwarf_Op *op)
{
	struct branch branch = { .target = op->offset + 3 + (Dwarf_Word)(int16_t)op->number };
	bool is_skip = op->atom == DW_OP_skip;

	if ((int16_t)op->number < 0)
		return dw_stack_fail(c, "its location has a loop");
	if (!is_skip && (!dw_stack_need(c, 1) || !dw_stack_wrap(c)))
		return false;
	c->depth -= !is_skip;
	dw_stack_emit(c, is_skip ? LOC_SKIP : LOC_BRANCH, 0);
	branch.op = c->ops.n - 1;
	branch.depth = c->depth;
	branch.where = c->where;
	memcpy(branch.stack, c->stack, sizeof(c->stack));
	sp_vec_push(&flow->branches, branch);
	c->n_pending++;
	flow->is_reached = !is_skip;
	return true;
}

// An operation that is reached both from above and by a branch must find the same number of values of the same types each way.
static bool join(struct dw_stack *c, const struct branch *branch)
{
	if (branch->depth != c->depth || branch->where != c->where)
		return dw_stack_fail(c, "the branches of its location leave different stacks");
	for (unsigned i = 0; i < c->depth; i++)
		if (!dw_stack_are_same(branch->stack[i], c->stack[i]))
			return dw_stack_fail(c, "its location chooses between values of two types");
	return true;
}

// Ends the branches that lead to the operation at `offset`, the next one; UINT64_MAX: to the end of the expression.
static bool land(struct dw_stack *c, struct flow *flow, Dwarf_Word offset)
{
	size_t kept = 0;

	for (size_t i = 0; i < flow->branches.n; i++) {
		struct branch *branch = &flow->branches.v[i];

		if (branch->target > offset) {
			flow->branches.v[kept++] = *branch;
			continue;
		}
		if (branch->target < offset && offset != UINT64_MAX)
			return dw_stack_broken(c, "a branch in its location leads into an operation");
		if (flow->is_reached && !join(c, branch))
			return false;
		flow->is_reached = true;
		c->depth = branch->depth;
		c->where = branch->where;
		memcpy(c->stack, branch->stack, sizeof(c->stack));
		c->ops.v[branch->op].a = (int64_t)(c->ops.n - branch->op - 1);
		c->n_pending--;
	}
	flow->branches.n = kept;
	return true;
}

static bool ends_piece(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

// The operation at *i has failed. When it describes one piece of several, that piece alone is lost: *i is moved before its end. False:
// all is lost.
static bool lose_piece(struct dw_stack *c, const struct flow *flow, const Dwarf_Op *ops, size_t n, size_t *i)
{
	size_t end = *i;

	while (end < n && !ends_piece(&ops[end]))
		end++;
	if (end == n || end == *i || flow->branches.n || c->n_pending || c->nesting)
		return false;
	c->known = (struct loc_piece){ .why = c->why };
	c->where = LOC_ABSENT;
	c->ops.n = c->depth = 0;
	c->why = NULL;
	*i = end - 1;
	return true;
}

static bool run_ops(struct dw_stack *c, const Dwarf_Op *ops, size_t n)
{
	struct flow flow = { .is_reached = true };
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		ok = land(c, &flow, ops[i].offset);
		if (!ok || !flow.is_reached)
			continue;
		ok = ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_skip ? jump(c, &flow, &ops[i]) : run_op(c, &ops[i]);
		ok = ok || lose_piece(c, &flow, ops, n, &i);
	}
	ok = ok && land(c, &flow, UINT64_MAX);
	sp_vec_deinit(&flow.branches);
	return ok;
}

const struct loc *dw_expr_compile(const struct dw_loc_site *site, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
				  const char **why_ret)
{
	struct dw_stack c = { .site = site, .attr = attr, .where = LOC_IN_MEMORY };
	const struct loc *loc = NULL;
	bool ok = run_ops(&c, ops, n);

	if (ok && (c.pieces.n == 0 || c.ops.n > 0))
		ok = c.pieces.n ? dw_stack_broken(&c, "its last piece has no size") : end_piece(&c, 0, 0);
	bool somewhere = false;
	const char *why = NULL;
	sp_vec_each(piece, &c.pieces) {
		somewhere |= piece->where != LOC_ABSENT;
		why = why ? why : piece->why;
	}
	if (ok && !somewhere)
		ok = dw_stack_fail(&c, "%s", why ? why : "optimised out");
	if (ok)
		loc = dw_loc_make(site->arena, c.pieces.v, c.pieces.n);
	else
		*why_ret = c.why;
	sp_vec_deinit(&c.ops);
	sp_vec_deinit(&c.pieces);
	return loc;
}
