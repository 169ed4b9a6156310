// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/value/gen_wide.h"

#include "compiler/gen/core/gen_repeat.h"

#define TOP_WORDS 4 // n times a sum of n squares

LLVMValueRef gen_wide_carry(struct gen *g, LLVMValueRef a, LLVMValueRef b)
{
	return gen_bool(g, LLVMBuildICmp(g->b, LLVMIntULT, a, b, ""));
}

// Adds value << 64 * at.
static void add(struct gen *g, LLVMValueRef *words, unsigned n, LLVMValueRef value, unsigned at)
{
	for (; at < n; at++) {
		words[at] = LLVMBuildAdd(g->b, words[at], value, "");
		value = gen_wide_carry(g, words[at], value);
	}
}

// From halves.
void gen_wide_add_product(struct gen *g, LLVMValueRef *words, unsigned n, LLVMValueRef x, LLVMValueRef y, unsigned at)
{
	LLVMValueRef mask = gen_i64(g, UINT32_MAX), half = gen_i64(g, 32), middle, cross, high;
	LLVMValueRef xl = LLVMBuildAnd(g->b, x, mask, ""), xh = LLVMBuildLShr(g->b, x, half, "");
	LLVMValueRef yl = LLVMBuildAnd(g->b, y, mask, ""), yh = LLVMBuildLShr(g->b, y, half, "");
	LLVMValueRef low = LLVMBuildMul(g->b, xl, yl, "");

	middle = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, xh, yl, ""), LLVMBuildLShr(g->b, low, half, ""), "");
	cross = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, xl, yh, ""), LLVMBuildAnd(g->b, middle, mask, ""), "");
	high = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, xh, yh, ""), LLVMBuildLShr(g->b, middle, half, ""), "");
	high = LLVMBuildAdd(g->b, high, LLVMBuildLShr(g->b, cross, half, ""), "");
	low = LLVMBuildOr(g->b, LLVMBuildShl(g->b, cross, half, ""), LLVMBuildAnd(g->b, low, mask, ""), "");
	add(g, words, n, low, at);
	add(g, words, n, high, at + 1);
}

// a -= b
static void subtract(struct gen *g, LLVMValueRef *a, const LLVMValueRef *b, unsigned n)
{
	LLVMValueRef borrow = gen_i64(g, 0);

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef first = gen_wide_carry(g, a[i], b[i]), rest = LLVMBuildSub(g->b, a[i], b[i], ""), second;

		second = gen_wide_carry(g, rest, borrow);
		a[i] = LLVMBuildSub(g->b, rest, borrow, "");
		borrow = LLVMBuildOr(g->b, first, second, "");
	}
}

// a <<= 1, with `low` as the new lowest bit. Gives the bit that falls out.
static LLVMValueRef shift(struct gen *g, LLVMValueRef *a, unsigned n, LLVMValueRef low)
{
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef top = LLVMBuildLShr(g->b, a[i], gen_i64(g, 63), "");

		a[i] = LLVMBuildOr(g->b, LLVMBuildShl(g->b, a[i], gen_i64(g, 1), ""), low, "");
		low = top;
	}
	return low;
}

// ---- division, bit by bit -----------------------------------------------------------------------

// In memory: the dividend, the rest, the quotient.
enum { REST = TOP_WORDS, QUOTIENT = REST + 2, N_WORDS };
_Static_assert(N_WORDS * 8 == GEN_WIDE_VARIANCE_SIZE, "memory of a division");

static LLVMValueRef divide_bit(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const LLVMValueRef *divisor = live + 1;
	LLVMValueRef words[N_WORDS], part[2], is_less, fits, over, quotient;

	(void)arg;
	(void)index;
	for (unsigned i = 0; i < N_WORDS; i++)
		words[i] = gen_load(g, gen_at(g, live[0], i * 8ull));
	shift(g, words + REST, 2, shift(g, words, TOP_WORDS, gen_i64(g, 0)));
	is_less = LLVMBuildAnd(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, words[REST + 1], divisor[1], ""),
			       LLVMBuildICmp(g->b, LLVMIntULT, words[REST], divisor[0], ""), "");
	is_less = LLVMBuildOr(g->b, is_less, LLVMBuildICmp(g->b, LLVMIntULT, words[REST + 1], divisor[1], ""), "");
	fits = LLVMBuildSub(g->b, gen_i64(g, 1), gen_bool(g, is_less), "");
	for (unsigned i = 0; i < 2; i++)
		part[i] = LLVMBuildAnd(g->b, divisor[i], LLVMBuildNeg(g->b, fits, ""), "");
	subtract(g, words + REST, part, 2);
	over = LLVMBuildICmp(g->b, LLVMIntUGT, words[QUOTIENT], gen_i64(g, INT64_MAX >> 1), "");
	quotient = LLVMBuildOr(g->b, LLVMBuildShl(g->b, words[QUOTIENT], gen_i64(g, 1), ""), fits, "");
	words[QUOTIENT] = LLVMBuildSelect(g->b, over, gen_i64(g, INT64_MAX), quotient, "");
	for (unsigned i = 0; i < N_WORDS; i++)
		gen_store(g, words[i], gen_at(g, live[0], i * 8ull));
	return LLVMConstInt(g->i1, 1, false);
}

// At most INT64_MAX. The divisor is below 2^127.
static LLVMValueRef divide(struct gen *g, const LLVMValueRef *dividend, const LLVMValueRef *divisor, LLVMValueRef work)
{
	struct gen_repeat r = { .name = "spile_divide", .trips = TOP_WORDS * 64, .n_live = 3, .body = divide_bit };

	for (unsigned i = 0; i < N_WORDS; i++)
		gen_store(g, i < TOP_WORDS ? dividend[i] : gen_i64(g, 0), gen_at(g, work, i * 8ull));
	r.live[0] = work;
	r.live[1] = divisor[0];
	r.live[2] = divisor[1];
	gen_repeat(g, &r);
	return gen_load(g, gen_at(g, work, QUOTIENT * 8ull));
}

LLVMValueRef gen_wide_variance(struct gen *g, const struct gen_moments *m, LLVMValueRef work)
{
	LLVMValueRef zero = gen_i64(g, 0), one = gen_i64(g, 1), top[TOP_WORDS], square[TOP_WORDS], divisor[2] = { zero, zero };
	LLVMValueRef sign = LLVMBuildAShr(g->b, m->sum[1], gen_i64(g, 63), ""), low, high, is_few;

	// The magnitude of the sum.
	low = LLVMBuildAdd(g->b, LLVMBuildXor(g->b, m->sum[0], sign, ""), LLVMBuildAnd(g->b, sign, one, ""), "");
	high = LLVMBuildXor(g->b, m->sum[1], sign, "");
	high = LLVMBuildAdd(g->b, high, gen_wide_carry(g, low, LLVMBuildAnd(g->b, sign, one, "")), "");
	for (unsigned i = 0; i < TOP_WORDS; i++)
		top[i] = square[i] = zero;
	for (unsigned i = 0; i < 3; i++)
		gen_wide_add_product(g, top, TOP_WORDS, m->count, m->squares[i], i);
	gen_wide_add_product(g, square, TOP_WORDS, low, low, 0);
	gen_wide_add_product(g, square, TOP_WORDS, low, high, 1);
	gen_wide_add_product(g, square, TOP_WORDS, low, high, 1);
	gen_wide_add_product(g, square, TOP_WORDS, high, high, 2);
	subtract(g, top, square, TOP_WORDS);
	gen_wide_add_product(g, divisor, 2, m->count, LLVMBuildSub(g->b, m->count, one, ""), 0);
	is_few = LLVMBuildICmp(g->b, LLVMIntULT, m->count, gen_i64(g, 2), "");
	return LLVMBuildSelect(g->b, is_few, zero, divide(g, top, divisor, work), "");
}
