// SPDX-License-Identifier: GPL-2.0-or-later
/** Whether two bodies do the same, so that one program can run for both. The question is asked of bodies that have just been
 *  lowered: everything that lowering puts into a node is compared, but for its place in the script. What a node refers to
 *  (formats, fixups, patterns) is kept once in the unit, so equal things have equal indexes. */
#ifndef SP_IR_IR_EQUAL_H
#define SP_IR_IR_EQUAL_H

#include "compiler/ir/ir.h"

struct ir_body {
	const struct ir_local *locals;
	size_t n_locals;
	struct ir_stmt *stmts;
	/** By index of a function: what it is a copy of, for functions that each body calls its own copy of; NULL: nothing. Calls
	 *  of copies of one function are equal: the caller compares the copies. */
	const void *const *copy_of;
};

/** Both are of `unit`. */
bool ir_body_equal(const struct ir_unit *unit, const struct ir_body *a, const struct ir_body *b);
/** Both stand in one body. */
bool ir_expr_equal(const struct ir_unit *unit, const struct ir_expr *a, const struct ir_expr *b);
/** Equal bodies have equal hashes. */
uint64_t ir_body_hash(const struct ir_body *body);

#endif
