// SPDX-License-Identifier: GPL-2.0-or-later
/** The stack machine of DWARF expressions (DWARF 5 section 2.5.1), as a translator: its operations become those of a
 *  location program, and what is kept of the stack is the type of each value. A value of a type smaller than 64 bits is
 *  always extended; that is the invariant behind each `extend`.
 *
 *  Functions return false when the expression cannot be translated, with the reason, for people, in `why`. */
#ifndef SP_DEBUG_DW_STACK_H
#define SP_DEBUG_DW_STACK_H

#include "compiler/debug/dwarf/dw_loc.h"

#include "runtime/base/vec.h"

#define DW_STACK_MAX 64

/** The type of a value. Size 0 is the generic type, an address-sized integer. */
struct dw_value_type {
	uint8_t size;
	bool is_signed;
	bool is_float; // which nothing is computed with
};

extern const struct dw_value_type dw_generic;

struct dw_stack {
	const struct dw_loc_site *site;
	Dwarf_Attribute *attr; // that the operations come from; NULL: CFI
	SP_VEC(struct loc_op) ops; // of the current piece
	SP_VEC(struct loc_piece) pieces;
	struct dw_value_type stack[DW_STACK_MAX];
	unsigned depth;
	int where; // enum in struct loc_piece, for what is in `ops`
	struct loc_piece known; // of the current piece, where `where` is LOC_IS_BYTES or LOC_POINTS_TO
	unsigned nesting; // of expressions
	unsigned n_pending; // branches whose targets have not come yet
	const char *why; // set: given up
};

/** Sets the reason, unless there is one; false. */
bool dw_stack_fail(struct dw_stack *c, const char *fmt, ...) SP_PRINTF(2, 3);
/** "WHAT (broken debug information)" */
bool dw_stack_broken(struct dw_stack *c, const char *what);
bool dw_stack_emit(struct dw_stack *c, enum loc_op_kind kind, int64_t a);
bool dw_stack_push(struct dw_stack *c, struct dw_value_type type);
/** Are there `n` values? */
bool dw_stack_need(struct dw_stack *c, unsigned n);
bool dw_stack_push_const(struct dw_stack *c, int64_t value);
/** The value of a register, plus an offset. */
bool dw_stack_push_reg(struct dw_stack *c, uint64_t reg, int64_t offset);
/** Extends the value on top, which has been computed in 64 bits, from the size of its type. */
bool dw_stack_extend(struct dw_stack *c, struct dw_value_type type);
/** The base type at `die_off` that a typed operation names; of those only types of up to 8 bytes are known. */
bool dw_stack_base_type(struct dw_stack *c, const Dwarf_Op *op, Dwarf_Word die_off, struct dw_value_type *ret);
bool dw_stack_are_same(struct dw_value_type a, struct dw_value_type b);
bool dw_stack_deref(struct dw_stack *c, uint64_t size, struct dw_value_type type);
/** DW_OP_convert, DW_OP_reinterpret. */
bool dw_stack_convert(struct dw_stack *c, const Dwarf_Op *op);
/** DW_OP_const_type, DW_OP_regval_type, DW_OP_deref_type. */
bool dw_stack_typed(struct dw_stack *c, const Dwarf_Op *op);
/** Arithmetic, comparisons, and what moves values on the stack. Other operations are refused by name. */
bool dw_stack_op(struct dw_stack *c, const Dwarf_Op *op);

#endif
