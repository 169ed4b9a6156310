// SPDX-License-Identifier: GPL-2.0-or-later
/** Location programs: where a value lives at one pc. Compiled from DWARF expressions, location lists and CFI
 *  (debug/dw_loc.c) or from the ABI; turned into loads by ir/lower_loc.c. Never a string. */
#ifndef SP_MODEL_LOC_H
#define SP_MODEL_LOC_H

#include "runtime/base/buf.h"

/** Stack machine over 64-bit values (DWARF 5 section 2.5). Branches lead forward only, and all ways to an operation bring
 *  the same number of values. */
enum loc_op_kind {
	LOC_CONST, // push a
	LOC_REG, // push DWARF register a
	LOC_ENTRY_REG, // push DWARF register a as it was at the function's entry (DW_OP_entry_value)
	LOC_ADDR, // push the run-time address of link-time address a of the site's module, or of byte a of a `section`
	LOC_CPU, // push the number of the processor that runs the handler
	LOC_TLS, // pop a TLS offset, push the thread's address
	LOC_DEREF, // pop an address, push a bytes read there, zero-extended
	LOC_ADD, LOC_SUB, LOC_MUL,
	LOC_DIV, LOC_SMOD, // signed
	LOC_UDIV, LOC_UMOD, // unsigned
	LOC_AND, LOC_OR, LOC_XOR, LOC_SHL, LOC_SHR, LOC_SHRA,
	LOC_NEG, LOC_NOT, LOC_ABS,
	LOC_EQ, LOC_NE, LOC_LT, LOC_LE, LOC_GT, LOC_GE, // signed; push 1 or 0
	LOC_DUP, LOC_DROP, LOC_SWAP, LOC_ROT,
	LOC_PICK, // push the a-th from the top (0 is the top)
	LOC_SEXT, LOC_ZEXT, // the top's low a bytes, extended
	LOC_BRANCH, // pop; when it is not 0, leave out the next a operations
	LOC_SKIP, // leave out the next a operations
};

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
/** Does it depend on an operation of that kind, be it in what it points to? */
bool loc_has(const struct loc *loc, enum loc_op_kind kind);

#endif
