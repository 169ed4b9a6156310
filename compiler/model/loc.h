// SPDX-License-Identifier: GPL-2.0-or-later
/** Location programs: where a value lives at one address of the code.
 *
 *  The problem. A variable moves: at the entry it is in a register, later in a stack slot, then half of it in each of two registers,
 *  and at the end nowhere. DWARF tells it by expressions of a stack machine; the ABI and BTF tell it by conventions.
 *
 *  The idea. Whoever knows where a value is (debug/dwarf/dw_expr.c from DWARF, dw_callconv.c from the ABI, a family of probe points)
 *  writes it down as a struct loc for one address; lower/lower_loc.c makes loads of it. The form in between is a list of pieces, each
 *  with a small program, so that neither side needs to know the other.
 *
 *  The invariants. Values are 64 bits wide; smaller types are always extended. Branches lead forward only, and every way to an
 *  operation brings the same number of values, so a program can be checked and translated in one run from its begin to its end.
 *  A program reads registers, memory and link-time addresses, and has no effect.
 *
 *  The limits. No loops, no floating point arithmetic, and no register of a caller's frame but by LOC_ENTRY_REG. */
#ifndef SP_MODEL_LOC_H
#define SP_MODEL_LOC_H

#include "runtime/base/buf.h"

/** The operations of the stack machine (DWARF 5 section 2.5). */
enum loc_op_kind {
#define LOC_OP(kind, name, has_number, class, n_operands, n_results) LOC_##kind,
#include "compiler/model/loc.def"
#undef LOC_OP
};

/** What is true of every operation of a kind. */
struct loc_op_info {
	const char *name;
	bool has_number; // `a` means something
	enum loc_op_class {
		LOC_PUSHES, // a value
		LOC_CHANGES, // the top
		LOC_COMBINES, // the two topmost to one
		LOC_REORDERS, // what is there
		LOC_LEADS, // on to another operation
	} class;
	unsigned n_operands, n_results; // values that it takes, and leaves for them
};

const struct loc_op_info *loc_op_info(enum loc_op_kind kind);

struct loc_op {
	enum loc_op_kind kind;
	int64_t a;
	const char *section; // LOC_ADDR: of a kernel module, whose sections are loaded one by one; else NULL
};

struct loc;

struct loc_piece {
	enum {
		LOC_IN_MEMORY, // ops leave its address
		LOC_IS_VALUE, // ops leave the value itself (register, stack_value)
		LOC_IS_BYTES, // implicit value
		LOC_POINTS_TO, // a pointer that was optimised out; what it points to was not
		LOC_ABSENT, // optimised out, or what says where it is cannot be read
	} where;
	const char *why; // LOC_ABSENT: why it cannot be read; NULL: it is optimised out
	struct loc_op *ops;
	unsigned n_ops;
	const uint8_t *bytes; // LOC_IS_BYTES
	unsigned n_bytes;
	const struct loc *pointee; // LOC_POINTS_TO: byte `pointee_off` of this object
	int64_t pointee_off;
	uint32_t bit_size; // of this piece; 0: the whole object
	uint32_t bit_off; // where in the source the piece starts
};

struct loc {
	struct loc_piece *pieces; // in the object's order; most have one
	unsigned n_pieces;
};

/** One line, such as "[reg7]", "mem: reg6 -20 +"; stable, for dumps. */
void loc_print(struct sp_buf *out, const struct loc *loc);
bool loc_equal(const struct loc *a, const struct loc *b);
/** Calls `fn` for each operation, those of pointees (LOC_POINTS_TO) included. */
void loc_each(const struct loc *loc, void (*fn)(void *ctx, const struct loc_op *op), void *ctx);
/** Is there an operation of that kind, those of pointees included? */
bool loc_has(const struct loc *loc, enum loc_op_kind kind);
/** Is the object at one address of its file, whatever the registers are? */
bool loc_is_static(const struct loc *loc);
/** Were any of these bits of the object optimised out? (A pointer of which only the pointee is left counts as optimised out.) */
bool loc_lacks(const struct loc *loc, uint64_t bit, uint64_t n_bits);

#endif
