// SPDX-License-Identifier: GPL-2.0-or-later
/** Target variables: location programs (model/loc.h) and access paths become explicit loads. */
#ifndef SP_IR_LOWER_LOC_H
#define SP_IR_LOWER_LOC_H

#include "compiler/ir/lower_ctx.h"

/** The value of an AST_RESOLVED: a number of the C type's width and sign, the address of an array, a structure or with
 *  `&`, or the text that it points to. What cannot be read here is reported. */
struct ir_expr *lower_site_value(struct lower *l, const struct ast_expr *e);
/** A number in memory, for what changes it. */
struct lower_memory {
	struct ir_expr *address;
	uint32_t place;
	enum ir_space space;
	uint8_t size;
	bool is_signed;
	uint32_t bit_off, bit_size; // bit-field in these bytes; bit_size 0: none
};

/** Where the value of an AST_RESOLVED lies; emits what finding it takes. False when it was reported. */
bool lower_site_memory(struct lower *l, const struct ast_expr *e, struct lower_memory *ret);
/** Does the value's location differ from site to site of one shape, so that each site needs its own program? */
bool lower_needs_own_site(const struct site_value *v);

#endif
