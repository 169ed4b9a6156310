// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_access.h"

struct ir_expr *access_cannot(struct access *a, const char *why)
{
	if (!a->failed && !a->is_quiet)
		lower_bug(a->l, a->span, why);
	a->failed = true;
	return ir_const(a->l->unit, 0);
}

struct ir_expr *access_binary(struct access *a, enum ir_expr_op op, struct ir_expr *x,
			      struct ir_expr *y)
{
	return ir_binary(a->l->unit, op, x, y, IR_NO_PLACE);
}

struct ir_expr *access_context(struct access *a, uint32_t offset, unsigned size, bool is_signed)
{
	struct ir_expr *e = ir_expr_new(a->l->unit, IR_CTX, IR_LONG, IR_NO_PLACE);

	e->offset = offset;
	e->size = (uint8_t)size;
	e->is_signed = is_signed;
	return e;
}

struct ir_expr *access_add(struct access *a, struct ir_expr *address, int64_t bytes)
{
	if (address->op == IR_CTX && !address->size)
		return access_context(a, (uint32_t)(address->offset + bytes), 0, false);
	return access_binary(a, IR_ADD, address, ir_const(a->l->unit, bytes));
}

// Keeps a value that is used several times in a temporary; a register is as cheap to read again.
struct ir_expr *access_shared(struct access *a, struct ir_expr *e)
{
	return e->op == IR_CTX ? e : lower_keep(a->l, e);
}

// ---- bits ---------------------------------------------------------------------------------------

struct ir_expr *access_extract(struct access *a, struct ir_expr *e, unsigned bit, unsigned n,
			       bool is_signed)
{
	struct ir_expr *r;

	if (n >= 64)
		return e;
	if ((e->op == IR_CTX || e->op == IR_REG || e->op == IR_LOAD) && !bit && e->size * 8u == n &&
	    e->is_signed == is_signed)
		return e;
	if (bit)
		e = access_binary(a, is_signed && bit + n == 64 ? IR_SHR : IR_USHR, e,
			   ir_const(a->l->unit, bit));
	if (bit + n == 64)
		return e;
	r = ir_expr_new(a->l->unit, is_signed ? IR_SEXT : IR_ZEXT, IR_LONG, IR_NO_PLACE);
	r->bits = n;
	r->a = e;
	return r;
}

static struct ir_expr *load(struct access *a, struct ir_expr *address, unsigned size, bool is_signed)
{
	struct ir_expr *e;

	if (address->op == IR_CTX && !address->size && address->offset % size == 0)
		return access_context(a, (uint32_t)address->offset, size, is_signed);
	e = ir_expr_new(a->l->unit, IR_LOAD, IR_LONG, a->place);
	e->a = address;
	e->size = (uint8_t)size;
	e->is_signed = is_signed;
	e->space = a->space;
	e->b = a->is_soft ? ir_const(a->l->unit, 0) : NULL;
	return e;
}

struct ir_expr *access_load_bytes(struct access *a, struct ir_expr *address, unsigned n)
{
	struct ir_expr *all = NULL;

	if (access_is_size(n))
		return load(a, address, n, false);
	address = access_shared(a, address);
	for (unsigned done = 0, size; done < n; done += size) {
		struct ir_expr *part;
		size = n - done >= 4 ? 4 : n - done >= 2 ? 2 : 1;
		part = load(a, access_add(a, address, done), size, false);
		if (done)
			part = access_binary(a, IR_SHL, part, ir_const(a->l->unit, done * 8));
		all = all ? access_binary(a, IR_OR, all, part) : part;
	}
	return all;
}

struct ir_expr *access_load_bits(struct access *a, struct ir_expr *address, uint64_t bit,
				 unsigned n, bool is_signed)
{
	unsigned shift = bit % 8, bytes = (shift + n + 7) / 8;

	address = access_add(a, address, (int64_t)(bit / 8));
	if (!shift && n % 8 == 0 && access_is_size(n / 8))
		return load(a, address, n / 8, is_signed);
	if (bytes > 8)
		return access_cannot(a, "the bit-field spreads over two storage units");
	return access_extract(a, access_load_bytes(a, address, bytes), shift, n, is_signed);
}
