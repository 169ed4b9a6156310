// SPDX-License-Identifier: GPL-2.0-or-later
/** What code does, as far as it matters for where it may run: a statement, with the functions that it calls. */
#ifndef SP_LOWER_LOWER_FACTS_H
#define SP_LOWER_LOWER_FACTS_H

#include "compiler/ir/ir.h"

enum {
	FACT_STATE = 1, // reads or changes what other handlers see, or what other parts of this one have left
	FACT_CONTEXT = 2, // asks for what the hook gives: registers, arguments, the stack
	FACT_EVENT = 4, // reads memory, or what belongs to the moment and its task
	FACT_RUNTIME = 8, // something that only the runtime can do
	FACT_KERNEL = 16, // something that only a handler in the kernel can do
	FACT_RESUMES = 32, // goes on with what a search or tokenize() has left
	FACT_KNOWN = 64,
	FACT_LEAVES = 128, // searches a text, or begins a tokenize(): others go on with that
};

struct facts {
	const struct ir_unit *unit;
	uint8_t *funcs; // by function, with those that it calls; without FACT_KNOWN: nobody has asked yet
	uint8_t here; // of the code that is looked at
	bool is_func; // ... which is a function's
};

/** Sets of these: of a list of statements, of one of them alone, of an expression, a function, a builtin. */
uint8_t facts_of(struct facts *facts, const struct ir_stmt *body);
uint8_t facts_of_stmt(struct facts *facts, struct ir_stmt *s);
uint8_t facts_of_expr(struct facts *facts, const struct ir_expr *e);
uint8_t facts_of_func(struct facts *facts, uint32_t func);
uint8_t facts_of_builtin(uint32_t builtin);

/** Why only the runtime can run it: FACT_RUNTIME. */
struct ir_cause facts_runtime_cause(const struct facts *facts, const struct ir_stmt *body);

/** Is the builtin's value that of the moment, or of the thread that is there then? */
bool facts_is_of_moment(uint32_t builtin);

#endif
