// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_stack.h"

#include "runtime/base/buf.h"

#include <dwarf.h>

const struct dw_value_type dw_generic = { 0 };

bool dw_stack_fail(struct dw_stack *c, const char *fmt, ...)
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

bool dw_stack_broken(struct dw_stack *c, const char *what)
{
	return dw_stack_fail(c, "%s (broken debug information)", what);
}

bool dw_stack_emit(struct dw_stack *c, enum loc_op_kind kind, int64_t a)
{
	sp_vec_push(&c->ops, ((struct loc_op){ .kind = kind, .a = a }));
	return true;
}

bool dw_stack_push(struct dw_stack *c, struct dw_value_type type)
{
	if (c->depth == DW_STACK_MAX)
		return dw_stack_fail(c, "its location needs a deeper stack than %d values", DW_STACK_MAX);
	c->stack[c->depth++] = type;
	return true;
}

bool dw_stack_need(struct dw_stack *c, unsigned n)
{
	return c->depth >= n || dw_stack_broken(c, "its location takes more values than there are");
}

bool dw_stack_push_const(struct dw_stack *c, int64_t value)
{
	return dw_stack_emit(c, LOC_CONST, value) && dw_stack_push(c, dw_generic);
}

bool dw_stack_push_reg(struct dw_stack *c, uint64_t reg, int64_t offset)
{
	if (!dw_stack_emit(c, LOC_REG, (int64_t)reg) || !dw_stack_push(c, dw_generic))
		return false;
	if (offset)
		return dw_stack_emit(c, LOC_CONST, offset) && dw_stack_emit(c, LOC_ADD, 0);
	return true;
}

bool dw_stack_extend(struct dw_stack *c, struct dw_value_type type)
{
	if (type.size == 0 || type.size >= 8)
		return true;
	return dw_stack_emit(c, type.is_signed ? LOC_SEXT : LOC_ZEXT, type.size);
}

static const char *op_name(unsigned atom)
{
	switch (atom) {
	case DW_OP_xderef: return "DW_OP_xderef";
	case DW_OP_xderef_size: return "DW_OP_xderef_size";
	case DW_OP_xderef_type: return "DW_OP_xderef_type";
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

static bool refuse(struct dw_stack *c, unsigned atom, const char *what)
{
	const char *name = op_name(atom);

	if (!name)
		return dw_stack_fail(c, "DWARF operation 0x%x is not supported", atom);
	return dw_stack_fail(c, "%s%s is not supported", name, what);
}

bool dw_stack_base_type(struct dw_stack *c, const Dwarf_Op *op, Dwarf_Word die_off, struct dw_value_type *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding, size;
	Dwarf_Die die;

	if (die_off == 0) {
		*ret = dw_generic;
		return true;
	}
	if (!c->attr || dwarf_getlocation_die(c->attr, op, &die) != 0)
		return dw_stack_broken(c, "a base type in its location cannot be read");
	if (!dwarf_attr(&die, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding) != 0 ||
	    !dwarf_attr(&die, DW_AT_byte_size, &attr) || dwarf_formudata(&attr, &size) != 0)
		return dw_stack_broken(c, "a base type in its location cannot be read");
	if (size == 0 || size > 8)
		return refuse(c, op->atom, " with a type of more than 8 bytes");
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		*ret = (struct dw_value_type){ .size = size, .is_signed = true };
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_address:
	case DW_ATE_UTF:
		*ret = (struct dw_value_type){ .size = size };
		return true;
	case DW_ATE_float:
		*ret = (struct dw_value_type){ .size = size, .is_float = true };
		return true;
	default:
		return refuse(c, op->atom, " with a type of that encoding");
	}
}

bool dw_stack_are_same(struct dw_value_type a, struct dw_value_type b)
{
	return a.size == b.size && a.is_signed == b.is_signed && a.is_float == b.is_float;
}

// Refuses to compute with floating point numbers, which BPF does not have.
static bool check_integer(struct dw_stack *c, struct dw_value_type type)
{
	return !type.is_float || dw_stack_fail(c, "its location computes with floating point numbers, which is not supported");
}

// Applies an operation to the value under the top.
static bool emit_below(struct dw_stack *c, enum loc_op_kind kind, int64_t a)
{
	return dw_stack_emit(c, LOC_SWAP, 0) && dw_stack_emit(c, kind, a) && dw_stack_emit(c, LOC_SWAP, 0);
}

// Turns the order of unsigned 64-bit values into that of signed ones, for both operands.
static bool emit_bias(struct dw_stack *c)
{
	for (int i = 0; i < 2; i++)
		if (!dw_stack_emit(c, LOC_CONST, INT64_MIN) || !dw_stack_emit(c, LOC_XOR, 0) || !dw_stack_emit(c, LOC_SWAP, 0))
			return false;
	return true;
}

static bool is_short(const struct dw_stack *c, struct dw_value_type type)
{
	return !type.size && c->site->file->abi->word_size == 4;
}

// In a 32-bit file the generic type has 32 bits. Whatever the upper bits of its values are does not matter to sums and the like;
// before an operation that asks for them they are made what they ought to be.
static bool narrow(struct dw_stack *c, enum loc_op_kind kind)
{
	bool is_unsigned = kind == LOC_UMOD || kind == LOC_EQ || kind == LOC_NE;
	bool asks = is_unsigned || kind == LOC_DIV || kind == LOC_UDIV || kind == LOC_SMOD || (kind >= LOC_LT && kind <= LOC_GE);

	if (kind == LOC_SHR || kind == LOC_SHRA)
		return emit_below(c, kind == LOC_SHR ? LOC_ZEXT : LOC_SEXT, 4);
	kind = is_unsigned ? LOC_ZEXT : LOC_SEXT;
	return !asks || (dw_stack_emit(c, kind, 4) && emit_below(c, kind, 4));
}

bool dw_stack_wrap(struct dw_stack *c)
{
	if (c->site->file->abi->word_size != 4)
		return true;
	sp_vec_each(op, &c->ops) {
		bool is_plain = op->kind == LOC_REG || op->kind == LOC_ENTRY_REG || op->kind == LOC_ADD || op->kind == LOC_ADDR ||
				op->kind == LOC_DEREF || (op->kind == LOC_CONST && op->a == (int32_t)op->a);

		if (!is_plain)
			return dw_stack_emit(c, LOC_ZEXT, 4);
	}
	return true;
}

// Translates an operation on two values. Location programs compute with 64 bits, and values of smaller types are extended, so the
// type decides only where the upper bits matter: division, remainder, order, shifts to the right. The generic type divides and
// compares as a signed one, but its remainder is unsigned (DWARF 5 section 2.5.1.4).
static bool binary(struct dw_stack *c, enum loc_op_kind kind)
{
	if (!dw_stack_need(c, 2))
		return false;
	struct dw_value_type type = c->stack[c->depth - 2], other = c->stack[c->depth - 1];
	bool is_shift = kind == LOC_SHL || kind == LOC_SHR || kind == LOC_SHRA;
	bool is_u64 = type.size == 8 && !type.is_signed, is_small = type.size && type.size < 8;

	if (!check_integer(c, type) || !check_integer(c, other))
		return false;
	if (!is_shift && !dw_stack_are_same(type, other))
		return dw_stack_broken(c, "its location computes with values of two types");
	if (is_short(c, type) && !narrow(c, kind))
		return false;
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
		c->stack[c->depth - 1] = dw_generic;
	return dw_stack_emit(c, kind, 0) && dw_stack_extend(c, c->stack[c->depth - 1]);
}

static bool unary(struct dw_stack *c, enum loc_op_kind kind)
{
	return dw_stack_need(c, 1) && check_integer(c, c->stack[c->depth - 1]) &&
	       (kind != LOC_ABS || !is_short(c, c->stack[c->depth - 1]) || dw_stack_emit(c, LOC_SEXT, 4)) && dw_stack_emit(c, kind, 0) &&
	       dw_stack_extend(c, c->stack[c->depth - 1]);
}

bool dw_stack_deref(struct dw_stack *c, uint64_t size, struct dw_value_type type)
{
	if (!dw_stack_need(c, 1) || !dw_stack_wrap(c))
		return false;
	if (size == 0 || size > 8)
		return dw_stack_fail(c, "its location reads %llu bytes at once", (unsigned long long)size);
	c->stack[c->depth - 1] = type;
	if (!dw_stack_emit(c, LOC_DEREF, (int64_t)size))
		return false;
	return !type.is_signed || dw_stack_extend(c, type);
}

static bool push_const_type(struct dw_stack *c, const Dwarf_Op *op)
{
	struct dw_value_type type;
	Dwarf_Attribute attr;
	Dwarf_Block block;
	int64_t value = 0;

	if (!dw_stack_base_type(c, op, op->number, &type))
		return false;
	if (dwarf_getlocation_attr(c->attr, op, &attr) != 0 || dwarf_formblock(&attr, &block) != 0 ||
	    block.length > 8)
		return dw_stack_broken(c, "a constant in its location cannot be read");
	memcpy(&value, block.data, block.length);
	return dw_stack_emit(c, LOC_CONST, value) && dw_stack_push(c, type) && dw_stack_extend(c, type);
}

bool dw_stack_convert(struct dw_stack *c, const Dwarf_Op *op)
{
	bool keeps_bits = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
	struct dw_value_type type;

	if (!dw_stack_need(c, 1) || !dw_stack_base_type(c, op, op->number, &type))
		return false;
	keeps_bits |= dw_stack_are_same(type, c->stack[c->depth - 1]);
	if (!keeps_bits && (!check_integer(c, type) || !check_integer(c, c->stack[c->depth - 1])))
		return false;
	if (is_short(c, c->stack[c->depth - 1]) && type.size > 4 && !dw_stack_emit(c, LOC_ZEXT, 4))
		return false;
	c->stack[c->depth - 1] = type;
	return dw_stack_extend(c, type);
}

bool dw_stack_typed(struct dw_stack *c, const Dwarf_Op *op)
{
	struct dw_value_type type;

	if (op->atom == DW_OP_const_type || op->atom == DW_OP_GNU_const_type)
		return push_const_type(c, op);
	if (op->atom == DW_OP_deref_type || op->atom == DW_OP_GNU_deref_type)
		return dw_stack_base_type(c, op, op->number2, &type) && dw_stack_deref(c, op->number, type);
	if (!dw_stack_base_type(c, op, op->number2, &type) || !dw_stack_push_reg(c, op->number, 0))
		return false;
	c->stack[c->depth - 1] = type;
	return dw_stack_extend(c, type);
}

static bool stack_op(struct dw_stack *c, const Dwarf_Op *op)
{
	struct dw_value_type *top;
	unsigned n;

	switch (op->atom) {
	case DW_OP_dup:
		return dw_stack_need(c, 1) && dw_stack_emit(c, LOC_DUP, 0) && dw_stack_push(c, c->stack[c->depth - 1]);
	case DW_OP_drop:
		return dw_stack_need(c, 1) && dw_stack_emit(c, LOC_DROP, 0) && (c->depth--, true);
	case DW_OP_over:
	case DW_OP_pick:
		n = op->atom == DW_OP_over ? 1 : op->number;
		return dw_stack_need(c, n + 1) && dw_stack_emit(c, LOC_PICK, n) && dw_stack_push(c, c->stack[c->depth - 1 - n]);
	case DW_OP_swap:
		if (!dw_stack_need(c, 2))
			return false;
		top = &c->stack[c->depth - 1];
		struct dw_value_type second = top[-1];
		top[-1] = top[0];
		top[0] = second;
		return dw_stack_emit(c, LOC_SWAP, 0);
	case DW_OP_rot:
		if (!dw_stack_need(c, 3))
			return false;
		top = &c->stack[c->depth - 1];
		struct dw_value_type first = top[0];
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = first;
		return dw_stack_emit(c, LOC_ROT, 0);
	default:
		return refuse(c, op->atom, "");
	}
}

bool dw_stack_op(struct dw_stack *c, const Dwarf_Op *op)
{
	static const struct {
		uint8_t atom;
		enum loc_op_kind kind;
	} of_two[] = {
		{ DW_OP_plus, LOC_ADD }, { DW_OP_minus, LOC_SUB }, { DW_OP_mul, LOC_MUL }, { DW_OP_div, LOC_DIV },
		{ DW_OP_mod, LOC_UMOD }, { DW_OP_and, LOC_AND }, { DW_OP_or, LOC_OR }, { DW_OP_xor, LOC_XOR },
		{ DW_OP_shl, LOC_SHL }, { DW_OP_shr, LOC_SHR }, { DW_OP_shra, LOC_SHRA },
		{ DW_OP_eq, LOC_EQ }, { DW_OP_ne, LOC_NE }, { DW_OP_lt, LOC_LT }, { DW_OP_le, LOC_LE },
		{ DW_OP_gt, LOC_GT }, { DW_OP_ge, LOC_GE },
	}, of_one[] = {
		{ DW_OP_neg, LOC_NEG }, { DW_OP_not, LOC_NOT }, { DW_OP_abs, LOC_ABS },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(of_two); i++)
		if (of_two[i].atom == op->atom)
			return binary(c, of_two[i].kind);
	for (size_t i = 0; i < SP_ARRAY_SIZE(of_one); i++)
		if (of_one[i].atom == op->atom)
			return unary(c, of_one[i].kind);
	if (op->atom == DW_OP_plus_uconst)
		return dw_stack_need(c, 1) && dw_stack_emit(c, LOC_CONST, (int64_t)op->number) && dw_stack_emit(c, LOC_ADD, 0) &&
		       dw_stack_extend(c, c->stack[c->depth - 1]);
	return stack_op(c, op);
}
