// SPDX-License-Identifier: GPL-2.0-or-later
/** A target variable's value on its way through its access path, and how its bits are read. */
#ifndef SP_LOWER_ACCESS_H
#define SP_LOWER_ACCESS_H

#include "compiler/lower/lower_ctx.h"
#include "compiler/sema/access.h"

struct access {
	struct lower *l;
	const struct site_value *v;
	struct span span;
	uint32_t place;
	enum ir_space space; // of the memory that is read next
	enum {
		IS_NUMBER, // expr is the value
		IS_MEMORY, // expr is its address
		IS_OBJECT, // bytes from `offset` on of what `loc` describes
	} kind;
	const struct loc *loc;
	struct ir_expr *expr;
	int64_t offset;
	struct ir_expr *bit; // of a bit-field whose place is looked up: its first bit in the byte at `expr`; else NULL
	struct { // indexes of arrays in registers
		struct ir_expr *index;
		int64_t stride;
		uint64_t count;
	} indexes[ACCESS_MAX_INDEXES];
	unsigned n_indexes;
	unsigned n_branches; // of location programs, so far
	bool writes;
	bool is_soft; // what faults is 0: it was found out before that it does not
	bool is_quiet; // what cannot be read is not reported
	bool failed;
};

/** What sema had to see (sema/access.c), unless only a part of a printed value is asked for. Gives something to go on with. */
struct ir_expr *access_cannot(struct access *a, const char *why);
struct ir_expr *access_binary(struct access *a, enum ir_expr_op op, struct ir_expr *x, struct ir_expr *y);
/** What the program's context has at `offset`; size 0: its address. */
struct ir_expr *access_context(struct access *a, uint32_t offset, unsigned size, bool is_signed);
struct ir_expr *access_add(struct access *a, struct ir_expr *address, int64_t bytes);
/** For what is used more than once: it is computed once. */
struct ir_expr *access_shared(struct access *a, struct ir_expr *e);

/** Bits of a number. */
struct ir_expr *access_extract(struct access *a, struct ir_expr *e, unsigned bit, unsigned n, bool is_signed);
/** Up to 8 bytes, zero-extended, and never one more: the byte behind may be on a page that is not there. */
struct ir_expr *access_load_bytes(struct access *a, struct ir_expr *address, unsigned n);
struct ir_expr *access_load_bits(struct access *a, struct ir_expr *address, uint64_t bit, unsigned n, bool is_signed);

#endif
