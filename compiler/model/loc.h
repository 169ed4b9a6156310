// SPDX-License-Identifier: GPL-2.0-or-later
/** Location programs: where a value lives at one pc. Compiled from DWARF expressions, location lists and CFI
 *  (debug/dw_loc.c) or from the ABI; turned into loads by ir/lower_loc.c. Never a string. */
#ifndef SP_MODEL_LOC_H
#define SP_MODEL_LOC_H

#include "runtime/base/buf.h"

/** Stack machine over 64-bit values (DWARF 5 section 2.5). Branches lead forward only, and all ways to an operation bring
 *  the same number of values. */
enum loc_op_kind {
#define LOC_OP(kind, name, has_number, class, n_operands) LOC_##kind,
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
	unsigned n_operands; // values that it takes
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
		LOC_ABSENT, // optimised out
	} where;
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
/** Calls `fn` for each operation, those of what it points to included. */
void loc_each(const struct loc *loc, void (*fn)(void *ctx, const struct loc_op *op), void *ctx);
/** Does it depend on an operation of that kind, be it in what it points to? */
bool loc_has(const struct loc *loc, enum loc_op_kind kind);
/** Were any of these bits of the object optimised out? Those of a pointer, too, of which only what it points to is left. */
bool loc_lacks(const struct loc *loc, uint64_t bit, uint64_t n_bits);

#endif
