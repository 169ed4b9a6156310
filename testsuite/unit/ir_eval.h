// SPDX-License-Identifier: GPL-2.0-or-later
/** Evaluates long expressions of the IR, so that tests can say what they mean and not how they look. Memory and context
 *  are functions of the address: every byte is known, no byte equals its neighbour by chance. */
#ifndef SP_TEST_IR_EVAL_H
#define SP_TEST_IR_EVAL_H

#include "compiler/ir/ir.h"

struct ir_eval {
	int64_t locals[256];
	int64_t fixups[16];
	bool failed; // a division by zero
	unsigned n_loads;
};

static inline uint8_t eval_byte(uint64_t address, unsigned salt)
{
	uint64_t x = (address + salt) * 0x9e3779b97f4a7c15u;

	return (uint8_t)(x >> 29 ^ x >> 51);
}

static inline int64_t eval_read(uint64_t address, unsigned size, bool is_signed, unsigned salt)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)eval_byte(address + i, salt) << (8 * i);
	if (is_signed && size < 8 && value >> (8 * size - 1))
		value |= ~0ull << (8 * size);
	return (int64_t)value;
}

enum { EVAL_CONTEXT = 1, EVAL_KERNEL = 2, EVAL_USER = 3 }; // salts

#define EVAL_CONTEXT_ADDRESS 0x7000000000u

static int64_t eval_long(struct ir_eval *v, const struct ir_expr *e);

static int64_t eval_divide(struct ir_eval *v, enum ir_expr_op op, int64_t a, int64_t b)
{
	if (!b) {
		v->failed = true;
		return 0;
	}
	if (op == IR_UDIV)
		return (int64_t)((uint64_t)a / (uint64_t)b);
	if (op == IR_UMOD)
		return (int64_t)((uint64_t)a % (uint64_t)b);
	if (b == -1)
		return op == IR_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
	return op == IR_DIV ? a / b : a % b;
}

static int64_t eval_binary(struct ir_eval *v, const struct ir_expr *e)
{
	int64_t a = eval_long(v, e->a), b = eval_long(v, e->b);
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch ((int)e->op) {
	case IR_ADD: return (int64_t)(x + y);
	case IR_SUB: return (int64_t)(x - y);
	case IR_MUL: return (int64_t)(x * y);
	case IR_AND: return (int64_t)(x & y);
	case IR_OR: return (int64_t)(x | y);
	case IR_XOR: return (int64_t)(x ^ y);
	case IR_SHL: return (int64_t)(x << (y & 63));
	case IR_SHR: return a >> (y & 63);
	case IR_USHR: return (int64_t)(x >> (y & 63));
	case IR_EQ: return a == b;
	case IR_NE: return a != b;
	case IR_LT: return a < b;
	case IR_LE: return a <= b;
	case IR_GT: return a > b;
	case IR_GE: return a >= b;
	}
	return eval_divide(v, e->op, a, b);
}

static int64_t eval_long(struct ir_eval *v, const struct ir_expr *e)
{
	int64_t a;

	switch ((int)e->op) {
	case IR_CONST:
		return e->value;
	case IR_LOCAL:
		return v->locals[e->local];
	case IR_FIXUP:
		return v->fixups[e->fixup];
	case IR_CTX:
		return e->size ? eval_read((uint64_t)e->offset, e->size, e->is_signed, EVAL_CONTEXT) :
				 (int64_t)EVAL_CONTEXT_ADDRESS + e->offset;
	case IR_LOAD:
		v->n_loads++;
		return eval_read((uint64_t)eval_long(v, e->a), e->size, e->is_signed,
				 e->space == IR_SPACE_USER ? EVAL_USER : EVAL_KERNEL);
	case IR_NEG:
		return (int64_t)(0 - (uint64_t)eval_long(v, e->a));
	case IR_NOT:
		return ~eval_long(v, e->a);
	case IR_COND:
		return eval_long(v, eval_long(v, e->a) ? e->b : e->c);
	case IR_SEXT:
		a = eval_long(v, e->a);
		return (int64_t)((uint64_t)a << (64 - e->bits)) >> (64 - e->bits);
	case IR_ZEXT:
		a = eval_long(v, e->a);
		return (int64_t)((uint64_t)a & ~(~0ull << e->bits));
	case IR_SEQ:
		for (const struct ir_stmt *s = e->stmts; s; s = s->next)
			v->locals[s->local] = eval_long(v, s->a); // a temporary's SET
		return eval_long(v, e->a);
	}
	return eval_binary(v, e);
}

#endif
