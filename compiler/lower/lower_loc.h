// SPDX-License-Identifier: GPL-2.0-or-later
/** Target variables: location programs (model/loc.h) and access paths become explicit loads. */
#ifndef SP_LOWER_LOC_H
#define SP_LOWER_LOC_H

#include "compiler/lower/lower_ctx.h"

/** The value of an AST_RESOLVED: a number of the C type's width and sign, or the address of an array, a structure or with
 *  `&`. What cannot be read here is reported. */
struct ir_expr *lower_site_value(struct lower *l, const struct ast_expr *e);

/** A value of any size that is read part by part. */
struct lower_object {
	const struct ast_expr *of;
	uint32_t place;
	struct ir_expr *address; // NULL: not in memory
	struct ir_expr *number; // NULL: in pieces
	const struct loc *loc; // the pieces
	int64_t offset; // in the number or pieces
	enum ir_space space, pointees; // of its memory; of what its pointers lead to
};

/** Finds it, and emits what that takes. False when it cannot be read, which is reported unless it is one of a list. */
bool lower_object_open(struct lower *l, const struct ast_expr *e, struct lower_object *ret);
/** Of one that is in memory. */
struct ir_expr *lower_object_address(struct lower *l, const struct lower_object *object, uint64_t bytes);
/** Up to 64 bits of it; those of memory that cannot be read are 0. NULL: they are not there. */
struct ir_expr *lower_object_bits(struct lower *l, const struct lower_object *object, uint64_t bit, unsigned n,
				  bool is_signed);

/** A number in memory, for what changes it. */
struct lower_memory {
	struct ir_expr *address;
	uint32_t place;
	enum ir_space space;
	uint8_t size; // in bytes; 3, 5, 6 and 7 too: a bit-field's
	bool is_signed;
	uint32_t bit_off, bit_size; // where the number is in these bytes
};

/** Where the value of an AST_RESOLVED lies; emits what finding it takes. False when it was reported. */
bool lower_site_memory(struct lower *l, const struct ast_expr *e, struct lower_memory *ret);

#endif
