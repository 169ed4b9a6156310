// SPDX-License-Identifier: GPL-2.0-or-later
// IEEE 754: binary32 has 8 bits of exponent (bias 127) and 23 of fraction, binary64 11 (bias 1023) and 52.
#include "compiler/lower/lower_float.h"

#define FRACTION_BITS 23
#define WIDE_FRACTION_BITS 52
#define REBIAS (1023 - 127)
#define SPECIAL 255 // the exponent of infinity and NaN

static struct ir_expr *put_together(struct lower *l, struct ir_expr *sign, struct ir_expr *exponent,
				    struct ir_expr *fraction)
{
	struct ir_expr *low = lower_with(l, IR_SHL, fraction, WIDE_FRACTION_BITS - FRACTION_BITS);
	struct ir_expr *high = lower_with(l, IR_SHL, exponent, WIDE_FRACTION_BITS);

	return ir_binary(l->unit, IR_OR, sign, ir_binary(l->unit, IR_OR, high, low, IR_NO_PLACE), IR_NO_PLACE);
}

// A denormal float has no implicit 1; as a double it has one. The fraction is shifted until its first 1 is in that place.
static struct ir_expr *widen_small(struct lower *l, struct ir_expr *sign, struct ir_expr *fraction)
{
	struct ir_expr *exponent = ir_const(l->unit, REBIAS + 1), *wide;

	wide = fraction;
	for (unsigned n = 16; n; n /= 2) {
		struct ir_expr *is_low = lower_keep(l, lower_with(l, IR_LT, wide, 1ll << (FRACTION_BITS + 1 - n)));

		exponent = lower_keep(l, lower_choose(l, is_low, lower_with(l, IR_SUB, exponent, n), exponent));
		wide = lower_keep(l, lower_choose(l, is_low, lower_with(l, IR_SHL, wide, n), wide));
	}
	wide = lower_with(l, IR_AND, wide, (1ll << FRACTION_BITS) - 1);
	return lower_choose(l, fraction, put_together(l, sign, exponent, wide), sign);
}

struct ir_expr *lower_float_widen(struct lower *l, struct ir_expr *bits)
{
	struct ir_expr *sign, *exponent, *fraction, *wide;

	bits = lower_keep(l, bits);
	sign = lower_keep(l, lower_with(l, IR_SHL, lower_with(l, IR_USHR, bits, 31), 63));
	exponent = lower_keep(l, lower_with(l, IR_AND, lower_with(l, IR_USHR, bits, FRACTION_BITS), SPECIAL));
	fraction = lower_keep(l, lower_with(l, IR_AND, bits, (1ll << FRACTION_BITS) - 1));
	wide = lower_choose(l, lower_with(l, IR_EQ, exponent, SPECIAL), ir_const(l->unit, 2047), lower_with(l, IR_ADD, exponent, REBIAS));
	return lower_choose(l, exponent, put_together(l, sign, wide, fraction), widen_small(l, sign, fraction));
}
