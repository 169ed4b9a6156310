// SPDX-License-Identifier: GPL-2.0-or-later
/** The stack machine of DWARF expressions (DWARF 5 section 2.5.1), as a translator: the expression is not computed, its operations
 *  become those of a location program. Of the stack only the type of each value is kept.
 *
 *  The invariant: the program has computed a value of a type smaller than 64 bits always with its upper bits extended, by its sign
 *  or with zeros. dw_stack_extend() restores that behind operations that may break it.
 *
 *  A function returns false when the expression cannot be translated; `why` then has the reason, for people. */
#ifndef SP_DEBUG_DW_STACK_H
#define SP_DEBUG_DW_STACK_H

#include "compiler/debug/dwarf/dw_loc.h"

#include "runtime/base/vec.h"

#define DW_STACK_MAX 64

/** The type of a value. Size 0 is the generic type, an address-sized integer. */
struct dw_value_type {
	uint8_t size;
	bool is_signed;
	bool is_float; // such values are moved, never computed with
};

extern const struct dw_value_type dw_generic;

struct dw_stack {
	const struct dw_loc_site *site;
	Dwarf_Attribute *attr; // with the expression; NULL: it comes from CFI
	SP_VEC(struct loc_op) ops; // of the current piece
	SP_VEC(struct loc_piece) pieces;
	struct dw_value_type stack[DW_STACK_MAX];
	unsigned depth;
	int where; // what `ops` compute for the current piece: loc_piece.where
	struct loc_piece known; // the bytes or pointee of the current piece, when `where` is LOC_IS_BYTES or LOC_POINTS_TO
	unsigned nesting; // of expressions in expressions
	unsigned n_pending; // branches whose targets have not been reached yet
	const char *why; // set: the expression cannot be translated
};

/** Sets the reason unless one is set. Always false. */
bool dw_stack_fail(struct dw_stack *c, const char *fmt, ...) SP_PRINTF(2, 3);
/** The same with the reason "WHAT (broken debug information)". */
bool dw_stack_broken(struct dw_stack *c, const char *what);
bool dw_stack_emit(struct dw_stack *c, enum loc_op_kind kind, int64_t a);
bool dw_stack_push(struct dw_stack *c, struct dw_value_type type);
/** Are there `n` values on the stack? False sets the reason. */
bool dw_stack_need(struct dw_stack *c, unsigned n);
bool dw_stack_push_const(struct dw_stack *c, int64_t value);
/** The value of a register, plus an offset. */
bool dw_stack_push_reg(struct dw_stack *c, uint64_t reg, int64_t offset);
/** Extends the value on top, which was computed with 64 bits, from the size of its type. */
bool dw_stack_extend(struct dw_stack *c, struct dw_value_type type);
/** The base type at `die_off` that a typed operation names. False: it has more than 8 bytes, or another encoding. */
bool dw_stack_base_type(struct dw_stack *c, const Dwarf_Op *op, Dwarf_Word die_off, struct dw_value_type *ret);
bool dw_stack_are_same(struct dw_value_type a, struct dw_value_type b);
/** The value on top is an address: in a 32-bit file, the lower half of what was computed. */
bool dw_stack_wrap(struct dw_stack *c);
bool dw_stack_deref(struct dw_stack *c, uint64_t size, struct dw_value_type type);
/** DW_OP_convert, DW_OP_reinterpret. */
bool dw_stack_convert(struct dw_stack *c, const Dwarf_Op *op);
/** DW_OP_const_type, DW_OP_regval_type, DW_OP_deref_type. */
bool dw_stack_typed(struct dw_stack *c, const Dwarf_Op *op);
/** Arithmetic, comparisons, and what moves values on the stack. Other operations are refused by name. */
bool dw_stack_op(struct dw_stack *c, const Dwarf_Op *op);

#endif
