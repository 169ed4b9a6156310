// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dw_loc.h"

#include "compiler/debug/dw_cfi.h"

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_STACK 64
#define MAX_NESTING 8
#define MAX_RANGES 4 // shown to people

// DWARF 5 section 2.5.1: each value on the stack has a type. Size 0 is the generic type, an address-sized integer.
struct value_type {
	uint8_t size;
	bool is_signed;
};

static const struct value_type generic = { 0, false };

struct compiler {
	const struct dw_loc_site *site;
	Dwarf_Attribute *attr; // that the operations come from; NULL: CFI
	SP_VEC(struct loc_op) ops; // of the current piece
	SP_VEC(struct loc_piece) pieces;
	struct value_type stack[MAX_STACK];
	unsigned depth;
	int where; // enum in struct loc_piece, for what is in `ops`
	const uint8_t *bytes; // LOC_IS_BYTES
	unsigned n_bytes;
	unsigned nesting; // of expressions
	const char *why; // set: given up
};

static bool fail(struct compiler *c, const char *fmt, ...) SP_PRINTF(2, 3);

static bool fail(struct compiler *c, const char *fmt, ...)
{
	struct sp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	if (!c->why)
		c->why = sp_arena_strdup(&c->site->file->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return false;
}

static bool emit(struct compiler *c, enum loc_op_kind kind, int64_t a)
{
	sp_vec_push(&c->ops, ((struct loc_op){ .kind = kind, .a = a }));
	return true;
}

static bool push(struct compiler *c, struct value_type type)
{
	if (c->depth == MAX_STACK)
		return fail(c, "its location needs a deeper stack than %d values", MAX_STACK);
	c->stack[c->depth++] = type;
	return true;
}

static bool need(struct compiler *c, unsigned n)
{
	return c->depth >= n || fail(c, "its location takes more values than there are (broken debug information)");
}

static bool push_const(struct compiler *c, int64_t value)
{
	return emit(c, LOC_CONST, value) && push(c, generic);
}

static bool push_reg(struct compiler *c, uint64_t reg, int64_t offset)
{
	if (!abi_reg_dwarf(c->site->file->abi, (int)reg))
		return fail(c, "lives in DWARF register %llu, which probes cannot read", (unsigned long long)reg);
	if (!emit(c, LOC_REG, (int64_t)reg) || !push(c, generic))
		return false;
	if (offset)
		return emit(c, LOC_CONST, offset) && emit(c, LOC_ADD, 0);
	return true;
}

// Keeps the invariant that a value of a type smaller than 64 bits is always extended.
static bool extend(struct compiler *c, struct value_type type)
{
	if (type.size == 0 || type.size >= 8)
		return true;
	return emit(c, type.is_signed ? LOC_SEXT : LOC_ZEXT, type.size);
}

static const char *op_name(unsigned atom)
{
	switch (atom) {
	case DW_OP_xderef: return "DW_OP_xderef";
	case DW_OP_xderef_size: return "DW_OP_xderef_size";
	case DW_OP_xderef_type: return "DW_OP_xderef_type";
	case DW_OP_bra: return "DW_OP_bra";
	case DW_OP_skip: return "DW_OP_skip";
	case DW_OP_call2: return "DW_OP_call2";
	case DW_OP_call4: return "DW_OP_call4";
	case DW_OP_call_ref: return "DW_OP_call_ref";
	case DW_OP_push_object_address: return "DW_OP_push_object_address";
	case DW_OP_GNU_variable_value: return "DW_OP_GNU_variable_value";
	case DW_OP_GNU_encoded_addr: return "DW_OP_GNU_encoded_addr";
	case DW_OP_lt: return "DW_OP_lt";
	case DW_OP_le: return "DW_OP_le";
	case DW_OP_gt: return "DW_OP_gt";
	case DW_OP_ge: return "DW_OP_ge";
	case DW_OP_div: return "DW_OP_div";
	case DW_OP_mod: return "DW_OP_mod";
	case DW_OP_shr: return "DW_OP_shr";
	case DW_OP_shra: return "DW_OP_shra";
	case DW_OP_convert: return "DW_OP_convert";
	case DW_OP_reinterpret: return "DW_OP_reinterpret";
	case DW_OP_const_type: return "DW_OP_const_type";
	case DW_OP_regval_type: return "DW_OP_regval_type";
	case DW_OP_deref_type: return "DW_OP_deref_type";
	default: return NULL;
	}
}

static bool refuse(struct compiler *c, unsigned atom, const char *what)
{
	const char *name = op_name(atom);

	if (!name)
		return fail(c, "DWARF operation 0x%x is not supported", atom);
	return fail(c, "%s%s is not supported", name, what);
}

// The base type that a typed operation names. Only integers of up to 8 bytes can be computed with.
static bool base_type(struct compiler *c, const Dwarf_Op *op, Dwarf_Word die_off, struct value_type *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding, size;
	Dwarf_Die die;

	if (die_off == 0) {
		*ret = generic;
		return true;
	}
	if (!c->attr || dwarf_getlocation_die(c->attr, op, &die) != 0)
		return fail(c, "a base type in its location cannot be read (broken debug information)");
	if (!dwarf_attr(&die, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding) != 0 ||
	    !dwarf_attr(&die, DW_AT_byte_size, &attr) || dwarf_formudata(&attr, &size) != 0)
		return fail(c, "a base type in its location cannot be read (broken debug information)");
	if (size == 0 || size > 8)
		return refuse(c, op->atom, " with a type of more than 8 bytes");
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		*ret = (struct value_type){ size, true };
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_address:
	case DW_ATE_UTF:
		*ret = (struct value_type){ size, false };
		return true;
	default:
		return refuse(c, op->atom, " with a floating-point type");
	}
}

// Applies an operation to the value under the top.
static bool emit_below(struct compiler *c, enum loc_op_kind kind, int64_t a)
{
	return emit(c, LOC_SWAP, 0) && emit(c, kind, a) && emit(c, LOC_SWAP, 0);
}

// Turns the order of unsigned 64-bit values into that of signed ones, for both operands.
static bool emit_bias(struct compiler *c)
{
	for (int i = 0; i < 2; i++)
		if (!emit(c, LOC_CONST, INT64_MIN) || !emit(c, LOC_XOR, 0) || !emit(c, LOC_SWAP, 0))
			return false;
	return true;
}

// Location programs compute with 64 bits; values of smaller types are extended, so the operation depends on their sign
// only where the upper bits matter. The generic type divides and compares signed, but its remainder is unsigned
// (DWARF 5 section 2.5.1.4).
static bool binary(struct compiler *c, enum loc_op_kind kind)
{
	if (!need(c, 2))
		return false;
	struct value_type type = c->stack[c->depth - 2], other = c->stack[c->depth - 1];
	bool is_shift = kind == LOC_SHL || kind == LOC_SHR || kind == LOC_SHRA;
	bool is_u64 = type.size == 8 && !type.is_signed, is_small = type.size && type.size < 8;

	if (!is_shift && (type.size != other.size || type.is_signed != other.is_signed))
		return fail(c, "its location computes with values of two types (broken debug information)");
	if (kind == LOC_DIV && is_u64)
		kind = LOC_UDIV;
	else if (kind == LOC_UMOD && type.is_signed)
		kind = LOC_SMOD;
	else if (kind >= LOC_LT && kind <= LOC_GE && is_u64 && !emit_bias(c))
		return false;
	else if (is_small && kind == LOC_SHR && type.is_signed && !emit_below(c, LOC_ZEXT, type.size))
		return false;
	else if (is_small && kind == LOC_SHRA && !type.is_signed && !emit_below(c, LOC_SEXT, type.size))
		return false;
	c->depth--;
	if (kind >= LOC_EQ && kind <= LOC_GE)
		c->stack[c->depth - 1] = generic;
	return emit(c, kind, 0) && extend(c, c->stack[c->depth - 1]);
}

static bool unary(struct compiler *c, enum loc_op_kind kind)
{
	return need(c, 1) && emit(c, kind, 0) && extend(c, c->stack[c->depth - 1]);
}

static bool deref(struct compiler *c, uint64_t size, struct value_type type)
{
	if (!need(c, 1))
		return false;
	if (size == 0 || size > 8)
		return fail(c, "its location reads %llu bytes at once", (unsigned long long)size);
	c->stack[c->depth - 1] = type;
	if (!emit(c, LOC_DEREF, (int64_t)size))
		return false;
	return !type.is_signed || extend(c, type);
}

static bool run_ops(struct compiler *c, const Dwarf_Op *ops, size_t n);

// Runs another expression whose result is pushed as one value: the frame base, or the CFA.
static bool run_nested(struct compiler *c, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n)
{
	Dwarf_Attribute *outer_attr = c->attr;
	int outer_where = c->where;
	unsigned depth = c->depth;
	bool ok;

	if (c->nesting == MAX_NESTING)
		return fail(c, "its location refers to itself (broken debug information)");
	c->nesting++;
	c->attr = attr;
	ok = run_ops(c, ops, n);
	c->attr = outer_attr;
	c->where = outer_where;
	c->nesting--;
	if (ok && c->depth != depth + 1)
		return fail(c, "its frame base is not one value");
	return ok;
}

static bool push_cfa(struct compiler *c)
{
	const struct abi *abi = c->site->file->abi;
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t n;

	// The ABI says where it is on entry; searching .debug_frame of a kernel takes longer than all else.
	if (c->site->at_entry)
		return push_reg(c, abi->sp_dwarf, abi->return_address_size);
	if (!dw_cfi_frame(c->site->file, c->site->pc, &frame))
		return fail(c, "there is no call frame information for 0x%llx", (unsigned long long)c->site->pc);
	bool ok = dwarf_frame_cfa(frame, &ops, &n) == 0 && n > 0;
	if (ok)
		ok = run_nested(c, NULL, ops, n);
	else
		fail(c, "the call frame information for 0x%llx is broken", (unsigned long long)c->site->pc);
	free(frame);
	return ok;
}

static bool push_frame_base(struct compiler *c)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!c->site->function || !dwarf_attr_integrate(c->site->function, DW_AT_frame_base, &attr))
		return fail(c, "its function has no frame base");
	if (dwarf_getlocation_addr(&attr, c->site->pc, &ops, &n, 1) != 1)
		return fail(c, "its function has no frame base at 0x%llx", (unsigned long long)c->site->pc);
	return run_nested(c, &attr, ops, n);
}

// The value that a register had when the function was entered. Other entry values (memory at the entry) are gone.
static bool push_entry_value(struct compiler *c, const Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!c->attr || dwarf_getlocation_attr(c->attr, op, &attr) != 0 || dwarf_getlocation(&attr, &ops, &n) != 0)
		return fail(c, "an entry value in its location cannot be read (broken debug information)");
	uint64_t reg;
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		reg = ops[0].atom - DW_OP_reg0;
	else if (n == 1 && ops[0].atom == DW_OP_regx)
		reg = ops[0].number;
	else
		return fail(c, "DW_OP_entry_value of something else than a register is not supported");
	if (!abi_reg_dwarf(c->site->file->abi, (int)reg))
		return fail(c, "depends on DWARF register %llu at the entry, which probes cannot read",
			    (unsigned long long)reg);
	return emit(c, c->site->at_entry ? LOC_REG : LOC_ENTRY_REG, (int64_t)reg) && push(c, generic);
}

// The linker has given a kernel module's sections no addresses that mean anything when it is loaded.
struct loc_op dw_loc_address_op(struct dw_file *file, uint64_t addr)
{
	struct loc_op op = { .kind = LOC_ADDR, .a = (int64_t)addr };
	const char *section;
	uint64_t start;

	if (file->ehdr.e_type == ET_REL && (section = dw_file_section_at(file, addr, &start))) {
		op.section = sp_arena_strdup(&file->arena, section);
		op.a = (int64_t)(addr - start);
	}
	return op;
}

static bool emit_address(struct compiler *c, uint64_t addr)
{
	struct loc_op op = dw_loc_address_op(c->site->file, addr);

	if (!emit(c, LOC_ADDR, op.a))
		return false;
	c->ops.v[c->ops.n - 1].section = op.section;
	return true;
}

static bool push_indexed(struct compiler *c, const Dwarf_Op *op)
{
	bool is_addr = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index;
	Dwarf_Attribute attr;
	Dwarf_Addr addr;

	if (!c->attr || dwarf_getlocation_attr(c->attr, op, &attr) != 0 || dwarf_formaddr(&attr, &addr) != 0)
		return fail(c, "an indexed address in its location cannot be read (broken debug information)");
	return (is_addr ? emit_address(c, addr) : emit(c, LOC_CONST, (int64_t)addr)) && push(c, generic);
}

static bool push_const_type(struct compiler *c, const Dwarf_Op *op)
{
	struct value_type type;
	Dwarf_Attribute attr;
	Dwarf_Block block;
	int64_t value = 0;

	if (!base_type(c, op, op->number, &type))
		return false;
	if (dwarf_getlocation_attr(c->attr, op, &attr) != 0 || dwarf_formblock(&attr, &block) != 0 ||
	    block.length > 8)
		return fail(c, "a constant in its location cannot be read (broken debug information)");
	memcpy(&value, block.data, block.length);
	return emit(c, LOC_CONST, value) && push(c, type) && extend(c, type);
}

static bool convert(struct compiler *c, const Dwarf_Op *op)
{
	struct value_type type;

	if (!need(c, 1) || !base_type(c, op, op->number, &type))
		return false;
	c->stack[c->depth - 1] = type;
	return extend(c, type);
}

static bool typed_value(struct compiler *c, const Dwarf_Op *op)
{
	struct value_type type;

	if (op->atom == DW_OP_const_type || op->atom == DW_OP_GNU_const_type)
		return push_const_type(c, op);
	if (op->atom == DW_OP_deref_type || op->atom == DW_OP_GNU_deref_type)
		return base_type(c, op, op->number2, &type) && deref(c, op->number, type);
	if (!base_type(c, op, op->number2, &type) || !push_reg(c, op->number, 0))
		return false;
	c->stack[c->depth - 1] = type;
	return extend(c, type);
}

static bool end_piece(struct compiler *c, uint64_t bit_size, uint64_t bit_off)
{
	struct sp_arena *arena = &c->site->file->arena;
	struct loc_piece piece = { .where = c->where, .bit_size = bit_size, .bit_off = bit_off };

	if (bit_size > UINT32_MAX || bit_off > UINT32_MAX)
		return fail(c, "its location has a piece of %llu bits", (unsigned long long)bit_size);
	if (piece.where == LOC_IN_MEMORY && c->depth == 0)
		piece.where = LOC_ABSENT;
	if (piece.where == LOC_IS_BYTES) {
		piece.bytes = c->bytes;
		piece.n_bytes = c->n_bytes;
	}
	if (piece.where == LOC_IN_MEMORY || piece.where == LOC_IS_VALUE) {
		if (!need(c, 1))
			return false;
		piece.ops = sp_arena_memdup(arena, c->ops.v, c->ops.n * sizeof(*c->ops.v));
		piece.n_ops = c->ops.n;
	}
	sp_vec_push(&c->pieces, piece);
	c->ops.n = 0;
	c->depth = 0;
	c->where = LOC_IN_MEMORY;
	return true;
}

static bool implicit_value(struct compiler *c, const Dwarf_Op *op)
{
	Dwarf_Block block;

	if (!c->attr || dwarf_getlocation_implicit_value(c->attr, op, &block) != 0 || block.length > 4096)
		return fail(c, "its constant value cannot be read (broken debug information)");
	c->where = LOC_IS_BYTES;
	c->bytes = sp_arena_memdup(&c->site->file->arena, block.data, block.length);
	c->n_bytes = block.length;
	return true;
}

static bool in_register(struct compiler *c, uint64_t reg)
{
	c->where = LOC_IS_VALUE;
	return push_reg(c, reg, 0);
}

static bool stack_op(struct compiler *c, const Dwarf_Op *op)
{
	struct value_type *top;
	unsigned n;

	switch (op->atom) {
	case DW_OP_dup:
		return need(c, 1) && emit(c, LOC_DUP, 0) && push(c, c->stack[c->depth - 1]);
	case DW_OP_drop:
		return need(c, 1) && emit(c, LOC_DROP, 0) && (c->depth--, true);
	case DW_OP_over:
	case DW_OP_pick:
		n = op->atom == DW_OP_over ? 1 : op->number;
		return need(c, n + 1) && emit(c, LOC_PICK, n) && push(c, c->stack[c->depth - 1 - n]);
	case DW_OP_swap:
		if (!need(c, 2))
			return false;
		top = &c->stack[c->depth - 1];
		struct value_type second = top[-1];
		top[-1] = top[0];
		top[0] = second;
		return emit(c, LOC_SWAP, 0);
	case DW_OP_rot:
		if (!need(c, 3))
			return false;
		top = &c->stack[c->depth - 1];
		struct value_type first = top[0];
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = first;
		return emit(c, LOC_ROT, 0);
	default:
		return refuse(c, op->atom, "");
	}
}

static bool arithmetic_op(struct compiler *c, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_plus_uconst:
		return need(c, 1) && emit(c, LOC_CONST, (int64_t)op->number) && emit(c, LOC_ADD, 0) &&
		       extend(c, c->stack[c->depth - 1]);
	case DW_OP_plus: return binary(c, LOC_ADD);
	case DW_OP_minus: return binary(c, LOC_SUB);
	case DW_OP_mul: return binary(c, LOC_MUL);
	case DW_OP_div: return binary(c, LOC_DIV);
	case DW_OP_mod: return binary(c, LOC_UMOD);
	case DW_OP_and: return binary(c, LOC_AND);
	case DW_OP_or: return binary(c, LOC_OR);
	case DW_OP_xor: return binary(c, LOC_XOR);
	case DW_OP_shl: return binary(c, LOC_SHL);
	case DW_OP_shr: return binary(c, LOC_SHR);
	case DW_OP_shra: return binary(c, LOC_SHRA);
	case DW_OP_eq: return binary(c, LOC_EQ);
	case DW_OP_ne: return binary(c, LOC_NE);
	case DW_OP_lt: return binary(c, LOC_LT);
	case DW_OP_le: return binary(c, LOC_LE);
	case DW_OP_gt: return binary(c, LOC_GT);
	case DW_OP_ge: return binary(c, LOC_GE);
	case DW_OP_neg: return unary(c, LOC_NEG);
	case DW_OP_not: return unary(c, LOC_NOT);
	case DW_OP_abs: return unary(c, LOC_ABS);
	default: return stack_op(c, op);
	}
}

static bool run_op(struct compiler *c, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_const(c, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return in_register(c, op->atom - DW_OP_reg0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_reg(c, op->atom - DW_OP_breg0, (int64_t)op->number);
	switch (op->atom) {
	case DW_OP_addr:
		return emit_address(c, op->number) && push(c, generic);
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
		return push_const(c, (int64_t)op->number);
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		return push_indexed(c, op);
	case DW_OP_regx:
		return in_register(c, op->number);
	case DW_OP_bregx:
		return push_reg(c, op->number, (int64_t)op->number2);
	case DW_OP_fbreg:
		if (!push_frame_base(c))
			return false;
		return !op->number || (emit(c, LOC_CONST, (int64_t)op->number) && emit(c, LOC_ADD, 0));
	case DW_OP_call_frame_cfa:
		return push_cfa(c);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(c, op);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return need(c, 1) && emit(c, LOC_TLS, 0);
	case DW_OP_deref:
		return deref(c, 8, generic);
	case DW_OP_deref_size:
		return deref(c, op->number, generic);
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return typed_value(c, op);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return convert(c, op);
	case DW_OP_stack_value:
		c->where = LOC_IS_VALUE;
		return need(c, 1);
	case DW_OP_implicit_value:
		return implicit_value(c, op);
	case DW_OP_GNU_parameter_ref:
		return fail(c, "the compiler has removed the parameter (only the function's callers know it)");
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return fail(c, "the pointer was optimised out (only what it points to is left)");
	case DW_OP_piece:
		return end_piece(c, op->number * 8, 0);
	case DW_OP_bit_piece:
		return end_piece(c, op->number, op->number2);
	case DW_OP_nop:
		return true;
	default:
		return arithmetic_op(c, op);
	}
}

// How gcc writes a choice (mem_loc_descriptor of IF_THEN_ELSE, MIN, MAX): with A, B and a condition on the stack,
// DW_OP_bra over a DW_OP_swap, then DW_OP_drop. What is left is A when the condition holds, else B.
static bool is_choice(const Dwarf_Op *ops, size_t n)
{
	return n > 2 && ops[0].atom == DW_OP_bra && ops[1].atom == DW_OP_swap && ops[2].atom == DW_OP_drop &&
	       ops[0].offset + 3 + (Dwarf_Sword)(int16_t)ops[0].number == ops[2].offset;
}

// Location programs have no branches: B ^ ((A ^ B) & mask), with a mask of all bits where the condition is not 0.
static bool choose(struct compiler *c)
{
	static const struct loc_op code[] = {
		{ .kind = LOC_CONST, .a = 0 }, { .kind = LOC_NE }, { .kind = LOC_NEG }, // A B mask
		{ .kind = LOC_ROT }, { .kind = LOC_DUP }, { .kind = LOC_ROT }, // mask B A B
		{ .kind = LOC_XOR }, { .kind = LOC_ROT }, { .kind = LOC_ROT }, // B A^B mask
		{ .kind = LOC_AND }, { .kind = LOC_XOR },
	};

	if (!need(c, 3))
		return false;
	struct value_type a = c->stack[c->depth - 3], b = c->stack[c->depth - 2];
	if (a.size != b.size || a.is_signed != b.is_signed)
		return fail(c, "its location chooses between values of two types");
	for (size_t i = 0; i < SP_ARRAY_SIZE(code); i++)
		emit(c, code[i].kind, code[i].a);
	c->depth -= 2;
	return true;
}

static bool run_ops(struct compiler *c, const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_choice(ops + i, n - i)) {
			if (!choose(c))
				return false;
			i += 2;
		} else if (!run_op(c, &ops[i])) {
			return false;
		}
	}
	return true;
}

static const struct loc *make_loc(struct sp_arena *arena, const struct loc_piece *pieces, size_t n)
{
	struct loc *loc = sp_arena_new(arena, struct loc);

	loc->pieces = sp_arena_memdup(arena, pieces, n * sizeof(*pieces));
	loc->n_pieces = n;
	return loc;
}

static const struct loc *compile(const struct dw_loc_site *site, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
				 const char **why_ret)
{
	struct compiler c = { .site = site, .attr = attr, .where = LOC_IN_MEMORY };
	const struct loc *loc = NULL;
	bool ok = run_ops(&c, ops, n);

	if (ok && (c.pieces.n == 0 || c.ops.n > 0))
		ok = c.pieces.n ? fail(&c, "its last piece has no size (broken debug information)") : end_piece(&c, 0, 0);
	bool somewhere = false;
	sp_vec_each(piece, &c.pieces)
		somewhere |= piece->where != LOC_ABSENT;
	if (ok && !somewhere)
		ok = fail(&c, "optimised out");
	if (ok)
		loc = make_loc(&site->file->arena, c.pieces.v, c.pieces.n);
	else
		*why_ret = c.why;
	sp_vec_deinit(&c.ops);
	sp_vec_deinit(&c.pieces);
	return loc;
}

// "lives in 0x10-0x18, 0x20-0x2c only".
static const char *describe_ranges(struct dw_file *file, Dwarf_Attribute *attr)
{
	struct {
		Dwarf_Addr start, end;
	} ranges[MAX_RANGES];
	unsigned n = 0;
	bool more = false;
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t n_ops;

	for (ptrdiff_t off = 0; (off = dwarf_getlocations(attr, off, &base, &start, &end, &ops, &n_ops)) > 0;) {
		if (start >= end || n_ops == 0)
			continue;
		if (n && ranges[n - 1].end == start) {
			ranges[n - 1].end = end;
			continue;
		}
		if ((more = n == MAX_RANGES))
			break;
		ranges[n].start = start;
		ranges[n++].end = end;
	}
	if (n == 0)
		return "optimised out";
	struct sp_buf text = { 0 };
	sp_buf_puts(&text, "lives in ");
	for (unsigned i = 0; i < n; i++)
		sp_buf_printf(&text, "%s0x%llx-0x%llx", i ? ", " : "", (unsigned long long)ranges[i].start,
			      (unsigned long long)ranges[i].end);
	sp_buf_puts(&text, more ? " and other places only" : " only");
	const char *result = sp_arena_strdup(&file->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return result;
}

static const struct loc *constant(const struct dw_loc_site *site, Dwarf_Attribute *attr, const char **why_ret)
{
	struct sp_arena *arena = &site->file->arena;
	struct loc_piece piece = { .where = LOC_IS_BYTES };
	Dwarf_Sword value;
	Dwarf_Block block;
	const char *string;

	if (dwarf_formblock(attr, &block) == 0) {
		piece.bytes = sp_arena_memdup(arena, block.data, block.length);
		piece.n_bytes = block.length;
	} else if ((string = dwarf_formstring(attr))) {
		piece.bytes = (const uint8_t *)string;
		piece.n_bytes = strlen(string) + 1;
	} else if (dwarf_formsdata(attr, &value) == 0) {
		piece.where = LOC_IS_VALUE;
		piece.ops = sp_arena_new(arena, struct loc_op);
		piece.ops[0] = (struct loc_op){ .kind = LOC_CONST, .a = value };
		piece.n_ops = 1;
	} else {
		*why_ret = "its constant value cannot be read (broken debug information)";
		return NULL;
	}
	return make_loc(arena, &piece, 1);
}

const struct loc *dw_loc_of(const struct dw_loc_site *site, Dwarf_Die *var, const char **why_ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(var, DW_AT_location, &attr)) {
		if (dwarf_attr_integrate(var, DW_AT_const_value, &attr))
			return constant(site, &attr, why_ret);
		*why_ret = "optimised out";
		return NULL;
	}
	switch (dwarf_getlocation_addr(&attr, site->pc, &ops, &n, 1)) {
	case 1:
		if (n > 0)
			return compile(site, &attr, ops, n, why_ret);
		*why_ret = describe_ranges(site->file, &attr);
		return NULL;
	case 0:
		*why_ret = describe_ranges(site->file, &attr);
		return NULL;
	default:
		*why_ret = sp_arena_printf(&site->file->arena, "its location cannot be read: %s", dwarf_errmsg(-1));
		return NULL;
	}
}

const struct loc *dw_loc_address(struct dw_file *file, uint64_t addr)
{
	struct loc_piece piece = { .where = LOC_IN_MEMORY, .n_ops = 1, .ops = sp_arena_new(&file->arena, struct loc_op) };

	piece.ops[0] = dw_loc_address_op(file, addr);
	return make_loc(&file->arena, &piece, 1);
}

static struct loc_piece reg_piece(struct sp_arena *arena, int dwarf_reg)
{
	struct loc_piece piece = { .where = LOC_IS_VALUE, .n_ops = 1, .ops = sp_arena_new(arena, struct loc_op) };

	piece.ops[0] = (struct loc_op){ .kind = LOC_REG, .a = dwarf_reg };
	return piece;
}

const struct loc *dw_loc_reg(struct sp_arena *arena, int dwarf_reg)
{
	struct loc_piece piece = reg_piece(arena, dwarf_reg);
	return make_loc(arena, &piece, 1);
}

const struct loc *dw_loc_at_reg(struct sp_arena *arena, int dwarf_reg)
{
	struct loc_piece piece = reg_piece(arena, dwarf_reg);
	piece.where = LOC_IN_MEMORY;
	return make_loc(arena, &piece, 1);
}

const struct loc *dw_loc_regs(struct sp_arena *arena, const int *dwarf_regs, unsigned n, uint64_t size)
{
	struct loc_piece pieces[8];

	if (n == 1)
		return dw_loc_reg(arena, dwarf_regs[0]);
	for (unsigned i = 0; i < n; i++) {
		pieces[i] = reg_piece(arena, dwarf_regs[i]);
		pieces[i].bit_size = SP_MIN(size - i * 8, 8u) * 8;
	}
	return make_loc(arena, pieces, n);
}

bool dw_loc_is_reg(const struct loc *loc, int dwarf_reg)
{
	return loc && loc->n_pieces == 1 && loc->pieces[0].where == LOC_IS_VALUE && loc->pieces[0].n_ops == 1 &&
	       loc->pieces[0].ops[0].kind == LOC_REG && loc->pieces[0].ops[0].a == dwarf_reg;
}
