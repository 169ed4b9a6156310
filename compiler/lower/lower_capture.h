// SPDX-License-Identifier: GPL-2.0-or-later
/** What the handler in the kernel puts into the record for the rest of it (lower_rest.h), and how the rest reads that. */
#ifndef SP_LOWER_LOWER_CAPTURE_H
#define SP_LOWER_LOWER_CAPTURE_H

#include "compiler/lower/lower_ctx.h"
#include "compiler/lower/lower_facts.h"

/** What the rests of handlers change: by index. */
struct changed {
	const struct facts *facts;
	bool *maps, *globals;
	bool any;
	bool *cuts_late; // by program: its rest begins at what only the runtime can do, though what comes before touches these
};

/** A value of the record. What may fail has more beside it, by which the rest knows. */
struct capture {
	struct ir_expr *e; // as the handler in the kernel computes it
	enum {
		CANNOT_FAIL,
		FAULT, // memory: the address; and a number twice, with different values when it is not there
		FAILURE, // whether it failed, and what it said then
		BYTES, // the struct sp_captured, in which the address is, and whether it could be read
		STACK, // the struct sp_symbols; cannot fail
	} fails;
	struct ir_expr *value, *other, *why; // how the rest reads each: CTX, whose offset is known when all are found
};

/** Is a function's result better put into the record than computed in the rest? */
enum cut_whole { WHOLE_UNKNOWN, WHOLE_NO, WHOLE_YES };

/** A handler that is cut. */
struct cut {
	struct lower *l;
	struct ir_unit *unit;
	struct facts *facts;
	const struct changed *changed;
	const struct ir_prog *prog; // of the handler
	const struct ir_stmt *body; // the rest, or the function of it that is looked at
	const struct ir_local *locals; // of that
	size_t n_locals;
	uint32_t *sets; // by local: how often the body sets it; when never, the handler in the kernel knows what it is
	struct ir_expr **values; // by local: of a temporary that the body sets once, to what the handler in the kernel can compute, as it was before it was cut; else NULL
	SP_VEC(struct ir_stmt *) waiting; // those that set them: they are cut when it is known who still reads them
	size_t n_funcs; // before any was copied
	uint32_t *copies; // by function: 1 + the rest's own copy of it; 0: it has none
	uint8_t *whole; // by function: enum cut_whole
	uint32_t told; // of the members of struct sp_deferred, bits by number: the rest asks for them
	bool is_trial; // nothing is changed
	bool reads_late; // memory is read when the rest runs
	bool in_func; // what is looked at is in a function: its variables are its own
	struct ir_cause loss; // something of the context that the rest would ask for and cannot have
	SP_VEC(struct capture) captures;
};

/** Is it read from the context, from memory or from a global: something that is another one when the rest runs? */
bool capture_is_of_event(const struct cut *c, const struct ir_expr *e);
/** Can the handler in the kernel compute it at its end? */
bool capture_is_possible(const struct cut *c, const struct ir_expr *e);
/** Puts it into the record. Returns what the rest has instead. */
struct ir_expr *capture_add(struct cut *c, struct ir_expr *e);
/** Puts the whole stack into the record, for an address of it whose number the rest computes: changes the expression. */
void capture_stack(struct cut *c, struct ir_expr *frame);
/** The rest may ask for all that struct sp_deferred has: by C. */
void capture_task(struct cut *c);
/** Emits the record, and tells the readers where in it their values are. */
void capture_send(struct cut *c);

#endif
