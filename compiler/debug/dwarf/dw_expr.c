// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_expr.h"

#include "compiler/debug/dwarf/dw_cfi.h"
#include "compiler/debug/dwarf/dw_tls.h"

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_STACK 64
#define MAX_NESTING 8


// DWARF 5 section 2.5.1: each value on the stack has a type. Size 0 is the generic type, an address-sized integer.
struct value_type {
	uint8_t size;
	bool is_signed;
	bool is_float; // which nothing is computed with
};

static const struct value_type generic = { 0 };

struct compiler {
	const struct dw_loc_site *site;
	Dwarf_Attribute *attr; // that the operations come from; NULL: CFI
	SP_VEC(struct loc_op) ops; // of the current piece
	SP_VEC(struct loc_piece) pieces;
	struct value_type stack[MAX_STACK];
	unsigned depth;
	int where; // enum in struct loc_piece, for what is in `ops`
	struct loc_piece known; // of the current piece, where `where` is LOC_IS_BYTES or LOC_POINTS_TO
	unsigned nesting; // of expressions
	unsigned n_pending; // branches whose targets have not come yet
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

// Fails when probes do not see a register: "lives in %xmm0, which probes cannot read".
static bool check_reg(struct compiler *c, uint64_t reg, const char *how, const char *when)
{
	const struct dw_file *file = c->site->file;
	const struct abi_bank *bank = abi_bank_dwarf(file->abi, (int64_t)reg);

	if (abi_reg_dwarf(file->abi, (int)reg) || (bank && bank->offset && file->sees_floats))
		return true;
	if (bank)
		return fail(c, "%s %%%s%d%s, which the kernel's probes cannot read%s", how, bank->name,
			    (int)reg - bank->dwarf, when,
			    bank->offset && !file->is_kernel ? " (those of --engine=user can)" : "");
	return fail(c, "%s DWARF register %llu%s, which probes cannot read", how, (unsigned long long)reg, when);
}

static bool push_reg(struct compiler *c, uint64_t reg, int64_t offset)
{
	if (!check_reg(c, reg, "lives in", ""))
		return false;
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

// The base type that a typed operation names. Only those of up to 8 bytes are known.
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
		*ret = (struct value_type){ .size = size, .is_signed = true };
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_address:
	case DW_ATE_UTF:
		*ret = (struct value_type){ .size = size };
		return true;
	case DW_ATE_float:
		*ret = (struct value_type){ .size = size, .is_float = true };
		return true;
	default:
		return refuse(c, op->atom, " with a type of that encoding");
	}
}

static bool are_same(struct value_type a, struct value_type b)
{
	return a.size == b.size && a.is_signed == b.is_signed && a.is_float == b.is_float;
}

// BPF has no floating point.
static bool check_integer(struct compiler *c, struct value_type type)
{
	return !type.is_float || fail(c, "its location computes with floating point numbers, which is not supported");
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

	if (!check_integer(c, type) || !check_integer(c, other))
		return false;
	if (!is_shift && !are_same(type, other))
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
	return need(c, 1) && check_integer(c, c->stack[c->depth - 1]) && emit(c, kind, 0) &&
	       extend(c, c->stack[c->depth - 1]);
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

// The type of a register that the expression of an entry value names.
static bool entry_type(struct compiler *c, Dwarf_Attribute *attr, const Dwarf_Op *op, struct value_type *ret)
{
	Dwarf_Attribute *outer = c->attr;
	bool ok;

	c->attr = attr;
	ok = base_type(c, op, op->number2, ret);
	c->attr = outer;
	return ok;
}

// The value that a register had when the function was entered. Other entry values (memory at the entry) are gone.
static bool push_entry_value(struct compiler *c, const Dwarf_Op *op)
{
	struct value_type type = generic;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!c->attr || dwarf_getlocation_attr(c->attr, op, &attr) != 0 || dwarf_getlocation(&attr, &ops, &n) != 0)
		return fail(c, "an entry value in its location cannot be read (broken debug information)");
	bool is_typed = n == 1 && (ops[0].atom == DW_OP_regval_type || ops[0].atom == DW_OP_GNU_regval_type);
	uint64_t reg;
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		reg = ops[0].atom - DW_OP_reg0;
	else if (is_typed || (n == 1 && ops[0].atom == DW_OP_regx))
		reg = ops[0].number;
	else
		return fail(c, "DW_OP_entry_value of something else than a register is not supported");
	if (is_typed && !entry_type(c, &attr, &ops[0], &type))
		return false;
	return check_reg(c, reg, "depends on", " at the entry") &&
	       emit(c, c->site->at_entry ? LOC_REG : LOC_ENTRY_REG, (int64_t)reg) && push(c, type) && extend(c, type);
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

// On the stack is an offset in the file's block of thread-local variables.
static bool thread_local(struct compiler *c)
{
	struct loc_op ops[DW_TLS_MAX_OPS];
	const char *why;
	unsigned n;

	if (!need(c, 1))
		return false;
	n = dw_tls_block(c->site->file, ops, &why);
	for (unsigned i = 0; i < n; i++)
		sp_vec_push(&c->ops, ops[i]);
	return n ? emit(c, LOC_ADD, 0) : fail(c, "%s", why);
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
	bool keeps_bits = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
	struct value_type type;

	if (!need(c, 1) || !base_type(c, op, op->number, &type))
		return false;
	keeps_bits |= are_same(type, c->stack[c->depth - 1]);
	if (!keeps_bits && (!check_integer(c, type) || !check_integer(c, c->stack[c->depth - 1])))
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
	struct loc_piece piece = c->known;

	piece.where = c->where;
	piece.bit_size = bit_size;
	piece.bit_off = bit_off;
	if (c->n_pending)
		return fail(c, "a branch in its location leads from one piece to another (broken debug information)");
	if (bit_size > UINT32_MAX || bit_off > UINT32_MAX)
		return fail(c, "its location has a piece of %llu bits", (unsigned long long)bit_size);
	if (piece.where == LOC_IN_MEMORY && c->depth == 0)
		piece.where = LOC_ABSENT;
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
	c->known = (struct loc_piece){ 0 };
	return true;
}

static bool implicit_value(struct compiler *c, const Dwarf_Op *op)
{
	Dwarf_Block block;

	if (!c->attr || dwarf_getlocation_implicit_value(c->attr, op, &block) != 0 || block.length > 4096)
		return fail(c, "its constant value cannot be read (broken debug information)");
	c->where = LOC_IS_BYTES;
	c->known.bytes = sp_arena_memdup(&c->site->file->arena, block.data, block.length);
	c->known.n_bytes = (unsigned)block.length;
	return true;
}

static bool operand_die(struct compiler *c, const Dwarf_Op *op, Dwarf_Die *ret)
{
	return c->attr && dwarf_getlocation_die(c->attr, op, ret) == 0 && dwarf_tag(ret) != DW_TAG_invalid;
}

// DWARF 5 section 2.6.1.1.4: there is no pointer, but what it would point to is described by another DIE.
static bool implicit_pointer(struct compiler *c, const Dwarf_Op *op)
{
	struct dw_loc_site site = *c->site;
	const char *why = NULL;
	Dwarf_Die pointee;

	if (!operand_die(c, op, &pointee))
		return fail(c, "what it points to cannot be read (broken debug information)");
	if (site.n_pointers++ == MAX_NESTING)
		return fail(c, "its location refers to itself (broken debug information)");
	c->known.pointee = dw_loc_of(&site, &pointee, &why);
	if (!c->known.pointee)
		return fail(c, "%s%s", c->site->n_pointers ? "" : "the pointer was optimised out, and what it points to: ", why);
	c->where = LOC_POINTS_TO;
	c->known.pointee_off = (int64_t)op->number2; // libdw reads it unsigned: no compiler points before the object
	return true;
}

// Goes on in the location of another DIE, with the same stack.
static bool call(struct compiler *c, const Dwarf_Op *op)
{
	Dwarf_Attribute *caller = c->attr, attr;
	Dwarf_Die callee;
	Dwarf_Op *ops;
	size_t n;

	if (!operand_die(c, op, &callee))
		return fail(c, "an expression that its location calls cannot be read (broken debug information)");
	if (!dwarf_attr_integrate(&callee, DW_AT_location, &attr))
		return true; // DWARF 5 section 2.5.1.5: no effect
	if (dwarf_getlocation_addr(&attr, c->site->pc, &ops, &n, 1) != 1)
		return fail(c, "an expression that its location calls does not hold here");
	if (c->nesting == MAX_NESTING)
		return fail(c, "its location refers to itself (broken debug information)");
	c->nesting++;
	c->attr = &attr;
	bool ok = run_ops(c, ops, n);
	c->attr = caller;
	c->nesting--;
	return ok;
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
		return thread_local(c);
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
		return implicit_pointer(c, op);
	case DW_OP_call2:
	case DW_OP_call4:
		return call(c, op);
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

// ---- branches -------------------------------------------------------------------------------------------------------

// A branch on its way to an operation further on.
struct branch {
	Dwarf_Word target; // offset of that operation
	size_t op; // LOC_BRANCH or LOC_SKIP in c->ops
	struct value_type stack[MAX_STACK];
	unsigned depth;
	int where;
};

struct flow {
	SP_VEC(struct branch) branches;
	bool is_reached; // can what comes next be reached?
};

static bool jump(struct compiler *c, struct flow *flow, const Dwarf_Op *op)
{
	struct branch branch = { .target = op->offset + 3 + (Dwarf_Word)(int16_t)op->number };
	bool is_skip = op->atom == DW_OP_skip;

	if ((int16_t)op->number < 0)
		return fail(c, "its location has a loop");
	if (!is_skip && !need(c, 1))
		return false;
	c->depth -= !is_skip;
	emit(c, is_skip ? LOC_SKIP : LOC_BRANCH, 0);
	branch.op = c->ops.n - 1;
	branch.depth = c->depth;
	branch.where = c->where;
	memcpy(branch.stack, c->stack, sizeof(c->stack));
	sp_vec_push(&flow->branches, branch);
	c->n_pending++;
	flow->is_reached = !is_skip;
	return true;
}

// Whichever way an operation is reached, it must find the same number of values of the same types.
static bool join(struct compiler *c, const struct branch *branch)
{
	if (branch->depth != c->depth || branch->where != c->where)
		return fail(c, "the branches of its location leave different stacks");
	for (unsigned i = 0; i < c->depth; i++)
		if (!are_same(branch->stack[i], c->stack[i]))
			return fail(c, "its location chooses between values of two types");
	return true;
}

// The branches that lead to the operation at `offset`; UINT64_MAX: to the end.
static bool land(struct compiler *c, struct flow *flow, Dwarf_Word offset)
{
	size_t kept = 0;

	for (size_t i = 0; i < flow->branches.n; i++) {
		struct branch *branch = &flow->branches.v[i];

		if (branch->target > offset) {
			flow->branches.v[kept++] = *branch;
			continue;
		}
		if (branch->target < offset && offset != UINT64_MAX)
			return fail(c, "a branch in its location leads into an operation (broken debug information)");
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

static bool run_ops(struct compiler *c, const Dwarf_Op *ops, size_t n)
{
	struct flow flow = { .is_reached = true };
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		ok = land(c, &flow, ops[i].offset);
		if (!ok || !flow.is_reached)
			continue;
		ok = ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_skip ? jump(c, &flow, &ops[i]) :
									       run_op(c, &ops[i]);
	}
	ok = ok && land(c, &flow, UINT64_MAX);
	sp_vec_deinit(&flow.branches);
	return ok;
}

const struct loc *dw_expr_compile(const struct dw_loc_site *site, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
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
		loc = dw_loc_make(&site->file->arena, c.pieces.v, c.pieces.n);
	else
		*why_ret = c.why;
	sp_vec_deinit(&c.ops);
	sp_vec_deinit(&c.pieces);
	return loc;
}
